import { signInServices } from "@lists-and-things/domain/signin/SignInServices"
import * as FetchedClientDocuments from "@lists-and-things/http/oauth/FetchedClientDocuments"
import { Layer } from "effect"
import * as NodePasswordHasher from "@lists-and-things/platform-node/NodePasswordHasher"

/** The services for sign-in, over every port. */
export const signIn = signInServices.pipe(Layer.provide([FetchedClientDocuments.layer, NodePasswordHasher.layer]))

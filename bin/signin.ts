import { signInServices } from "@lists-and-things/domain/signin/SignInServices"
import * as NodeClientDocuments from "@lists-and-things/platform-node/NodeClientDocuments"
import { Layer } from "effect"
import * as NodePasswordHasher from "@lists-and-things/platform-node/NodePasswordHasher"

/** The services for sign-in, over every port. */
export const signIn = signInServices.pipe(Layer.provide([NodeClientDocuments.layer, NodePasswordHasher.layer]))

import { signInServices } from "@lists-and-things/domain/signin/SignInServices"
import * as NodeClientDocuments from "@lists-and-things/platform-node/NodeClientDocuments"
import * as NodePasswordHasher from "@lists-and-things/platform-node/NodePasswordHasher"
import * as Settings from "@lists-and-things/settings/Settings"
import { Effect, Layer } from "effect"

const clientDocuments = Layer.unwrap(
  Effect.map(Settings.clientDocuments.config, (setting) =>
    setting === "on" ? NodeClientDocuments.layer : NodeClientDocuments.none
  )
)

/** The services for sign-in, over every port. */
export const signIn = signInServices.pipe(Layer.provide([clientDocuments, NodePasswordHasher.layer]))

import { Layer } from "effect"
import { AttemptLimiter } from "./AttemptLimiter.ts"
import { Authorizations } from "./Authorizations.ts"
import { OAuthClients } from "./OAuthClients.ts"
import { SignIn } from "./SignIn.ts"

/** Everything about signing in, over the ports, `ClientDocuments` and `PasswordHasher`. */
export const signInServices = Layer.mergeAll(OAuthClients.layer, Authorizations.layer, SignIn.layer).pipe(
  Layer.provide(AttemptLimiter.layer)
)

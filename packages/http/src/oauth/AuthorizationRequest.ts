import { Effect } from "effect"
import { defaultScopes, type Scope, scopes } from "@lists-and-things/domain/model/Scope"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { OAuthClient } from "@lists-and-things/domain/model/Grant"
import { type OAuthError, oauthErrors } from "@lists-and-things/domain/signin/OAuthError"
import { isRegistered } from "@lists-and-things/domain/signin/RedirectUri"
import { isChallenge } from "@lists-and-things/domain/signin/Secrets"
import { isResource, wrongResource } from "./Discovery.ts"

/** A validated authorization request. */
export interface AuthorizationRequest {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly challenge: string
  readonly scopes: ReadonlyArray<Scope>
  readonly state: string | undefined
}

type Code = (typeof oauthErrors)[number]

/** An error returned to the client by redirect, once its redirect address is verified. */
export interface RedirectedError {
  readonly _tag: "RedirectedError"
  readonly redirectUri: string
  readonly state: string | undefined
  readonly error: Code
  readonly description: string
}

/** An error shown to the person only: with an invalid client or redirect address, nothing is redirected. */
export interface ShownError {
  readonly _tag: "ShownError"
  readonly description: string
}

const shownError = (description: string): ShownError => ({ _tag: "ShownError", description })

/** Longest `state`, in characters: it becomes part of the address to which the browser is redirected. */
const maxStateLength = 4_096

const parameters = [
  "response_type",
  "client_id",
  "redirect_uri",
  "code_challenge",
  "code_challenge_method",
  "resource",
  "scope",
  "state"
] as const

/** The request's parameters as sent, for the hidden fields of the consent form. */
export const parametersOf = (fields: URLSearchParams): Array<[string, string]> =>
  parameters.flatMap((name) => fields.getAll(name).map((value): [string, string] => [name, value]))

/** The names in a `scope`, which blanks separate. */
export const scopeNames = (scope: string | null | undefined): ReadonlyArray<string> =>
  (scope ?? "").split(" ").filter((each) => each !== "")

const scopesOf = (text: string | null): ReadonlyArray<Scope> => {
  const asked = scopeNames(text)
  return asked.length === 0 ? defaultScopes : scopes.filter((scope) => asked.includes(scope))
}

const wrongChallenge =
  "code_challenge must be the SHA-256 of the code_verifier in base64url without padding, which has 43 characters."

const wrongScope = `scope must name some of ${scopes.join(", ")}, separated by blanks, or be left out.`

const sentTwice = (name: string): string => `${name} was sent more than once.`

/** Validates the client and its redirect address first, then everything else (OAuth 2.1). */
export const readRequest = (
  fields: URLSearchParams,
  siteUrl: string,
  clientOf: (id: string) => Effect.Effect<OAuthClient, OAuthError | StorageUnavailable>
): Effect.Effect<AuthorizationRequest, RedirectedError | ShownError | StorageUnavailable> =>
  Effect.gen(function* () {
    const repeated = parameters.filter((name) => fields.getAll(name).length > 1)
    const unredirectable = repeated.find((name) => name === "client_id" || name === "redirect_uri" || name === "state")
    if (unredirectable !== undefined) return yield* Effect.fail(shownError(sentTwice(unredirectable)))
    const state = fields.get("state") ?? undefined
    if (state !== undefined && state.length > maxStateLength)
      return yield* Effect.fail(shownError(`state is longer than ${maxStateLength} characters.`))
    const client = yield* Effect.catchTag(clientOf(fields.get("client_id") ?? ""), "OAuthError", (error) =>
      Effect.fail(shownError(error.description))
    )
    const redirectUri = fields.get("redirect_uri") ?? ""
    if (!isRegistered(client.redirectUris, redirectUri))
      return yield* Effect.fail(shownError("redirect_uri is not one that this program registered."))
    const tell = (error: Code, description: string) =>
      Effect.fail<RedirectedError>({ _tag: "RedirectedError", redirectUri, state, error, description })
    if (repeated[0] !== undefined) return yield* tell("invalid_request", sentTwice(repeated[0]))
    const responseType = fields.get("response_type")
    if (responseType !== "code")
      return yield* tell(responseType ? "unsupported_response_type" : "invalid_request", "response_type must be code.")
    const challenge = fields.get("code_challenge") ?? ""
    if (challenge === "") return yield* tell("invalid_request", "code_challenge is required: PKCE with S256.")
    if (!isChallenge(challenge)) return yield* tell("invalid_request", wrongChallenge)
    if (fields.get("code_challenge_method") !== "S256")
      return yield* tell("invalid_request", "code_challenge_method must be S256.")
    const resource = fields.get("resource")
    if (resource !== null && !isResource(resource, siteUrl)) return yield* tell("invalid_target", wrongResource)
    const wanted = scopesOf(fields.get("scope"))
    if (wanted.length === 0) return yield* tell("invalid_scope", wrongScope)
    return { client, redirectUri, challenge, scopes: wanted, state }
  })

/** The client's redirect address with the answer in its query; `iss` names the issuer (RFC 9207). */
export const returnTo = (
  redirectUri: string,
  siteUrl: string,
  answer: Readonly<Record<string, string | undefined>>
): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...answer, iss: siteUrl }))
    if (value !== undefined) query.append(name, value)
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`
}

import type {
  Forbidden,
  InvalidInput,
  Overloaded,
  RateLimited,
  StorageUnavailable,
  TooManyWaiting,
  Unauthorized
} from "@lists-and-things/domain/model/Errors"
import { defaultScopes, type Scope } from "@lists-and-things/domain/model/Scope"
import { anyOrigin, challenge } from "@lists-and-things/web/HttpHeaders"
import { sentence } from "@lists-and-things/domain/text/Wording"
import { answerFor, methodNotAllowed, type Refused } from "@lists-and-things/web/ErrorAnswers"
import { Effect } from "effect"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"

/** Error codes of JSON-RPC. */
const codes = {
  InvalidInput: -32700,
  Refused: -32600,
  Forbidden: -32602,
  Unauthorized: -32001,
  RateLimited: -32003,
  TooManyWaiting: -32003,
  Overloaded: -32603,
  StorageUnavailable: -32603
} as const

/** An HTTP answer that is one JSON-RPC error; `id` is that of the refused message, if it is known. */
export const refuse = (
  error:
    | InvalidInput
    | Refused
    | Forbidden
    | Unauthorized
    | RateLimited
    | TooManyWaiting
    | Overloaded
    | StorageUnavailable,
  id: string | number | null = null
): Effect.Effect<Response> =>
  Effect.map(currentTime, (now) => {
    const { headers, status } = answerFor(error, now)
    return jsonRpcError(status, { code: codes[error._tag], message: sentence(error.message), id }, headers)
  })

/** 405: tools are called by POST. */
export const wrongMethod: Effect.Effect<Response> = refuse(methodNotAllowed(["POST", "OPTIONS"]))

interface JsonRpcError {
  readonly code: number
  readonly message: string
  /** The id of the refused message; null if it is not known. */
  readonly id: string | number | null
}

const jsonRpcError = (
  status: number,
  { code, id, message }: JsonRpcError,
  headers: Readonly<Record<string, string>> = {}
): Response => Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status, headers })

const unauthorizedError: JsonRpcError = {
  code: codes.Unauthorized,
  message: "A valid API key or sign-in token is required, as a bearer token.",
  id: null
}

/**
 * 401: names where to sign in and, for an invalid credential, also that it is invalid. `resourceMetadata` is the URL of
 * the protected resource metadata (RFC 9728).
 */
export const unauthorized = (resourceMetadata: string, hasCredential: boolean): Response =>
  jsonRpcError(401, unauthorizedError, {
    ...anyOrigin,
    ...challenge({
      ...(hasCredential ? { error: "invalid_token" } : {}),
      resource_metadata: resourceMetadata,
      scope: defaultScopes.join(" ")
    })
  })

/** 403 for a sign-in token, whose client can ask the user for more scopes. */
export const insufficientScope = (
  resourceMetadata: string,
  { required, has }: { readonly required: ReadonlyArray<Scope>; readonly has: ReadonlySet<Scope> },
  id: string | number | null
): Response => {
  const scope = [...new Set([...has, ...required])].join(" ")
  const headers = {
    ...anyOrigin,
    ...challenge({ error: "insufficient_scope", scope, resource_metadata: resourceMetadata })
  }
  const message = `This call needs the scope ${required.join(" and ")}.`
  return jsonRpcError(403, { code: codes.Unauthorized, message, id }, headers)
}

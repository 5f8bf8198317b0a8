import type { DomainError, RateLimited } from "@lists-and-things/domain/model/Errors"
import { Schema } from "effect"
import { challenge, rateLimitHeaders } from "./HttpHeaders.ts"
import { type EpochMillis, secondsUntil } from "@lists-and-things/domain/model/EpochMillis"

/** An error of HTTP itself, as opposed to those of the domain. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  status: Schema.Literals([400, 403, 404, 405, 408, 413, 415, 417, 431, 503]),
  message: Schema.String,
  /** Further headers, such as `Allow`. */
  headers: Schema.Record(Schema.String, Schema.String),
  /** Whether the connection must be closed, since the rest of the request was not read. */
  close: Schema.Boolean
}) {}

/** A refusal by the host; `close` closes the connection after the answer. */
export const refused = (
  status: Refused["status"],
  message: string,
  options: { readonly headers?: Record<string, string>; readonly close?: boolean } = {}
): Refused => new Refused({ status, message, headers: options.headers ?? {}, close: options.close ?? false })

/** 405 for an address that answers only these methods. */
export const methodNotAllowed = (methods: ReadonlyArray<string>): Refused => {
  const allow = methods.join(", ")
  return refused(405, `This address answers ${allow} only.`, { headers: { allow } })
}

export type HttpError = DomainError | Refused

export interface ErrorAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Headers for a condition that passes within moments. */
export const retrySoon = { "retry-after": "1" }

const rateLimitedHeaders = ({ limit, resetAt }: RateLimited, now: EpochMillis) => ({
  ...rateLimitHeaders({ limit, remaining: 0, resetAt }),
  "retry-after": String(secondsUntil(resetAt, now))
})

/**
 * Maps every error to its status and headers (docs/decisions.md#errors); exhaustive, so that a new error fails to
 * compile here.
 */
export const answerFor = (error: HttpError, now: EpochMillis): ErrorAnswer => {
  switch (error._tag) {
    case "InvalidInput":
    case "Ambiguous":
      return { status: 400 }
    case "Unauthorized":
      return {
        status: 401,
        headers: challenge({ realm: "Lists and Things", ...(error.isInvalid === true && { error: "invalid_token" }) })
      }
    case "Forbidden":
      return { status: 403, headers: challenge({ error: "insufficient_scope", scope: error.scopes.join(" ") }) }
    case "NotFound":
      return { status: 404 }
    case "Conflict":
      return { status: 409 }
    case "Gone":
      return { status: 410 }
    case "PreconditionFailed":
      return { status: 412, ...(error.tag === undefined ? {} : { headers: { etag: error.tag } }) }
    case "IdempotencyMismatch":
      return { status: 422 }
    case "RateLimited":
      return { status: 429, headers: rateLimitedHeaders(error, now) }
    case "TooManyWaiting":
      return { status: 429, headers: retrySoon }
    case "NotReady":
      return { status: 503, headers: { "retry-after": "60" } }
    case "Overloaded":
      return { status: 503, headers: retrySoon }
    case "StorageUnavailable":
      return error.full === true ? { status: 507 } : { status: 503, headers: retrySoon }
    case "Refused":
      return { status: error.status, headers: { ...error.headers, ...(error.close ? { connection: "close" } : {}) } }
  }
}

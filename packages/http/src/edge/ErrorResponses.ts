import { Cause, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { DomainError } from "@lists-and-things/domain/model/Errors"
import type { Refused } from "./HttpErrors.ts"
import { rateLimitHeaders } from "./RateLimitHeaders.ts"

export type HttpError = DomainError | Refused

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Seconds until a client should retry, at least 1. */
const secondsUntil = (time: number, now: number): number => Math.max(1, Math.ceil((time - now) / 1000))

/** Maps every error to its status; exhaustive, so that a new error fails to compile here. */
const answerFor = (error: HttpError, now: number): Answer => {
  switch (error._tag) {
    case "InvalidInput":
    case "Ambiguous":
      return { status: 400 }
    case "Unauthorized":
      return { status: 401, headers: { "www-authenticate": 'Bearer realm="Lists and Things"' } }
    case "Forbidden":
      return { status: 403 }
    case "NotFound":
      return { status: 404 }
    case "Conflict":
      return { status: 409 }
    case "IdempotencyMismatch":
      return { status: 422 }
    case "RateLimited":
      return {
        status: 429,
        headers: {
          ...rateLimitHeaders({ limit: error.limit, remaining: 0, resetAt: error.resetAt }),
          "retry-after": String(secondsUntil(error.resetAt, now))
        }
      }
    case "Overloaded":
      return { status: 503, headers: { "retry-after": "1" } }
    case "StorageUnavailable":
      return error.full === true ? { status: 507 } : { status: 503, headers: { "retry-after": "1" } }
    case "Refused":
      return { status: error.status, headers: error.headers }
  }
}

/** Ensures that a message ends with a full stop. */
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

export const errorBody = (message: string): string => JSON.stringify({ error: sentence(message) })

export const errorResponse = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(errorBody(message), { status, headers, contentType: "application/json" })

/** The answer for an expected error. */
export const respondTo = (error: HttpError): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.clockWith((clock) => {
    const answer = answerFor(error, clock.currentTimeMillisUnsafe())
    const closed = error._tag === "Refused" && error.close ? { connection: "close" } : {}
    return Effect.succeed(errorResponse(answer.status, error.message, { ...answer.headers, ...closed }))
  })

/** The answer for a defect: it is logged under the request's id, and the client sees only the id. */
export const respondToDefect = (
  cause: Cause.Cause<unknown>,
  requestId: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.as(
    Effect.logError("A request failed in an unforeseen way", cause),
    errorResponse(500, `Something went wrong on the server; its log has it under the request id ${requestId}.`)
  )

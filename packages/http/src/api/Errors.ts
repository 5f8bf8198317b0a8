import { Schema } from "effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"

/** See docs/contract.md#smaller-shapes. */
const ErrorJson = Schema.Struct({ error: Schema.String })

const descriptions = {
  400: "A required field or parameter is missing or malformed; nothing was changed.",
  401: "The key is missing, invalid or revoked.",
  403: "The key is valid but lacks the scope of this operation.",
  404: "The address names something that does not exist or is not the caller's.",
  409: "The current state does not allow the request; the error names the reason. Nothing was changed.",
  410: "What was asked for is no longer kept.",
  412: "The current entity tag is not among those of If-Match; nothing was changed. ETag has the current one.",
  413: "The body is larger than 10 MiB.",
  415: "The body has a type that the operation does not take, or a charset other than UTF-8, or it is compressed.",
  422: "The Idempotency-Key was used with another request.",
  429: "The key has used up its requests for this hour. Wait the number of seconds in Retry-After.",
  500: "An unexpected error. The server's log has it under the X-Request-Id of the response.",
  503: "The storage cannot be reached, or the server is too busy. Try again after the number of seconds in Retry-After.",
  507: "The disk is full; nothing was changed. The operator of the server must free space."
} as const

type ErrorStatus = keyof typeof descriptions

const answer = <const Status extends ErrorStatus>(status: Status) =>
  ErrorJson.annotate({ description: descriptions[status] }).pipe(HttpApiSchema.status(status))

const always = [answer(400), answer(401), answer(403), answer(429), answer(500), answer(503), answer(507)] as const

/** Errors of a read. */
export const reading = [...always] as const
export const readingOne = [...always, answer(404)] as const
export const readingFeed = [...always, answer(410)] as const
/** Errors of a write. 415 also for one that takes no body: a body with content is refused. */
export const writing = [...always, answer(410), answer(413), answer(422), answer(415)] as const
export const undoing = [...writing, answer(404), answer(409)] as const
export const writingOne = [...writing, answer(404)] as const
/** Errors of a write of one entity, which may have a precondition. */
export const changingOne = [...writingOne, answer(412)] as const
export const replaying = [...writingOne, answer(409)] as const
export const removing = [...writing, answer(412)] as const

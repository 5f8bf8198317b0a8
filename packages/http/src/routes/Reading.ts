import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { Caller } from "@lists-and-things/domain/model/Caller"
import type { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import type { HttpError } from "@lists-and-things/web/ErrorAnswers"
import { annotationOf, TaggedBy } from "../api/Operation.ts"
import { isCurrent } from "../edge/EntityTagHeaders.ts"
import { encoderOf } from "./AnswerEncoding.ts"
import { Tagged } from "./Conditional.ts"
import { type Input, type Operation, Prepared } from "./Handlers.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Serves the requests of a read: with its answer in steps, or 304 if the client's copy is current. */
export const reader = (endpoint: HttpApiEndpoint.Top, operation: Operation, tags: EntityTags["Service"]) => {
  const { respondInChunks } = encoderOf(endpoint)
  const isTaggedByAccount = annotationOf(endpoint.annotations, TaggedBy) === "account"
  /**
   * Adds the account's tag, which never stands for a later state than the answer: it is that of the admission, or read
   * before the answer. Where the admission does not tell, what was read along with it is read again.
   */
  const taggedByAccount = (request: Request, read: Effect.Effect<unknown, HttpError, Caller>) => {
    const tagFirst = Effect.flatMap(tags.ofAccount, (tag) =>
      isCurrent(request.headers, tag)
        ? Effect.succeed(new Tagged(undefined, tag))
        : Effect.map(read, (value) => new Tagged(value, tag))
    )
    if (request.headers["if-none-match"] !== undefined) return tagFirst
    return Effect.flatMap(read, (value) =>
      Effect.flatMap(Caller, ({ stamps }) =>
        stamps === undefined ? tagFirst : Effect.map(tags.ofAccount, (tag) => new Tagged(value, tag))
      )
    )
  }
  return (input: Input) => {
    const answering = operation(input)
    const read = answering instanceof Prepared ? Effect.flatten(answering.ready) : answering
    const answer = isTaggedByAccount ? taggedByAccount(input.request, read) : read
    return respondInChunks(input.request, answer)
  }
}

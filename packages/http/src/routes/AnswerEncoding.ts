import { Effect, SchemaAST } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { asInQuery } from "@lists-and-things/domain/json/Decode"
import { jsonPieces } from "@lists-and-things/domain/json/JsonEncoding"
import { Pending } from "@lists-and-things/domain/scheduling/Pending"
import { runSteps, type Steps } from "@lists-and-things/domain/scheduling/Yielding"
import type { LongText } from "@lists-and-things/domain/text/LongText"
import type { HttpError } from "@lists-and-things/web/ErrorAnswers"
import { encodeSteps, ofChunks } from "../edge/AnswerChunks.ts"
import { isCurrent, notModified, withTag } from "../edge/EntityTagHeaders.ts"
import { respondTo } from "../edge/ErrorResponses.ts"
import { pendingAnswer } from "../edge/PendingAnswer.ts"
import { untagged } from "./Conditional.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const statusOf = SchemaAST.resolveAt<number>("httpApiStatus")
const encodingOf = SchemaAST.resolveAt<{ readonly _tag: string; readonly contentType: string }>("~httpApiEncoding")

function* jsonChunks(value: object): Steps<ReadonlyArray<Uint8Array>> {
  return yield* encodeSteps(yield* jsonPieces(value))
}

/** Encodes an operation's result as the success that the operation declares. */
export const encoderOf = (endpoint: HttpApiEndpoint.Top) => {
  const [success] = endpoint.success
  if (success === undefined) throw new Error(`${endpoint.identifier} declares no answer`)
  const status = statusOf(success.ast) ?? 200
  const { _tag, contentType } = encodingOf(success.ast) ?? { _tag: "Json", contentType: "application/json" }
  return {
    encode: (value: unknown): string => JSON.stringify(value),
    /** `tagOf` is called for the entity tag when the answer is there. */
    respond: <R>(answer: Effect.Effect<string, HttpError, R>, tagOf: () => string | undefined, otherStatus = status) =>
      Effect.matchEffect(answer, {
        onFailure: respondTo,
        onSuccess: (body) => {
          const etag = tagOf()
          return Effect.succeed(
            HttpServerResponse.text(body, {
              status: otherStatus,
              contentType,
              ...(etag !== undefined && { headers: { etag } })
            })
          )
        }
      }),
    /** Encodes in steps that yield to other requests, since answers of reads may be large. */
    respondInChunks: <R>(request: Request, answer: Effect.Effect<unknown, HttpError, R>) => {
      const respond = <R>(answer: Effect.Effect<unknown, HttpError, R>): Effect.Effect<Response, never, R> =>
        Effect.matchEffect(answer, {
          onFailure: (error) => respondTo(error._tag === "InvalidInput" ? asInQuery(error) : error),
          onSuccess: (answer) => {
            if (answer instanceof Pending) return Effect.succeed(pendingAnswer(answer.through(respond)))
            const { tag, value } = untagged(answer)
            if (tag !== undefined && isCurrent(request.headers, tag)) return Effect.succeed(notModified(tag))
            const encoded =
              value instanceof Uint8Array
                ? Effect.succeed([value])
                : runSteps(() =>
                    _tag === "Text" ? encodeSteps((value as LongText).pieces) : jsonChunks(value as object)
                  )
            return Effect.map(encoded, (chunks) =>
              withTag(ofChunks(chunks, contentType, HttpServerResponse.empty({ status })), tag)
            )
          }
        })
      return respond(answer)
    }
  }
}

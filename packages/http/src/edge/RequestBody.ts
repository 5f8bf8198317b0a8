import type { IncomingMessage } from "node:http"
import { decodeUtf8, parseJsonBytes } from "@lists-and-things/domain/json/JsonText"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { refused, type Refused } from "@lists-and-things/web/ErrorAnswers"
import {
  BodyBytes,
  checkJson,
  checkLength,
  checkMarkdown,
  maxBodyBytes,
  notJson
} from "@lists-and-things/web/RequestBody"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Node's request behind Effect's. */
export const nodeRequest = (request: HttpServerRequest.HttpServerRequest): IncomingMessage =>
  request.source as IncomingMessage

/** The body as JSON, of at most the given bytes; an empty body or white space alone counts as missing. */
export const readJson = (
  request: HttpServerRequest.HttpServerRequest,
  most = maxBodyBytes,
  refusal: () => Refused = notJson
): Effect.Effect<unknown, Refused | InvalidInput> => {
  const message = nodeRequest(request)
  return checkLength(message.headers, most).pipe(
    Effect.andThen(hasBody(message) ? checkJson(message.headers, refusal) : Effect.void),
    Effect.andThen(readBytes(message, most)),
    Effect.flatMap((bytes) => parseJsonBytes(bytes))
  )
}

/** A body of markdown as text; white space alone counts as missing. */
export const readMarkdown = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<string, Refused | InvalidInput> => {
  const message = nodeRequest(request)
  return checkLength(message.headers).pipe(
    Effect.andThen(checkMarkdown(message.headers)),
    Effect.andThen(readBytes(message, maxBodyBytes)),
    Effect.flatMap(decodeUtf8),
    Effect.filterOrFail(
      (text) => text.trim() !== "",
      () => new InvalidInput({ field: "The body", reason: "is required and must be markdown" })
    )
  )
}

const hasBody = (message: IncomingMessage): boolean =>
  message.headers["transfer-encoding"] !== undefined || Number(message.headers["content-length"] ?? 0) > 0

/** Once a body exceeds `most` bytes, what was read of it is released at once. */
export const readBytes = (message: IncomingMessage, most: number): Effect.Effect<Uint8Array, Refused> =>
  Effect.callback((resume) => {
    const body = new BodyBytes(most)
    const stop = () => {
      message.off("data", onData).off("end", onEnd).off("error", onLost).off("close", onLost)
    }
    const finish = (result: Effect.Effect<Uint8Array, Refused>) => {
      stop()
      resume(result)
    }
    const onData = (chunk: Buffer) => {
      const tooLarge = body.add(chunk)
      if (tooLarge === undefined) return
      message.pause()
      finish(Effect.fail(tooLarge))
    }
    const onEnd = () => finish(Effect.succeed(body.whole()))
    const onLost = () =>
      finish(Effect.fail(refused(400, "The body ended before all of it was received.", { close: true })))
    if (message.readableEnded) return finish(Effect.succeed(new Uint8Array()))
    message.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost)
    return Effect.sync(stop)
  })

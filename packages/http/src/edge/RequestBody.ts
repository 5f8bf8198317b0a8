import type { IncomingMessage } from "node:http"
import { decodeUtf8, parseJsonBytes } from "@lists-and-things/domain/json/JsonText"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { refused, type Refused } from "@lists-and-things/web/ErrorAnswers"
import {
  BodyBytes,
  checkLength,
  checkMarkdown,
  incomplete,
  isTooLong,
  jsonRefusal,
  maxBodyBytes,
  notJson,
  tooLarge
} from "@lists-and-things/web/RequestBody"
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Node's request behind Effect's. */
export const nodeRequest = (request: HttpServerRequest.HttpServerRequest): IncomingMessage =>
  request.source as IncomingMessage

/** The body as JSON, of at most `max` bytes; an empty or blank body counts as missing. */
export const readJson = (
  request: HttpServerRequest.HttpServerRequest,
  max = maxBodyBytes,
  refusal: () => Refused = notJson
): Effect.Effect<unknown, Refused | InvalidInput> => {
  const message = nodeRequest(request)
  const { headers } = message
  if (isTooLong(headers, max)) return Effect.fail(tooLarge(max))
  const refused = hasBody(message) ? jsonRefusal(headers, refusal) : undefined
  if (refused !== undefined) return Effect.fail(refused)
  return Effect.flatMap(readBytes(message, max), (bytes) => parseJsonBytes(bytes))
}

/** The JSON body of a request to an operation that takes none; undefined if there is no body, or only white space. */
export const readUnasked = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<unknown, Refused | InvalidInput> => {
  const message = nodeRequest(request)
  if (!hasBody(message)) return Effect.undefined
  if (isTooLong(message.headers)) return Effect.fail(tooLarge())
  return Effect.flatMap(readBytes(message, maxBodyBytes), (bytes): Effect.Effect<unknown, Refused | InvalidInput> => {
    if (bytes.every((byte) => byte <= space)) return Effect.undefined
    const refusal = jsonRefusal(message.headers, noBody)
    return refusal === undefined ? parseJsonBytes(bytes) : Effect.fail(refusal)
  })
}

const space = 0x20

const noBody = () => refused(415, "This operation takes no body: leave it out.")

/** A markdown body as text; a blank one counts as missing. */
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

/** Reads a body. Once it exceeds `max` bytes, or the memory budget, what was read is released at once. */
export const readBytes = (message: IncomingMessage, max: number): Effect.Effect<Uint8Array, Refused> =>
  Effect.flatMap(Effect.serviceOption(Caller), (caller) =>
    received(message, new BodyBytes(max, Option.getOrUndefined(caller)?.account.id))
  )

const received = (message: IncomingMessage, body: BodyBytes): Effect.Effect<Uint8Array, Refused> =>
  Effect.callback((resume) => {
    let hasEnded = false
    const stop = () => {
      body.release()
      message.off("data", onData).off("end", onEnd).off("error", onLost).off("close", onLost)
    }
    const onData = (chunk: Buffer) => {
      const refusal = body.add(chunk)
      if (refusal === undefined) return
      message.pause()
      stop()
      resume(Effect.fail(refusal))
    }
    // Listeners are not removed here: they go with the request, and removing them costs as much as the rest of this
    // function.
    const onEnd = () => {
      hasEnded = true
      resume(Effect.succeed(body.whole()))
    }
    const onLost = () => {
      body.release()
      if (!hasEnded) resume(Effect.fail(incomplete()))
    }
    if (message.readableEnded) return resume(Effect.succeed(new Uint8Array()))
    message.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost)
    return Effect.sync(stop)
  })

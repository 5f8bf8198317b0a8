import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { refused, type Refused } from "./HttpErrors.ts"
import { parseJsonBytes } from "@lists-and-things/domain/json/JsonText"

/** Largest request body in bytes, inclusive (docs/decisions.md#caps). */
export const maxBodyBytes = 10 * 1024 * 1024

/** Largest body in bytes, inclusive, of a request without a key: a registration or a form. */
export const maxStrangerBytes = 64 * 1024

const sizeOf = (bytes: number): string => (bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`)

const tooLarge = (most: number) => refused(413, `The body is larger than ${sizeOf(most)}.`, { close: true })

/** Node's request behind Effect's. */
export const nodeRequest = (request: HttpServerRequest.HttpServerRequest): IncomingMessage =>
  request.source as IncomingMessage

/** Refuses a body whose `Content-Length` exceeds the cap, before any of it is read. */
export const checkLength = (message: IncomingMessage, most = maxBodyBytes): Effect.Effect<void, Refused> =>
  Number(message.headers["content-length"] ?? 0) > most ? Effect.fail(tooLarge(most)) : Effect.void

/** The body as JSON, of at most the given bytes; an empty body or white space alone counts as missing. */
export const readJson = (
  request: HttpServerRequest.HttpServerRequest,
  most = maxBodyBytes
): Effect.Effect<unknown, Refused | InvalidInput> => {
  const message = nodeRequest(request)
  return checkLength(message, most).pipe(
    Effect.andThen(checkForm(message)),
    Effect.andThen(readBytes(message, most)),
    Effect.flatMap((bytes) => parseJsonBytes(bytes))
  )
}

const hasBody = (message: IncomingMessage): boolean =>
  message.headers["transfer-encoding"] !== undefined || Number(message.headers["content-length"] ?? 0) > 0

const checkForm = (message: IncomingMessage): Effect.Effect<void, Refused> => {
  if (!hasBody(message)) return Effect.void
  const encoding = message.headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  if (encoding !== "identity" && encoding !== "") {
    return Effect.fail(
      refused(415, "The body must not be compressed: send it without Content-Encoding.", { close: true })
    )
  }
  return isJson(message.headers["content-type"])
    ? Effect.void
    : Effect.fail(refused(415, "The body must be JSON: send it with Content-Type: application/json."))
}

/** A request without `Content-Type` is taken to be JSON. */
const isJson = (contentType: string | undefined): boolean => {
  if (contentType === undefined) return true
  const [type = "", ...parameters] = contentType
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length)
  const utf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  return utf8 && (type === "application/json" || /^application\/[a-z0-9.!#$&^_-]+\+json$/.test(type))
}

/** Once a body exceeds `most` bytes, what was read of it is released at once. */
export const readBytes = (message: IncomingMessage, most: number): Effect.Effect<Uint8Array, Refused> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    const stop = () => {
      message.off("data", onData).off("end", onEnd).off("error", onLost).off("close", onLost)
    }
    const finish = (result: Effect.Effect<Uint8Array, Refused>) => {
      stop()
      resume(result)
    }
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= most) return void chunks.push(chunk)
      message.pause()
      finish(Effect.fail(tooLarge(most)))
    }
    const onEnd = () => finish(Effect.succeed(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    const onLost = () =>
      finish(Effect.fail(refused(400, "The body ended before all of it was received.", { close: true })))
    if (message.readableEnded) return finish(Effect.succeed(new Uint8Array()))
    message.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost)
    return Effect.sync(stop)
  })

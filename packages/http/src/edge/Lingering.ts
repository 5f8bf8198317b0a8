import type { IncomingMessage } from "node:http"
import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as HttpBody from "effect/http/HttpBody"

/** How long, and how much of, what a client still sends is thrown away before its connection is closed. */
const lingerMillis = 2_000
const lingerBytes = 64 * 1024 * 1024

/** So little of a body is dropped by Node itself, and the connection can be used again. */
const smallBytes = 64 * 1024

/** Whether an answer ends its connection: where it says so, and where more of the request is to come than a little. */
export const mustClose = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): boolean => {
  if (response.headers["connection"] === "close") return true
  const { complete, headers } = request.source as IncomingMessage
  if (complete) return false
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > smallBytes
}

/**
 * Answers although not all of the body was read and closes the connection, without losing the answer: closing a
 * socket that has unread bytes resets it, and the client never sees why. So the answer is sent first, and the rest of
 * the body is read and dropped for a moment.
 */
export const closing = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const closed = HttpServerResponse.setHeader(response, "connection", "close")
  const rest = Stream.fromEffect(drain(request.source as IncomingMessage)).pipe(Stream.flatMap(() => Stream.empty))
  const sent = sentOf(response.body)
  return sent === undefined
    ? closed
    : HttpServerResponse.setBody(
        closed,
        HttpBody.stream(Stream.concat(sent.stream, rest), sent.contentType, sent.contentLength)
      )
}

interface Sent {
  readonly stream: Stream.Stream<Uint8Array, unknown>
  readonly contentType?: string | undefined
  readonly contentLength?: number | undefined
}

/** Undefined for bodies that none of ours has. */
const sentOf = (body: HttpBody.HttpBody): Sent | undefined => {
  switch (body._tag) {
    case "Empty":
      return { stream: Stream.empty, contentLength: 0 }
    case "Uint8Array":
      return { stream: Stream.make(body.body), contentType: body.contentType, contentLength: body.contentLength }
    case "Stream":
      return body
    default:
      return undefined
  }
}

const drain = (message: IncomingMessage): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    let bytes = 0
    const done = () => {
      message.off("data", onData).off("end", done).off("close", done).off("error", done)
      resume(Effect.void)
    }
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > lingerBytes) done()
    }
    if (message.readableEnded || message.destroyed) return done()
    message.on("data", onData).on("end", done).on("close", done).on("error", done)
    message.resume()
    return Effect.sync(done)
  }).pipe(Effect.timeoutOption(lingerMillis), Effect.asVoid)

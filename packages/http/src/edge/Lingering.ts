import type { IncomingMessage } from "node:http"
import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as HttpBody from "effect/http/HttpBody"

/** Time and bytes for which input is discarded before the connection is closed. */
const lingerMillis = 2_000
const lingerBytes = 64 * 1024 * 1024

/** Node discards a remaining body up to this size itself, and the connection can be reused. */
const smallBytes = 64 * 1024

/** Whether the connection closes after the answer: if the answer says so, or if much of the request is still unread. */
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
 * Lingering close: answers before the whole body was read and closes the connection without losing the answer.
 * Closing a socket with unread bytes resets it and the client may never see the answer, so the answer is sent first
 * and the rest of the body is read and discarded for a moment.
 */
export const withLingeringClose = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const closed = HttpServerResponse.setHeader(response, "connection", "close")
  const rest = Stream.fromEffect(drain(request.source as IncomingMessage)).pipe(Stream.flatMap(() => Stream.empty))
  const sent = streamOf(response.body)
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

/** Undefined for kinds of bodies that this host never sends. */
const streamOf = (body: HttpBody.HttpBody): Sent | undefined => {
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

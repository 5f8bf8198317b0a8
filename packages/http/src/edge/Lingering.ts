import type { IncomingMessage } from "node:http"
import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

/** How long, and how much of, what a client still sends is thrown away before its connection is closed. */
const lingerMillis = 2_000
const lingerBytes = 64 * 1024 * 1024

/**
 * Answers before the body was read and closes the connection, without losing the answer: closing a socket that has
 * unread bytes resets it, and the client never sees why. So the answer is sent first, and the rest of the body is
 * read and dropped for a moment.
 */
export const lingering = (
  request: HttpServerRequest.HttpServerRequest,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => {
  const bytes = new TextEncoder().encode(body)
  const rest = Stream.fromEffect(drain(request.source as IncomingMessage)).pipe(Stream.flatMap(() => Stream.empty))
  return HttpServerResponse.stream(Stream.concat(Stream.make(bytes), rest), {
    status,
    contentType: "application/json",
    contentLength: bytes.length,
    headers: { ...headers, connection: "close" }
  })
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

import type { ServerResponse } from "node:http"
import { Effect, Latch, Stream } from "effect"
import { Cookies, type HttpServerResponse } from "effect/http"
import { rateLimitHeaders } from "@lists-and-things/web/HttpHeaders"
import type { NodeRequest } from "./NodeRequest.ts"

/** Bytes from which a body is written from its buffer: text would be copied for each client that reads slowly. */
const sharedBytes = 64 * 1024

/**
 * Writes an answer with a small body at once. For one with a stream, returns the effect that writes the body as fast as
 * the client reads.
 */
export const writeAnswer = (
  request: NodeRequest,
  answer: HttpServerResponse.HttpServerResponse
): Effect.Effect<void> | undefined => {
  const { method, response: node } = request
  if (node.writableEnded) return undefined
  const { body } = answer
  node.writeHead(answer.status, answer.statusText, headersOf(request, answer))
  if (method === "HEAD" || body._tag === "Empty") node.end()
  else if (body._tag === "Uint8Array") node.end(body.contentLength < sharedBytes ? (body.text ?? body.body) : body.body)
  else if (body._tag === "Stream") {
    if (body.contentType.startsWith("text/event-stream")) request.hasWaited = true
    return writeStream(node, body.stream)
  } else return Effect.die(new Error(`This server writes no body of the kind ${body._tag}`))
  return undefined
}

/**
 * Header names and values in alternation. `nosniff` keeps browsers from sniffing another type than the declared one. An
 * answer that does not allow caching is private, so no browser or proxy may store it.
 */
const headersOf = (
  { id, limits }: NodeRequest,
  { cookies, headers }: HttpServerResponse.HttpServerResponse
): Array<string> => {
  const flat = ["x-content-type-options", "nosniff"]
  if (id !== undefined) flat.push("x-request-id", id)
  for (const name of Object.keys(headers)) flat.push(name, headers[name]!)
  if (headers["cache-control"] === undefined) flat.push("cache-control", "no-store")
  if (limits !== undefined) for (const [name, value] of Object.entries(rateLimitHeaders(limits))) flat.push(name, value)
  if (!Cookies.isEmpty(cookies))
    for (const cookie of Cookies.toSetCookieHeaders(cookies)) flat.push("set-cookie", cookie)
  return flat
}

const writeStream = (node: ServerResponse, stream: Stream.Stream<Uint8Array, unknown>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const drained = Latch.makeUnsafe()
    node.on("drain", () => drained.openUnsafe())
    const write = (chunks: ReadonlyArray<Uint8Array>) => {
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      if (node.write(bytes)) return Effect.void
      drained.closeUnsafe()
      return drained.await
    }
    return Stream.runForEachArray(Stream.orDie(stream), write).pipe(
      Effect.interruptible,
      // The client must not take the part sent so far for the whole.
      Effect.onError(() => Effect.sync(() => node.destroy())),
      Effect.andThen(Effect.sync(() => void node.end()))
    )
  })

import type { ServerResponse } from "node:http"
import { Effect, Latch, Stream } from "effect"
import { Cookies, type HttpServerResponse } from "effect/http"
import type { NodeRequest } from "./NodeRequest.ts"

/** Writes an answer with a small body at once, and one with a stream as fast as the client reads. */
export const writeAnswer = (
  request: NodeRequest,
  answer: HttpServerResponse.HttpServerResponse
): Effect.Effect<void> => {
  const { method, response: node } = request
  if (node.writableEnded) return Effect.void
  const { body } = answer
  node.writeHead(answer.status, answer.statusText, headersOf(answer))
  if (method === "HEAD" || body._tag === "Empty") node.end()
  else if (body._tag === "Uint8Array") node.end(body.text ?? body.body)
  else if (body._tag === "Stream") {
    if (body.contentType.startsWith("text/event-stream")) request.hasWaited = true
    return writeStream(node, body.stream)
  } else return Effect.die(new Error(`This server writes no body of the kind ${body._tag}`))
  return Effect.void
}

const headersOf = ({ cookies, headers }: HttpServerResponse.HttpServerResponse) =>
  Cookies.isEmpty(cookies) ? headers : { ...headers, "set-cookie": Cookies.toSetCookieHeaders(cookies) }

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
      // Whoever reads must not take what was sent so far for the whole.
      Effect.onError(() => Effect.sync(() => node.destroy())),
      Effect.andThen(Effect.sync(() => void node.end()))
    )
  })

import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as HttpBody from "effect/http/HttpBody"

/** From this size on, the platform waits until a body that is written in one piece has left. */
const largeBytes = 1024 * 1024
const portionBytes = 256 * 1024

/**
 * Writes a large body in portions. In one piece, a client that goes away in the middle of it would leave the request
 * waiting for ever: its end never comes, and nothing may interrupt it.
 */
export const inPortions = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array" || body.contentLength < largeBytes) return response
  const bytes = body.body
  const portions = Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / portionBytes) }, (_, n) =>
      bytes.subarray(n * portionBytes, (n + 1) * portionBytes)
    ),
    { chunkSize: 1 }
  )
  return HttpServerResponse.setBody(response, HttpBody.stream(portions, body.contentType, body.contentLength))
}

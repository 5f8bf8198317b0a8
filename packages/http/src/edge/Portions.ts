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
  const portions = Array.from({ length: Math.ceil(bytes.length / portionBytes) }, (_, n) =>
    bytes.subarray(n * portionBytes, (n + 1) * portionBytes)
  )
  return HttpServerResponse.setBody(response, bodyOf(portions, body.contentType, body.contentLength))
}

const bodyOf = (portions: ReadonlyArray<Uint8Array>, contentType: string, bytes: number) =>
  HttpBody.stream(Stream.fromIterable(portions, { chunkSize: 1 }), contentType, bytes)

/** A body that was made in portions: in one piece when it is small, else as it is. */
export const ofPortions = (
  portions: ReadonlyArray<Uint8Array>,
  contentType: string,
  status: number
): HttpServerResponse.HttpServerResponse => {
  const bytes = portions.reduce((sum, portion) => sum + portion.length, 0)
  return bytes < largeBytes
    ? HttpServerResponse.uint8Array(Buffer.concat(portions, bytes), { status, contentType })
    : HttpServerResponse.setBody(HttpServerResponse.empty({ status }), bodyOf(portions, contentType, bytes))
}

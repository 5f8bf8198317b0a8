import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as HttpBody from "effect/http/HttpBody"

/** From this size on, the platform waits until a body written in one piece is sent. */
const largeBytes = 1024 * 1024
const chunkBytes = 256 * 1024

/**
 * Writes a large body in chunks. Written in one piece, it would leave the request waiting forever when the client
 * disconnects midway: the write never completes and cannot be interrupted.
 */
export const inChunks = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array" || body.contentLength < largeBytes) return response
  const bytes = body.body
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, n) =>
    bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes)
  )
  return HttpServerResponse.setBody(response, bodyOf(chunks, body.contentType, body.contentLength))
}

const bodyOf = (chunks: ReadonlyArray<Uint8Array>, contentType: string, bytes: number) =>
  HttpBody.stream(Stream.fromIterable(chunks, { chunkSize: 1 }), contentType, bytes)

/** A body from chunks: joined when it is small, otherwise sent chunk by chunk. */
export const ofChunks = (
  chunks: ReadonlyArray<Uint8Array>,
  contentType: string,
  status: number
): HttpServerResponse.HttpServerResponse => {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return bytes < largeBytes
    ? HttpServerResponse.uint8Array(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes), {
        status,
        contentType
      })
    : HttpServerResponse.setBody(HttpServerResponse.empty({ status }), bodyOf(chunks, contentType, bytes))
}

import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as HttpBody from "effect/http/HttpBody"
import { runSteps, type Steps } from "@lists-and-things/domain/scheduling/Yielding"

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

const wholeBody = (chunks: ReadonlyArray<Uint8Array>, contentType: string): HttpBody.HttpBody => {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (bytes >= largeBytes) return bodyOf(chunks, contentType, bytes)
  return HttpBody.uint8Array(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes), contentType)
}

/** The answer with a body from chunks: joined when it is small, otherwise sent chunk by chunk. */
export const ofChunks = (
  chunks: ReadonlyArray<Uint8Array>,
  contentType: string,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => HttpServerResponse.setBody(response, wholeBody(chunks, contentType))

/** Long text that has yet to become bytes. */
class TextPieces {
  readonly pieces: ReadonlyArray<string>
  constructor(pieces: ReadonlyArray<string>) {
    this.pieces = pieces
  }
}

/** An answer with long text, which `encodedInSteps` turns into bytes. */
export const ofPieces = (
  pieces: ReadonlyArray<string>,
  options: HttpServerResponse.Options.WithContentType
): HttpServerResponse.HttpServerResponse => HttpServerResponse.raw(new TextPieces(pieces), options)

/** The pieces of an answer of `ofPieces`; undefined for any other. */
export const piecesOf = ({ body }: HttpServerResponse.HttpServerResponse): ReadonlyArray<string> | undefined =>
  body._tag === "Raw" && body.body instanceof TextPieces ? body.body.pieces : undefined

const encoder = new TextEncoder()

/** Pieces of a text as bytes; none ends within a surrogate pair. Yields after each. */
export function* encodeSteps(pieces: ReadonlyArray<string>): Steps<ReadonlyArray<Uint8Array>> {
  const chunks: Array<Uint8Array> = []
  for (const piece of pieces) {
    chunks.push(encoder.encode(piece))
    yield
  }
  return chunks
}

/** Encodes the pieces of an answer of `ofPieces`, yielding in between; any other answer is returned as it is. */
export const encodedInSteps = (
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const pieces = piecesOf(response)
  if (pieces === undefined) return Effect.succeed(response)
  return Effect.map(
    runSteps(() => encodeSteps(pieces)),
    (chunks) => ofChunks(chunks, response.headers["content-type"]!, response)
  )
}

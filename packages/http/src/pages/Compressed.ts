import { Readable } from "node:stream"
import { promisify } from "node:util"
import { brotliCompress, type BrotliOptions, constants, createGzip, gzip, gzipSync } from "node:zlib"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { Effect } from "effect"
import { HttpServerResponse, type HttpServerRequest } from "effect/http"
import { encodeSteps, ofChunks, piecesOf } from "../edge/AnswerChunks.ts"
import { notModifiedIfCurrent } from "../edge/EntityTagHeaders.ts"
import { versionOf } from "./AssetPaths.ts"

/** Bytes below which compression gains nothing: the answer is one packet anyway. */
const minBytes = 1_400

/** The level for pages: higher ones take twice the time and save a hundredth of the size, most of which is ids. */
const fast = () => ({ level: constants.Z_BEST_SPEED })

/**
 * Up to this size, compressing in the event loop takes about a millisecond, less than waiting for a thread of the pool.
 */
const maxSyncBytes = 1024 * 1024

const gzipped = (bytes: Uint8Array) => promisify(gzip)(bytes)
const brotlied = (bytes: Uint8Array, options: BrotliOptions) => promisify(brotliCompress)(bytes, options)

const accepts = (request: HttpServerRequest.HttpServerRequest, coding: string): boolean =>
  (request.headers["accept-encoding"] ?? "").split(",").some((each) => {
    const [name = "", quality = ""] = each.trim().toLowerCase().split(";")
    return name === coding && !/^\s*q=0(\.0*)?\s*$/.test(quality)
  })

/** One gzip stream, compressed outside of the event loop. */
const gzippedChunks = (chunks: ReadonlyArray<Uint8Array>): Promise<ReadonlyArray<Uint8Array>> =>
  Readable.from(chunks)
    .pipe(createGzip({ ...fast(), chunkSize: 64 * 1024 }))
    .toArray()

/** The bytes of an answer; empty for a stream, and for an answer without a body. */
const chunksIn = (response: HttpServerResponse.HttpServerResponse): Effect.Effect<ReadonlyArray<Uint8Array>> => {
  const { body } = response
  const pieces = piecesOf(response)
  if (pieces !== undefined) return runSteps(() => encodeSteps(pieces))
  return Effect.succeed(body._tag === "Uint8Array" ? [body.body] : [])
}

const encoded = (response: HttpServerResponse.HttpServerResponse, coding: string, bytes: ReadonlyArray<Uint8Array>) =>
  HttpServerResponse.setHeader(ofChunks(bytes, response.headers["content-type"]!, response), "content-encoding", coding)

const varying = HttpServerResponse.setHeader("vary", "accept-encoding")

/**
 * Compresses an answer with gzip if the client accepts it; a large one outside of the event loop. Must not be used for
 * a page with both a secret and text of the request, since its compressed size would reveal the secret.
 */
export const compressed = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
) {
  const chunks = yield* chunksIn(response)
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (bytes < minBytes) return response
  if (!accepts(request, "gzip")) return varying(ofChunks(chunks, response.headers["content-type"]!, response))
  const small =
    bytes <= maxSyncBytes
      ? [gzipSync(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes), fast())]
      : yield* Effect.promise(() => gzippedChunks(chunks))
  return varying(encoded(response, "gzip", small))
})

/**
 * A constant answer with a tag, compressed only once; 304 if the client has it. With `address`, which contains the hash
 * of the content, it is not cached for any other address: during an upgrade, a server may get the addresses of the
 * version before or after it.
 */
export const compressedOnce = Effect.fnUntraced(function* (
  made: HttpServerResponse.HttpServerResponse,
  address?: string
) {
  const { body } = made
  if (body._tag !== "Uint8Array") return () => Effect.succeed(made)
  // Weak, since it is the same for all content codings.
  const response = varying(HttpServerResponse.setHeader(made, "etag", `W/"${versionOf(body.body)}"`))
  const uncached = HttpServerResponse.setHeader(response, "cache-control", "no-store")
  const quality = body.contentLength > 500_000 ? 5 : 11
  const small = yield* Effect.cached(
    Effect.promise(async () => ({
      br: await brotlied(body.body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
      gzip: await gzipped(body.body)
    }))
  )
  return (request: HttpServerRequest.HttpServerRequest) => {
    const answer = notModifiedIfCurrent(
      request.headers,
      address === undefined || request.url === address ? response : uncached
    )
    const coding = (["br", "gzip"] as const).find((each) => accepts(request, each))
    if (answer.status === 304 || coding === undefined || body.contentLength < minBytes) return Effect.succeed(answer)
    return Effect.map(small, (all) => encoded(answer, coding, [all[coding]]))
  }
})

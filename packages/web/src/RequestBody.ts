import { MemoryBudget, type MemoryReservation } from "@lists-and-things/domain/size/MemoryBudget"
import { shownValue } from "@lists-and-things/domain/json/ShownValue"
import { Effect } from "effect"
import { refused, type Refused, retrySoon } from "./ErrorAnswers.ts"

/** Largest request body in bytes, inclusive (docs/decisions.md#caps). */
export const maxBodyBytes = 10 * 1024 * 1024

/** Largest body in bytes, inclusive, of a request without a key: a registration or a form. */
export const maxAnonymousBytes = 64 * 1024

/** Maximum bytes of all bodies that a process is receiving; bodies up to `maxAnonymousBytes` are not counted. */
export const maxReceivingBytes = 256 * 1024 * 1024

/** The headers that describe a body; names in lower case. */
export interface BodyHeaders {
  readonly "content-length"?: string | undefined
  readonly "content-type"?: string | undefined
  readonly "content-encoding"?: string | undefined
  readonly "transfer-encoding"?: string | undefined
}

/** A size for messages; `bytes` must be a whole number of MiB, or of KiB below that. */
export const sizeText = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`

/** 413 for a body of more than `max` bytes; closes the connection. */
export const tooLarge = (max: number = maxBodyBytes) =>
  refused(413, `The body is larger than ${sizeText(max)}.`, { close: true })

/** 400 for a body whose sender has gone; closes the connection. */
export const incomplete = () => refused(400, "The body ended before all of it was received.", { close: true })

/** Whether the `Content-Length` exceeds the cap. */
export const isTooLong = (headers: BodyHeaders, max = maxBodyBytes): boolean =>
  Number(headers["content-length"] ?? 0) > max

/** Refuses a body whose `Content-Length` exceeds the cap, before any of it is read. */
export const checkLength = (headers: BodyHeaders, max = maxBodyBytes): Effect.Effect<void, Refused> =>
  isTooLong(headers, max) ? Effect.fail(tooLarge(max)) : Effect.void

/** The refusal of a compressed body (docs/decisions.md#text). */
const encodingRefusal = (headers: BodyHeaders): Refused | undefined => {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  const transfer = headers["transfer-encoding"]?.trim().toLowerCase() ?? "chunked"
  if (transfer !== "chunked")
    return refused(415, "The body must not be compressed on its way: the only Transfer-Encoding is chunked.", {
      close: true
    })
  return encoding === "identity" || encoding === ""
    ? undefined
    : refused(415, "The body must not be compressed: send it without Content-Encoding.", { close: true })
}

/** Refuses a compressed body. */
export const checkEncoding = (headers: BodyHeaders): Effect.Effect<void, Refused> => {
  const refusal = encodingRefusal(headers)
  return refusal === undefined ? Effect.void : Effect.fail(refusal)
}

export const notJson = () => refused(415, "The body must be JSON: send it with Content-Type: application/json.")

export const notJsonOrMarkdown = () =>
  refused(
    415,
    "The body must be JSON or markdown: send it with Content-Type: application/json, or with Content-Type: text/markdown."
  )

/**
 * The refusal of a body that is compressed or not JSON in UTF-8; `refusal` makes the one for another type. A body
 * without `Content-Type` is taken to be JSON.
 */
export const jsonRefusal = (headers: BodyHeaders, refusal: () => Refused): Refused | undefined => {
  const encoded = encodingRefusal(headers)
  const header = headers["content-type"]
  if (encoded !== undefined || header === undefined || header === "application/json") return encoded
  const of = contentTypeOf(header)
  return isJson(of) ? charsetRefusal(of, "application/json") : refusal()
}

/** Refuses a body that is compressed or declared as something other than JSON in UTF-8. */
export const checkJson = (headers: BodyHeaders): Effect.Effect<void, Refused> => {
  const refusal = jsonRefusal(headers, notJson)
  return refusal === undefined ? Effect.void : Effect.fail(refusal)
}

/** The media type of a body that is a document. */
export const markdownType = "text/markdown"

/** Whether a body is declared as markdown. */
export const isMarkdown = (headers: BodyHeaders): boolean =>
  contentTypeOf(headers["content-type"] ?? "").type === markdownType

/** Refuses a body of markdown that is compressed or not in UTF-8. */
export const checkMarkdown = (headers: BodyHeaders): Effect.Effect<void, Refused> => {
  const refusal = encodingRefusal(headers) ?? charsetRefusal(contentTypeOf(headers["content-type"] ?? ""), markdownType)
  return refusal === undefined ? Effect.void : Effect.fail(refusal)
}

interface ContentType {
  readonly type: string
  readonly charset: string | undefined
}

const contentTypeOf = (header: string): ContentType => {
  const [type = "", ...parameters] = header
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length)
  return { type, charset: charset?.replace(/^"(.*)"$/, "$1") }
}

/** The refusal of a charset other than UTF-8 and its subset ASCII. */
const charsetRefusal = ({ charset }: ContentType, type: string): Refused | undefined =>
  charset === undefined || /^(utf-?8|us-ascii)$/.test(charset)
    ? undefined
    : refused(
        415,
        `The body must be in UTF-8, not in ${shownValue(charset)}: send it with Content-Type: ${type}; charset=utf-8.`
      )

const isJson = ({ type }: ContentType): boolean =>
  type === "application/json" || /^application\/[a-z0-9.!#$&^_-]+\+json$/.test(type)

const tooManyBodies = () =>
  refused(503, "The server is receiving too many large bodies at once: repeat this request in a moment.", {
    headers: retrySoon,
    close: true
  })

const receiving = new MemoryBudget(maxReceivingBytes)

/**
 * Collects the bytes of a body as they arrive, up to `max`. The owner must end it with `whole` or `release`, unless
 * `add` returned a refusal.
 */
export class BodyBytes {
  readonly #max: number
  readonly #owner: string
  #chunks: Array<Uint8Array> = []
  #length = 0
  #reservation: MemoryReservation | undefined

  /** `owner` is the account that sends the body, among which the memory is shared out. */
  constructor(max = maxBodyBytes, owner = "") {
    this.#max = max
    this.#owner = owner
  }

  /** Returns a refusal if the body is too large or there is no memory for it; what was read is then released. */
  add(chunk: Uint8Array): Refused | undefined {
    this.#length += chunk.length
    this.#chunks.push(chunk)
    const refusal = this.#length > this.#max ? tooLarge(this.#max) : this.#hasRoom() ? undefined : tooManyBodies()
    if (refusal !== undefined) this.release()
    return refusal
  }

  /** The complete body. Can be called once, since it releases the bytes. */
  whole(): Uint8Array {
    const chunks = this.#chunks
    this.release()
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  }

  /** Releases the bytes and their memory reservation. */
  release(): void {
    this.#reservation?.end()
    this.#chunks = []
  }

  #hasRoom(): boolean {
    if (this.#length <= maxAnonymousBytes) return true
    this.#reservation ??= receiving.reserve(this.#owner)
    return this.#reservation.resize(this.#length)
  }
}

import { Effect } from "effect"
import { refused, type Refused } from "./ErrorAnswers.ts"

/** Largest request body in bytes, inclusive (docs/decisions.md#caps). */
export const maxBodyBytes = 10 * 1024 * 1024

/** Largest body in bytes, inclusive, of a request without a key: a registration or a form. */
export const maxStrangerBytes = 64 * 1024

/** The headers that say what a body is, by their names in lower case. */
export interface BodyHeaders {
  readonly "content-length"?: string | undefined
  readonly "content-type"?: string | undefined
  readonly "content-encoding"?: string | undefined
}

const sizeOf = (bytes: number): string => (bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`)

export const tooLarge = (most: number = maxBodyBytes) =>
  refused(413, `The body is larger than ${sizeOf(most)}.`, { close: true })

/** Refuses a body whose `Content-Length` exceeds the cap, before any of it is read. */
export const checkLength = (headers: BodyHeaders, most = maxBodyBytes): Effect.Effect<void, Refused> =>
  Number(headers["content-length"] ?? 0) > most ? Effect.fail(tooLarge(most)) : Effect.void

/** Refuses a compressed body (docs/decisions.md#text). */
export const checkEncoding = (headers: BodyHeaders): Effect.Effect<void, Refused> => {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  return encoding === "identity" || encoding === ""
    ? Effect.void
    : Effect.fail(refused(415, "The body must not be compressed: send it without Content-Encoding.", { close: true }))
}

export const notJson = () => refused(415, "The body must be JSON: send it with Content-Type: application/json.")

/** Refuses a body that is compressed or declared as something other than JSON in UTF-8. */
export const checkJson = (headers: BodyHeaders): Effect.Effect<void, Refused> =>
  Effect.andThen(checkEncoding(headers), isJson(headers["content-type"]) ? Effect.void : Effect.fail(notJson()))

/** A request without `Content-Type` is taken to be JSON. */
const isJson = (contentType: string | undefined): boolean => {
  if (contentType === undefined) return true
  const [type = "", ...parameters] = contentType
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length)
  const utf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  return utf8 && (type === "application/json" || /^application\/[a-z0-9.!#$&^_-]+\+json$/.test(type))
}

/** The bytes of a body as they arrive, at most `most` of them. */
export class BodyBytes {
  readonly #most: number
  #chunks: Array<Uint8Array> = []
  #length = 0

  constructor(most = maxBodyBytes) {
    this.#most = most
  }

  /** The refusal of a body that is too large; what was read of it is released at once. */
  add(chunk: Uint8Array): Refused | undefined {
    this.#length += chunk.length
    if (this.#length > this.#most) {
      this.#chunks = []
      return tooLarge(this.#most)
    }
    this.#chunks.push(chunk)
    return undefined
  }

  whole(): Uint8Array {
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
  }
}

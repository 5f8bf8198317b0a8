import { isUtf8 } from "node:buffer"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { isStorable } from "@lists-and-things/domain/text/Characters"
import { refused, type Refused } from "@lists-and-things/web/ErrorAnswers"
import {
  checkEncoding,
  checkLength,
  maxBodyBytes,
  maxAnonymousBytes,
  sizeText
} from "@lists-and-things/web/RequestBody"
import { nodeRequest, readBytes } from "./RequestBody.ts"

/** Well above the number of fields in any of our forms. */
const maxFields = 100

/** Bytes of a part's delimiter and headers, at most. */
const maxPartHeaders = 8 * 1024

/** Characters of a boundary (RFC 2046, section 5.1.1). The search for a longer one can take minutes. */
const maxBoundary = 70

const ampersand = 0x26

const typeOf = (contentType: string | undefined): string => contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** Suffix of the field with a file's name: the text of a file is in the field `file`, and its name in `file.name`. */
export const fileNameEnding = ".name"

/** The fields of a posted form, of at most 64 KiB. Invalid UTF-8 is refused, as in JSON. */
export const readForm = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<URLSearchParams, Refused | InvalidInput> => {
  const message = nodeRequest(request)
  if (typeOf(message.headers["content-type"]) !== "application/x-www-form-urlencoded") {
    return Effect.fail(refused(415, "The body must be a form: Content-Type: application/x-www-form-urlencoded."))
  }
  return checkEncoding(message.headers).pipe(
    Effect.andThen(checkLength(message.headers, maxAnonymousBytes)),
    Effect.andThen(readBytes(message, maxAnonymousBytes)),
    Effect.flatMap(parseForm)
  )
}

/**
 * Like `readForm`, but also accepts `multipart/form-data` with long texts and files, as text. The limit is 10 MiB for a
 * signed-in person and 64 KiB for anybody else; the refusal of a larger form is worded for a person.
 */
export const readLargeForm = (
  request: HttpServerRequest.HttpServerRequest,
  isSignedIn = true
): Effect.Effect<URLSearchParams, Refused | InvalidInput> => {
  const message = nodeRequest(request)
  const contentType = message.headers["content-type"] ?? ""
  if (typeOf(contentType) !== "multipart/form-data") return readForm(request)
  const max = isSignedIn ? maxBodyBytes : maxAnonymousBytes
  return checkEncoding(message.headers).pipe(
    Effect.andThen(checkLength(message.headers, max)),
    Effect.andThen(readBytes(message, max)),
    Effect.mapError((error) => (error.status === 413 ? tooMuch(max) : error)),
    Effect.flatMap((bytes) => parseMultipart(bytes, contentType))
  )
}

const tooMuch = (max: number): Refused =>
  refused(
    413,
    `What you sent is larger than ${sizeText(max)}, and nothing was changed: go back, and send it in parts.`,
    {
      close: true
    }
  )

/**
 * Node parses all parts in one event-loop turn, so their number and the size of their headers are limited first. Their
 * texts may be of any length.
 */
const parseMultipart = (bytes: Uint8Array, contentType: string): Effect.Effect<URLSearchParams, InvalidInput> => {
  const boundary = boundaryOf(contentType)
  const parts = boundary === undefined ? undefined : partsOf(bytes, boundary)
  if (parts === undefined) return malformed
  if (parts > maxFields) return problem(`must have at most ${maxFields} fields`)
  if (!isUtf8(bytes)) return notText
  return Effect.tryPromise(async () => {
    const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` }
    const form = await new Response(new Uint8Array(bytes), { headers }).formData()
    const fields = new URLSearchParams()
    for (const [name, value] of form) {
      if (typeof value === "string") fields.append(name, value)
      else {
        fields.append(name, await value.text())
        fields.append(`${name}${fileNameEnding}`, value.name)
      }
    }
    return fields
  }).pipe(
    Effect.catch(() => malformed),
    Effect.flatMap((fields) => checked(fields, notText))
  )
}

/** Undefined where it is absent or too long. */
const boundaryOf = (contentType: string): string | undefined => {
  const [, quoted, plain] = /; *boundary=(?:"([^"\\]+)"|([^\s";]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  return boundary !== undefined && boundary.length <= maxBoundary ? boundary : undefined
}

/** The number of parts, or one more than is allowed; undefined if a part has long headers or the body has no end. */
const partsOf = (bytes: Uint8Array, boundary: string): number | undefined => {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const delimiter = `--${boundary}`
  let parts = 0
  for (let at = body.indexOf(delimiter); at !== -1; parts++) {
    const headers = body.subarray(at + delimiter.length, at + maxPartHeaders)
    if (parts > maxFields || headers.indexOf("--") === 0) return parts
    if (!headers.includes("\r\n\r\n")) return undefined
    at = body.indexOf(`\r\n${delimiter}`, at + delimiter.length)
    if (at !== -1) at += 2
  }
  return undefined
}

const problem = (reason: string) => Effect.fail(new InvalidInput({ field: "The form", reason }))

const malformed = problem("must be well-formed multipart/form-data")

const undecodable = problem("must be valid UTF-8 without U+0000")

/** Like `undecodable`, but worded for a person: only a file causes it in a browser. */
const notText = Effect.fail(
  new InvalidInput({
    field: "",
    reason:
      "The file must be valid UTF-8 text, and nothing was changed: go back, and choose one that is saved as UTF-8."
  })
)

const parseForm = (bytes: Uint8Array): Effect.Effect<URLSearchParams, InvalidInput> => {
  const fieldCount = bytes.reduce((count, byte) => (byte === ampersand ? count + 1 : count), 1)
  if (fieldCount > maxFields) return problem(`must have at most ${maxFields} fields, not ${fieldCount}`)
  const text = new TextDecoder().decode(bytes)
  return isUtf8(bytes) && isEscapedUtf8(text) ? checked(new URLSearchParams(text)) : undecodable
}

/**
 * Whether the bytes written as `%XX` are UTF-8. Each run of them is checked, since a character is escaped as a whole.
 */
const isEscapedUtf8 = (text: string): boolean =>
  (text.match(/(?:%[0-9a-f]{2})+/gi) ?? []).every((run) => isUtf8(Buffer.from(run.replaceAll("%", ""), "hex")))

const checked = (fields: URLSearchParams, unstorable = undecodable): Effect.Effect<URLSearchParams, InvalidInput> => {
  if (fields.size > maxFields) return problem(`must have at most ${maxFields} fields, not ${fields.size}`)
  return [...fields].flat().every(isStorable) ? Effect.succeed(fields) : unstorable
}

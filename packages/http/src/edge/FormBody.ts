import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { isStorable } from "@lists-and-things/domain/text/Characters"
import { refused, type Refused } from "@lists-and-things/web/ErrorAnswers"
import { checkEncoding, checkLength, maxStrangerBytes } from "@lists-and-things/web/RequestBody"
import { nodeRequest, readBytes } from "./RequestBody.ts"

/** Well above the number of fields in any of our forms. */
const maxFields = 100

const ampersand = 0x26

const isForm = (contentType: string | undefined): boolean =>
  contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded"

/** The fields of a posted form, of at most 64 KiB. Invalid UTF-8 is refused, as in JSON. */
export const readForm = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<URLSearchParams, Refused | InvalidInput> => {
  const message = nodeRequest(request)
  if (!isForm(message.headers["content-type"])) {
    return Effect.fail(refused(415, "The body must be a form: Content-Type: application/x-www-form-urlencoded."))
  }
  return checkEncoding(message.headers).pipe(
    Effect.andThen(checkLength(message.headers, maxStrangerBytes)),
    Effect.andThen(readBytes(message, maxStrangerBytes)),
    Effect.flatMap(parseForm)
  )
}

const problem = (reason: string) => Effect.fail(new InvalidInput({ field: "The form", reason }))

const parseForm = (bytes: Uint8Array): Effect.Effect<URLSearchParams, InvalidInput> => {
  const fieldCount = bytes.reduce((count, byte) => (byte === ampersand ? count + 1 : count), 1)
  if (fieldCount > maxFields) return problem(`must have at most ${maxFields} fields, not ${fieldCount}`)
  const fields = new URLSearchParams(new TextDecoder().decode(bytes))
  return [...fields].flat().every((text) => isStorable(text) && !text.includes("\ufffd"))
    ? Effect.succeed(fields)
    : problem("must be valid UTF-8 without U+0000")
}

import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { InvalidInput } from "@lists-and-things/domain/Errors"
import { isStorable } from "@lists-and-things/domain/json/Characters"
import { refused, type Refused } from "./HttpErrors.ts"
import { nodeRequest, readBytes } from "./RequestBody.ts"

/** Bytes of a form; the longest field of ours is far below. */
const maxFormBytes = 64 * 1024

const tooLarge = () => refused(413, "The form is larger than 64 KiB.", { close: true })

const isForm = (contentType: string | undefined): boolean =>
  contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded"

/** The fields of a posted form. Invalid UTF-8 is refused, as in JSON. */
export const readForm = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<URLSearchParams, Refused | InvalidInput> => {
  const message = nodeRequest(request)
  if (!isForm(message.headers["content-type"])) {
    return Effect.fail(refused(415, "The body must be a form: Content-Type: application/x-www-form-urlencoded."))
  }
  const encoding = message.headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  if (encoding !== "identity" && encoding !== "")
    return Effect.fail(refused(415, "The body must not be compressed: send it without Content-Encoding."))
  if (Number(message.headers["content-length"] ?? 0) > maxFormBytes) return Effect.fail(tooLarge())
  return Effect.flatMap(readBytes(message), parseForm)
}

const parseForm = (bytes: Uint8Array): Effect.Effect<URLSearchParams, Refused | InvalidInput> => {
  if (bytes.length > maxFormBytes) return Effect.fail(tooLarge())
  const fields = new URLSearchParams(new TextDecoder().decode(bytes))
  return [...fields].flat().every((text) => isStorable(text) && !text.includes("\ufffd"))
    ? Effect.succeed(fields)
    : Effect.fail(new InvalidInput({ field: "The form", reason: "must be valid UTF-8 without U+0000" }))
}

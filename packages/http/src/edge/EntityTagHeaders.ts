import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { shownValue } from "@lists-and-things/domain/json/ShownValue"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { ExpectedTags } from "@lists-and-things/domain/preconditions/Preconditions"

type Headers = Readonly<Record<string, string | undefined>>

const entityTag = /(?:W\/)?"[\u0021\u0023-\u007e\u0080-\u00ff]*"/.source
const tagList = new RegExp(`^[\\t ,]*${entityTag}(?:[\\t ]*,[\\t ,]*${entityTag})*[\\t ,]*$`)

/** The entity tags of a header (RFC 9110, section 8.8.3); undefined when it is malformed. */
const parseTags = (header: string): ExpectedTags | undefined => {
  if (header.trim() === "*") return "*"
  return tagList.test(header) ? header.match(new RegExp(entityTag, "g"))! : undefined
}

/** The tags of `If-Match`; undefined without that header. */
export const expectedBy = (headers: Headers): Effect.Effect<ExpectedTags | undefined, InvalidInput> => {
  const given = headers["if-match"]
  if (given === undefined) return Effect.succeed(undefined)
  const expected = parseTags(given)
  if (expected !== undefined) return Effect.succeed(expected)
  return Effect.fail(
    new InvalidInput({
      field: "If-Match",
      reason: "must be * or entity tags in quotation marks",
      sent: shownValue(given),
      example: '"5Xn_wQc0mavlJxkEtNgElA"'
    })
  )
}

const opaque = (tag: string): string => tag.replace(/^W\//, "")

/** Whether `If-None-Match` has this tag by weak comparison. A malformed header matches nothing. */
export const isCurrent = (headers: Headers, tag: string): boolean => {
  const given = headers["if-none-match"]
  const seen = given === undefined ? undefined : parseTags(given)
  return seen === "*" || (seen?.some((each) => opaque(each) === opaque(tag)) ?? false)
}

/** 304 with the entity tag that the client has, in quotes as in the header. */
export const notModified = (etag: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 304, headers: { etag } })

export const withTag = (
  response: HttpServerResponse.HttpServerResponse,
  tag: string | undefined
): HttpServerResponse.HttpServerResponse =>
  tag === undefined ? response : HttpServerResponse.setHeader(response, "etag", tag)

/** Headers that a 304 repeats from the full answer (RFC 9110, section 15.4.5). */
const repeated = ["etag", "cache-control", "vary"]

/** The answer, or 304 if the client has it already. */
export const notModifiedIfCurrent = (
  headers: Headers,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { etag } = response.headers
  if (etag === undefined || !isCurrent(headers, etag)) return response
  const kept = Object.entries(response.headers).filter(([name]) => repeated.includes(name))
  return HttpServerResponse.empty({ status: 304, headers: Object.fromEntries(kept) })
}

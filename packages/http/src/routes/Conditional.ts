import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { KeyedWrite } from "@lists-and-things/domain/ports/IdempotencyStore"
import type { ExpectedTags } from "@lists-and-things/domain/preconditions/Preconditions"

type Headers = Readonly<Record<string, string | undefined>>

/** An answer with the entity tag that the `GET` of what it shows has now. */
export class Tagged<A> {
  readonly value: A
  readonly tag: string | undefined

  constructor(value: A, tag: string | undefined) {
    this.value = value
    this.tag = tag
  }
}

/** A write under a key, whose record has the body of the answer. */
export const answering = <A>(keyed: KeyedWrite, bodyOf: (written: A) => object) => ({
  ...keyed,
  answerOf: (written: A) => JSON.stringify(bodyOf(written))
})

export const untagged = (answer: unknown): Tagged<unknown> =>
  answer instanceof Tagged ? answer : new Tagged(answer, undefined)

const entityTag = /(?:W\/)?"[\u0021\u0023-\u007e\u0080-\u00ff]*"/.source
const tagList = new RegExp(`^[\\t ,]*${entityTag}(?:[\\t ]*,[\\t ,]*${entityTag})*[\\t ,]*$`)

/** The entity tags of a header (RFC 9110, section 8.8.3); undefined when it is malformed. */
const parseTags = (header: string): ExpectedTags | undefined => {
  if (header.trim() === "*") return "*"
  return tagList.test(header) ? header.match(new RegExp(entityTag, "g"))! : undefined
}

/** `If-Match`; undefined where there is none. */
export const expectedBy = (headers: Headers): Effect.Effect<ExpectedTags | undefined, InvalidInput> => {
  const given = headers["if-match"]
  if (given === undefined) return Effect.succeed(undefined)
  const expected = parseTags(given)
  if (expected !== undefined) return Effect.succeed(expected)
  return Effect.fail(new InvalidInput({ field: "If-Match", reason: 'must be * or entity tags such as "an-etag"' }))
}

const opaque = (tag: string): string => tag.replace(/^W\//, "")

/** Whether `If-None-Match` has this tag, weakly compared. A malformed header has none. */
export const isCurrent = (headers: Headers, tag: string): boolean => {
  const given = headers["if-none-match"]
  const seen = given === undefined ? undefined : parseTags(given)
  return seen === "*" || (seen?.some((each) => opaque(each) === opaque(tag)) ?? false)
}

export const notModified = (etag: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 304, headers: { etag } })

export const withTag = (
  response: HttpServerResponse.HttpServerResponse,
  tag: string | undefined
): HttpServerResponse.HttpServerResponse =>
  tag === undefined ? response : HttpServerResponse.setHeader(response, "etag", tag)

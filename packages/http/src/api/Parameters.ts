import { Schema, SchemaTransformation } from "effect"
import { TimeText, TypeText } from "@lists-and-things/domain/json/Fields"
import { isStorable } from "@lists-and-things/domain/text/Characters"

/** Digits only, as a number; beyond the safe integers it is the largest of them, which is past every end as well. */
const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  Schema.String.check(
    Schema.makeFilter(
      (text: string) => /^[0-9]+$/.test(text) && Number(text) >= minimum && Number(text) <= limitOf(maximum),
      {
        expected:
          maximum === Number.MAX_SAFE_INTEGER
            ? `an integer of ${minimum} or more`
            : `an integer from ${minimum} to ${maximum}`
      }
    )
  ).pipe(
    Schema.decodeTo(
      Schema.Finite,
      SchemaTransformation.transform({
        decode: (text: string) => Math.min(Number(text), Number.MAX_SAFE_INTEGER),
        encode: (value: number) => String(value)
      })
    )
  )

const limitOf = (maximum: number): number => (maximum === Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : maximum)

const flag = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (text: "true" | "false") => text === "true",
      encode: (value: boolean): "true" | "false" => (value ? "true" : "false")
    })
  )
)

const storable = Schema.String.check(Schema.makeFilter(isStorable, { expected: "text without U+0000" }))

const optionalKey = Schema.optionalKey

export const page = { page: optionalKey(integer(0)) }
export const maxText = { max_text: optionalKey(integer(1)) }
export const date = { date: optionalKey(storable) }
export const count = { count: optionalKey(integer(1, 100)) }
export const search = { query: optionalKey(storable), q: optionalKey(storable) }
/** An id is any string: a foreign one is unknown, never malformed (docs/decisions.md#ids). */
export const documentId = { id: Schema.String }
export const things = {
  list_id: optionalKey(Schema.String),
  completed: optionalKey(flag),
  type: optionalKey(TypeText),
  tag: optionalKey(storable),
  since: optionalKey(TimeText),
  sort: optionalKey(Schema.Literals(["created", "updated"])),
  ...page,
  ...maxText
}

export const operations = {
  by_id: optionalKey(storable),
  since: optionalKey(TimeText),
  thing_id: optionalKey(Schema.String),
  list_id: optionalKey(Schema.String),
  ...page
}
export const dryRun = { dry_run: optionalKey(flag) }
export const feed = {
  cursor: optionalKey(storable),
  limit: optionalKey(integer(1, 500)),
  wait: optionalKey(integer(0, 55))
}

export interface ParameterDoc {
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: unknown
}

/** Documentation of each query parameter: its type to a client, and its limits. */
export const parameterDocs: Readonly<Record<string, ParameterDoc>> = {
  dry_run: {
    description:
      "With `true` nothing is changed: the answer is what the write would do, `{ dry_run, summary, counts, entities }`, with status 200. An Idempotency-Key is ignored.",
    schema: { type: "boolean", default: false },
    example: true
  },
  page: {
    description: "Which page, from zero; 50 entries a page. A page beyond the end is empty.",
    schema: { type: "integer", minimum: 0, default: 0 },
    example: 0
  },
  max_text: {
    description: "Cuts each thing's text to this many characters; a cut is marked with an ellipsis character.",
    schema: { type: "integer", minimum: 1 },
    example: 80
  },
  date: {
    description: "The day, in the account's time zone: `today`, `yesterday`, `tomorrow`, or an ISO 8601 date.",
    schema: { type: "string", default: "today" },
    example: "tomorrow"
  },
  count: {
    description: "How many occurrences to compute.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 10 },
    example: 3
  },
  query: {
    description: "What to look for, ignoring case, in list titles and thing texts. Required, unless `q` is given.",
    schema: { type: "string", minLength: 1 },
    example: "milk"
  },
  q: { description: "An older name of `query`.", schema: { type: "string", minLength: 1 }, example: "milk" },
  id: {
    description: "The id of a list or of a thing.",
    schema: { type: "string" },
    example: "0199f0c2-7a51-7c3e-9d1b-2f6a8c4e5b70"
  },
  list_id: {
    description: "Only things of this list. An unknown list has none.",
    schema: { type: "string" },
    example: "0199f0c2-7a51-7c3e-9d1b-2f6a8c4e5b70"
  },
  completed: {
    description: "Only completed things, or only those that are not.",
    schema: { type: "boolean" },
    example: false
  },
  type: {
    description: "Only things of this type; `note` means `none`.",
    schema: { type: "string", enum: ["todo", "note", "dash", "number", "bullet", "none", "photo"] },
    example: "todo"
  },
  tag: { description: "Only things with this tag, ignoring case.", schema: { type: "string" }, example: "errands" },
  since: {
    description:
      "Only things strictly newer than this, by the chosen `sort`. ISO 8601; a naive time is read in the account's time zone.",
    schema: { type: "string" },
    example: "2026-11-20T08:00:00.000Z"
  },
  by_id: {
    description: "Only those of this key, app, browser session or operator, by the `id` in their `by`.",
    schema: { type: "string" },
    example: "4f9Kq2LmX0aB"
  },
  thing_id: {
    description: "Only those on this thing or its reminder.",
    schema: { type: "string" },
    example: "0199f0c3-11d4-7a90-8b52-6f0e3d9a7c18"
  },
  cursor: {
    description:
      "The `cursor` of the page before, for what follows it. Left out: the whole state from its beginning, and then what follows. `now`: only what follows.",
    schema: { type: "string" },
    example: "now"
  },
  limit: {
    description: "At most so many changes.",
    schema: { type: "integer", minimum: 1, maximum: 500, default: 100 },
    example: 100
  },
  wait: {
    description: "So many seconds to wait for a change where there is none yet; then the page is empty.",
    schema: { type: "integer", minimum: 0, maximum: 55, default: 0 },
    example: 30
  },
  sort: {
    description: "Which time counts as new; newest first.",
    schema: { type: "string", enum: ["created", "updated"], default: "created" },
    example: "updated"
  }
}

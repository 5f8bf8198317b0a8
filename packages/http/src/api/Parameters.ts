import { Schema, SchemaAST, SchemaTransformation } from "effect"
import { namesDay } from "@lists-and-things/domain/days/Day"
import { changeLimit, maxWaitSeconds } from "@lists-and-things/domain/history/Changes"
import { exampleIds, rule } from "@lists-and-things/domain/json/Described"
import { TimeText, TypeText } from "@lists-and-things/domain/json/Fields"
import { writtenTypes } from "@lists-and-things/domain/model/Thing"
import { isStorable } from "@lists-and-things/domain/text/Characters"

/**
 * A number in digits; one beyond the safe integers counts as the largest of them, which is beyond every end as well.
 */
const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  Schema.String.check(
    rule(
      (text: string) => /^[0-9]+$/.test(text) && Number(text) >= minimum && Number(text) <= limitOf(maximum),
      maximum === Number.MAX_SAFE_INTEGER
        ? `an integer of ${minimum} or more`
        : `an integer from ${minimum} to ${maximum}`
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

export const flag = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (text: "true" | "false") => text === "true",
      encode: (value: boolean): "true" | "false" => (value ? "true" : "false")
    })
  )
)

export const storable = Schema.String.check(rule(isStorable, "text without U+0000"))

const optionalKey = Schema.optionalKey

/** The documentation of a parameter: its meaning, and its type and limits as clients see them. */
export interface ParameterDoc {
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: unknown
}

export const documented = <S extends Schema.Constraint & Schema.Top>(
  of: S,
  description: string,
  schema: ParameterDoc["schema"],
  example: unknown
): S["Rebuild"] =>
  Schema.annotateEncoded<S>({ description, examples: [String(example)], parameter: { description, schema, example } })(
    of
  )

/** The documentation of a declared parameter. */
export const parameterDoc = SchemaAST.resolveAt<ParameterDoc>("parameter")

const text = { type: "string" }

/** The `{id}` of a path. An id is any string: a foreign one is unknown, never malformed (docs/decisions.md#ids). */
const inPath = (kind: "list" | "thing" | "operation" | "webhook") => ({
  id: documented(Schema.String, `The id of the ${kind}; opaque.`, text, exampleIds[kind])
})
export const listInPath = inPath("list")
export const thingInPath = inPath("thing")
export const operationInPath = inPath("operation")
export const webhookInPath = inPath("webhook")
export const deliveryInPath = {
  ...webhookInPath,
  delivery: documented(Schema.String, "The id of the delivery; opaque.", text, exampleIds.delivery)
}

export const page = {
  page: optionalKey(
    documented(
      integer(0),
      "Which page, from zero; 50 entries a page. A page beyond the end is empty.",
      { type: "integer", minimum: 0, default: 0 },
      0
    )
  )
}
export const maxText = {
  max_text: optionalKey(
    documented(
      integer(1),
      "Cuts each thing's text, also in its reminder, to this many characters; a cut is marked with an ellipsis character.",
      { type: "integer", minimum: 1 },
      80
    )
  )
}
export const date = {
  date: optionalKey(
    documented(
      Schema.String.check(rule(namesDay, "today, yesterday, tomorrow or an ISO 8601 date")),
      "The day, in the account's time zone: `today`, `yesterday`, `tomorrow`, or an ISO 8601 date.",
      { type: "string", default: "today" },
      "tomorrow"
    )
  )
}
export const count = {
  count: optionalKey(
    documented(
      integer(1, 100),
      "How many occurrences to compute.",
      { type: "integer", minimum: 1, maximum: 100, default: 10 },
      3
    )
  )
}

const query = { type: "string", minLength: 1 }

export const search = {
  query: optionalKey(
    documented(
      storable,
      "What to look for, ignoring case, in list titles and thing texts. Required, unless `q` is given.",
      query,
      "milk"
    )
  ),
  q: optionalKey(documented(storable, "An older name of `query`.", query, "milk"))
}
export const documentId = {
  id: documented(Schema.String, "The id of a list or of a thing.", text, exampleIds.list)
}
export const things = {
  list_id: optionalKey(
    documented(Schema.String, "Only things of this list. An unknown list has none.", text, exampleIds.list)
  ),
  completed: optionalKey(
    documented(flag, "Only completed things, or only those that are not.", { type: "boolean" }, false)
  ),
  type: optionalKey(
    documented(
      TypeText,
      "Only things of this type; `note` means `none`.",
      { type: "string", enum: [...writtenTypes] },
      "todo"
    )
  ),
  tag: optionalKey(documented(storable, "Only things with this tag, ignoring case.", text, "errands")),
  since: optionalKey(
    documented(
      TimeText,
      "Only things strictly newer than this, by the chosen `sort`. ISO 8601; a time without an offset is on the account's clock.",
      text,
      "2026-11-20T08:00:00.000Z"
    )
  ),
  sort: optionalKey(
    documented(
      Schema.Literals(["created", "updated"]),
      "Which time counts as new; newest first.",
      { type: "string", enum: ["created", "updated"], default: "created" },
      "updated"
    )
  ),
  ...page,
  ...maxText
}

export const operations = {
  by_id: optionalKey(
    documented(
      storable,
      "Only operations of this key, app, browser session or operator, by the `id` in their `by`.",
      text,
      "4f9Kq2LmX0aB"
    )
  ),
  since: optionalKey(
    documented(
      TimeText,
      "Only operations strictly later than this, by `at`. ISO 8601; a time without an offset is on the account's clock.",
      text,
      "2026-11-20T08:00:00.000Z"
    )
  ),
  thing_id: optionalKey(
    documented(Schema.String, "Only operations on this thing or its reminder.", text, exampleIds.thing)
  ),
  list_id: optionalKey(
    documented(Schema.String, "Only operations on this list and on things in it.", text, exampleIds.list)
  ),
  ...page
}
export const dryRun = {
  dry_run: optionalKey(
    documented(
      flag,
      "With `true` nothing is changed: the answer is what the write would do, `{ dry_run, summary, counts, entities }`, with status 200. An Idempotency-Key is ignored.",
      { type: "boolean", default: false },
      true
    )
  )
}
export const feed = {
  cursor: optionalKey(
    documented(
      storable,
      "The `cursor` of the page before, for what follows it. Left out: the whole state from its beginning, and then what follows. `now`: only what follows.",
      text,
      "now"
    )
  ),
  limit: optionalKey(
    documented(
      integer(1, changeLimit.max),
      "At most so many changes.",
      { type: "integer", minimum: 1, maximum: changeLimit.max, default: changeLimit.default },
      100
    )
  ),
  wait: optionalKey(
    documented(
      integer(0, maxWaitSeconds),
      "So many seconds to wait for a change where there is none yet; then the page is empty.",
      { type: "integer", minimum: 0, maximum: maxWaitSeconds, default: 0 },
      30
    )
  )
}

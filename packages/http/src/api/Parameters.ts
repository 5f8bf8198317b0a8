import { Schema, SchemaAST, SchemaTransformation } from "effect"
import { namesDay } from "@lists-and-things/domain/days/Day"
import { changeLimit, maxWaitSeconds } from "@lists-and-things/domain/history/Changes"
import { exampleIds, rule } from "@lists-and-things/domain/json/Described"
import { TimeText, TypeText } from "@lists-and-things/domain/json/Fields"
import { writtenTypes } from "@lists-and-things/domain/model/Thing"
import { occurrenceLimit } from "@lists-and-things/domain/reminders/ReminderReading"
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

/** What an `Idempotency-Key` looks like: visible ASCII characters. */
export const idempotencyKeyForm = /^[!-~]{1,255}$/

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
      "The page number, from zero. A page has 50 entries; one beyond the end is empty.",
      { type: "integer", minimum: 0, default: 0 },
      0
    )
  )
}
export const maxText = {
  max_text: optionalKey(
    documented(
      integer(1),
      "Cuts the text of each thing, and of its reminder, to this many characters. A cut text ends with an ellipsis character.",
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
      integer(1, occurrenceLimit.max),
      "How many occurrences to compute.",
      { type: "integer", minimum: 1, maximum: occurrenceLimit.max, default: occurrenceLimit.default },
      3
    )
  )
}

const query = { type: "string", minLength: 1 }

export const search = {
  query: optionalKey(
    documented(
      storable,
      "The text to find in list titles and thing texts, ignoring case. Required unless `q` is given.",
      query,
      "milk"
    )
  ),
  q: optionalKey(documented(storable, "The legacy name of `query`.", query, "milk"))
}
export const documentId = {
  id: documented(Schema.String, "The id of a list or of a thing.", text, exampleIds.list)
}
export const things = {
  list_id: optionalKey(
    documented(Schema.String, "Only things of this list. An unknown list has none.", text, exampleIds.list)
  ),
  completed: optionalKey(
    documented(
      flag,
      "`true`: only completed things. `false`: only things that are not completed.",
      { type: "boolean" },
      false
    )
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
      "Only things strictly newer than this, by the time that `sort` names. ISO 8601; a time without an offset is in the account's time zone.",
      text,
      "2026-11-20T08:00:00.000Z"
    )
  ),
  sort: optionalKey(
    documented(
      Schema.Literals(["created", "updated"]),
      "The time to sort by and to compare with `since`; newest first.",
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
      "Only operations whose `by.id` is this: the id of a key, an app, a browser session or the operator.",
      text,
      "4f9Kq2LmX0aB"
    )
  ),
  since: optionalKey(
    documented(
      TimeText,
      "Only operations whose `at` is strictly later than this. ISO 8601; a time without an offset is in the account's time zone.",
      text,
      "2026-11-20T08:00:00.000Z"
    )
  ),
  thing_id: optionalKey(
    documented(Schema.String, "Only operations on this thing or its reminder.", text, exampleIds.thing)
  ),
  list_id: optionalKey(
    documented(Schema.String, "Only operations on this list or on things in it.", text, exampleIds.list)
  ),
  ...page
}
export const dryRun = {
  dry_run: optionalKey(
    documented(
      flag,
      "With `true`, nothing is changed. The response has status 200 and says what the write would do: `{ dry_run, summary, counts, entities }`. An Idempotency-Key is ignored.",
      { type: "boolean", default: false },
      true
    )
  )
}
export const feed = {
  cursor: optionalKey(
    documented(
      storable,
      "The `cursor` of the previous page. Without a cursor, the feed begins with the whole state. With `now`, it has only later changes.",
      text,
      "now"
    )
  ),
  limit: optionalKey(
    documented(
      integer(1, changeLimit.max),
      "The largest number of changes to return.",
      { type: "integer", minimum: 1, maximum: changeLimit.max, default: changeLimit.default },
      100
    )
  ),
  wait: optionalKey(
    documented(
      integer(0, maxWaitSeconds),
      "How many seconds to wait for a change when there is none yet. If there is still none then, the page is empty.",
      { type: "integer", minimum: 0, maximum: maxWaitSeconds, default: 0 },
      30
    )
  )
}

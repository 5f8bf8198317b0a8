import { Effect, Schema } from "effect"
import { changeLimit, Changes, type ChangeQuery, maxWaitSeconds } from "@lists-and-things/domain/history/Changes"
import { integer } from "@lists-and-things/domain/json/Fields"
import { type ChangeJson, changesJson, type ChangesJson } from "@lists-and-things/domain/json/ChangeJson"
import { notify } from "@lists-and-things/domain/model/CurrentOperation"
import { truncate } from "@lists-and-things/domain/text/Characters"
import { inFigures } from "@lists-and-things/domain/text/Wording"
import { maxPageBytes } from "../results/ListResult.ts"
import { maxNote } from "../results/ThingResult.ts"
import { defineTool, hints } from "../Tool.ts"

const optionalKey = Schema.optionalKey

/** The feed's changes; what `data` holds is not listed here. */
const ChangeResult = Schema.Struct({
  type: Schema.String,
  id: Schema.String,
  change: Schema.String,
  at: Schema.NullOr(Schema.String),
  operation_id: Schema.NullOr(Schema.String),
  data: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
})

export const listChanges = defineTool({
  name: "list_changes",
  title: "Follow changes",
  description:
    "Returns what changed since a cursor: lists, things, reminders and places, each as it is now (put) or deleted (delete). Without a cursor it begins with everything there is; with cursor now it returns only later changes. Keep the cursor for the next call.",
  scope: ["read:lists", "read:things"],
  hints: hints.reads,
  input: Schema.Struct({
    cursor: optionalKey(Schema.String.annotate({ examples: ["now"] })),
    limit: optionalKey(integer(1, changeLimit.max).annotate({ hint: "Default 100.", examples: [changeLimit.max] })),
    wait: optionalKey(
      integer(0, maxWaitSeconds).annotate({ hint: "Seconds to wait for a change.", examples: [maxWaitSeconds] })
    )
  }),
  output: Schema.Struct({ changes: Schema.Array(ChangeResult), cursor: Schema.String, has_more: Schema.Boolean }),
  handler: Effect.fnUntraced(function* (query) {
    const changes = yield* Changes
    const read = (asked: ChangeQuery) => Effect.map(changes.read(asked), changesJson)
    // Fixes the position, so that a second read with a smaller limit begins there as well.
    const from = query.cursor === "now" ? { ...query, cursor: (yield* read({ cursor: "now" })).cursor } : query
    let page = yield* read(from)
    for (let limit = page.changes.length; isTooLong(page);) {
      if (limit <= 1) return { ...page, changes: yield* Effect.forEach(page.changes, withShortNote) }
      limit = Math.floor(limit / 2)
      page = yield* read({ ...from, limit })
    }
    return page
  })
})

const isTooLong = (page: typeof ChangesJson.Type): boolean => Buffer.byteLength(JSON.stringify(page)) > maxPageBytes

/** For a change that is too long by itself: a client that cuts the answer would lose its cursor, too. */
const withShortNote = Effect.fnUntraced(function* (change: ChangeJson) {
  if (change.type !== "thing" || change.data === null) return change
  const note = truncate(change.data.note, maxNote)
  if (note === change.data.note) return change
  yield* notify(
    `The note of ${change.id} is cut at ${inFigures(maxNote)} characters. Call fetch with {"id":"${change.id}"} for the whole note, in pages.`
  )
  return { ...change, data: { ...change.data, note } }
})

import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { Operations } from "@lists-and-things/domain/history/Operations"
import type { UpdateThingInput } from "@lists-and-things/domain/json/ThingInput"
import type { OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { currentTime, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { NotFound } from "@lists-and-things/domain/model/Errors"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { hasEffect } from "@lists-and-things/domain/model/Operation"
import { Things } from "@lists-and-things/domain/things/Things"
import { withLineFeeds } from "./FormActions.ts"
import { digestOf } from "./EditConflicts.ts"
import { formIdName } from "./FormFields.ts"
import type { HistoryFilter } from "./HistoryLinks.ts"

/** Identifies a form; new each time a page is shown, and a UUID of version 7, which tells when that was. */
export const newFormId: Effect.Effect<string> = Effect.map(currentTime, (now) => {
  const time = now.toString(16).padStart(timeDigits, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice("00000000-0000-4".length)}`
})

/** The hexadecimal digits of the milliseconds in an id. */
const timeDigits = 12

export const formIdIn = (fields: URLSearchParams): string | undefined => {
  const id = fields.get(formIdName) ?? ""
  return isIdForm(id) ? id : undefined
}

/** When a form was shown; undefined if it has no id. */
const shownAt = (fields: URLSearchParams): EpochMillis | undefined => {
  const id = formIdIn(fields)
  return id === undefined ? undefined : EpochMillis(Number.parseInt(id.replace("-", "").slice(0, timeDigits), 16))
}

/**
 * Runs a form's write once, even if the form is sent again because its answer was lost. Within a day, the same form
 * with the same fields gets the result of the first run (docs/browser.md#rules).
 */
export const makeRunOnce = Effect.map(
  IdempotencyRecords,
  (records) =>
    <E, R>(fields: URLSearchParams, operation: string, write: Effect.Effect<string, E, R>) => {
      const id = formIdIn(fields)
      if (id === undefined) return write
      const sent = digestOf(typedIn(fields))
      return records.once(`form ${id} ${operation} ${sent}`, sent, write)
    }
)

/** What was typed. A repetition may come from another session or page, and omits an empty file. */
const typedIn = (fields: URLSearchParams): string => {
  const typed = [...fields].filter(([name, text]) => name !== "csrf" && name !== "back" && text !== "")
  return JSON.stringify(typed.map(([name, text]) => JSON.stringify([name, withLineFeeds(text)])).toSorted())
}

/**
 * Changes a thing as a form says. A form that means one occurrence and is sent again, because its answer was lost, ends
 * as the first time, unless that was undone since.
 */
export const makeTick = Effect.gen(function* () {
  const things = yield* Things
  const operations = yield* Operations
  const runOnce = yield* makeRunOnce

  const isInEffect = (id: string) =>
    operations.get(id).pipe(
      Effect.map(({ undoneBy }) => undoneBy === null),
      Effect.catchTag("NotFound", () => Effect.succeed(false))
    )

  return Effect.fnUntraced(function* (
    fields: URLSearchParams,
    id: string,
    patch: UpdateThingInput,
    call: OperationCall
  ) {
    let isFirst = false
    const update = Effect.map(things.update(id, patch), () => {
      isFirst = true
      return "ticked"
    })
    if (patch.occurrence === undefined) return yield* update
    yield* runOnce(fields, "tickThing", update)
    if (isFirst || (call.recorded !== undefined && (yield* isInEffect(call.recorded)))) return
    call.recorded = undefined
    yield* update
  })
})

/**
 * Deletes a thing or a list as a form says. If it is gone already, because the form was sent twice or another page was
 * faster, the operation that took it away counts as that of the form, so that the next page names it and offers its
 * undo.
 */
export const makeRemoveOnce = Effect.map(
  Operations,
  (operations) =>
    <E, R>(removed: HistoryFilter, call: OperationCall, remove: Effect.Effect<void, E | NotFound, R>) =>
      Effect.gen(function* () {
        yield* Effect.catchTag(remove, "NotFound", () => Effect.void)
        if (call.recorded !== undefined) return
        call.recorded = (yield* operations.page(removed)).items[0]?.id
      })
)

/**
 * If a form changed nothing, because its first copy did so already, the operation of that copy counts as that of the
 * form: the newest one of what it changes, which this browser left since the form was shown.
 */
export const makeReportFirstCopy = Effect.map(Operations, (operations) =>
  Effect.fnUntraced(function* (changed: HistoryFilter, call: OperationCall, fields: URLSearchParams) {
    const since = shownAt(fields)
    if (call.recorded !== undefined || since === undefined) return
    const [newest] = (yield* operations.page(changed)).items
    if (newest === undefined || newest.at <= since || newest.undoneBy !== null) return
    if (newest.name === call.name && newest.by.id === call.by.id && hasEffect(newest)) call.recorded = newest.id
  })
)

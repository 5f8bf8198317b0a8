import { Schema } from "effect"
import { formatTime } from "../days/IsoTime.ts"
import type { BulkCreated } from "../things/BulkThings.ts"
import type { ThingView } from "../things/Things.ts"
import type { UpdatedThing } from "../things/UpdateAtOnce.ts"
import { reminderJson } from "./ReminderJson.ts"
import { ThingJson, thingJson } from "./ThingJson.ts"
import { Count, described, optional } from "./Described.ts"
import { TimeJson } from "./TimeJson.ts"

/** The answer of `POST /things/bulk` and `POST /things/markdown`. */
export const BulkCreatedJson = Schema.Struct({
  created: described(Count, "How many things were added."),
  skipped: described(Count, "How many were left out: blank ones, duplicates, and those whose own target is unknown."),
  by_list: described(
    Schema.Array(
      Schema.Struct({
        list_id: described(Schema.String, "A list that was a target."),
        created: described(Count, "How many things were added to it."),
        skipped: described(Count, "How many of its own were left out.")
      })
    ),
    "The same list by list, in the order in which the lists were first named."
  )
})
export type BulkCreatedJson = typeof BulkCreatedJson.Type

export const bulkCreatedJson = (result: BulkCreated): BulkCreatedJson => ({
  created: result.created,
  skipped: result.skipped,
  by_list: result.byList.map(({ listId, created, skipped }) => ({ list_id: listId, created, skipped }))
})

/** The answer of `GET /things/{id}`. */
export const thingViewJson = ({ reminder, thing }: ThingView) => ({
  thing: thingJson(thing),
  reminder: reminder === null ? null : reminderJson(reminder)
})

/** What `PATCH /things/{id}` adds when a repeating thing was completed (docs/decisions.md#completing). */
export const RepeatingReminderJson = Schema.Struct({
  copy_id: described(Schema.String, "The completed copy, which stays where it was done."),
  next_at: described(TimeJson, "When the thing is due next."),
  list_id: described(Schema.String, "The list that the thing is in now.")
})

/** What `PATCH /things/{id}` answers beside the thing. */
export const outcomeFields = {
  repeating_reminder: optional(
    RepeatingReminderJson,
    "Where a repeating thing was completed or canceled: it returned to a later day, and left a copy."
  ),
  reminder_removed: optional(
    Schema.Literal(true),
    "Where a thing with a one-off reminder was completed or canceled: the reminder is gone."
  )
}

/** The answer of `PATCH /things/{id}`. */
export const UpdatedThingJson = Schema.Struct({
  thing: ThingJson,
  ...outcomeFields
})
export type UpdatedThingJson = typeof UpdatedThingJson.Type

export const updatedThingJson = (result: Omit<UpdatedThing, "reminder">): UpdatedThingJson => ({
  thing: thingJson(result.thing),
  ...(result.repeating === undefined
    ? {}
    : {
        repeating_reminder: {
          copy_id: result.repeating.copyId,
          next_at: formatTime(result.repeating.nextAt),
          list_id: result.repeating.listId
        }
      }),
  ...(result.reminderRemoved ? { reminder_removed: true as const } : {})
})

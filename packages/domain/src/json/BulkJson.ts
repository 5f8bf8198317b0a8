import { Schema } from "effect"
import { formatTime } from "../days/IsoTime.ts"
import type { BulkCreated } from "../things/BulkThings.ts"
import type { ThingView, UpdatedThing } from "../things/Things.ts"
import { reminderJson } from "./ReminderJson.ts"
import { ThingJson, thingJson } from "./ThingJson.ts"
import { TimeJson } from "./TimeJson.ts"

/** The answer of `POST /things/bulk` and `POST /things/markdown`. */
export const BulkCreatedJson = Schema.Struct({
  created: Schema.Int,
  skipped: Schema.Int,
  by_list: Schema.Array(Schema.Struct({ list_id: Schema.String, created: Schema.Int, skipped: Schema.Int }))
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
  copy_id: Schema.String,
  next_at: TimeJson,
  list_id: Schema.String
})

/** The answer of `PATCH /things/{id}`. */
export const UpdatedThingJson = Schema.Struct({
  thing: ThingJson,
  repeating_reminder: Schema.optionalKey(RepeatingReminderJson),
  reminder_removed: Schema.optionalKey(Schema.Literal(true))
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

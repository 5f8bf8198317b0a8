import { Schema, Struct } from "effect"
import { formatTime } from "../days/IsoTime.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { List } from "../model/List.ts"
import type { Entity, EntityKey, OperationId, Settings } from "../model/Operation.ts"
import { placeTransitions, type Reminder } from "../model/Reminder.ts"
import type { Thing } from "../model/Thing.ts"
import { AccountJson, accountJson } from "./AccountJson.ts"
import { ListJson, listJson } from "./ListJson.ts"
import { PlaceJson, placeJson } from "./PlaceJson.ts"
import { ReminderJson, reminderFields } from "./ReminderJson.ts"
import { ThingJson, thingJson } from "./ThingJson.ts"
import { described, TimeJson } from "./Described.ts"

const NullOr = Schema.NullOr

/** The settings of an account, without its email. */
const SettingsJson = AccountJson.mapFields(Struct.omit(["email"]))
type SettingsJson = typeof SettingsJson.Type

export const settingsJson = (settings: Settings): SettingsJson => {
  const { email: _, ...json } = accountJson({ ...settings, email: "" })
  return json
}

/** A list as stored: the date of a day list in place of `today`, which goes stale at midnight. */
const StoredListJson = ListJson.mapFields(Struct.omit(["today"])).mapFields(
  Struct.assign({ day: described(NullOr(Schema.String), "The date of a day list; null for any other list.") })
)

const storedListJson = (list: List): typeof StoredListJson.Type => {
  const { today: _, ...stored } = listJson(list, "")
  return { ...stored, day: list.day }
}

/** A thing with its place in its list: order by both numbers, then by id. */
const StoredThingJson = ThingJson.mapFields(
  Struct.assign({
    position: described(
      Schema.Tuple([Schema.Int, Schema.Int]),
      "Its position in the list: order by both numbers, then by id."
    )
  })
)

const storedThingJson = (thing: Thing): typeof StoredThingJson.Type => ({
  ...thingJson(thing),
  position: [thing.position.sortTime, thing.position.sequence]
})

/** A reminder without what other entities say: `thing_id` is that of the original. */
const StoredReminderJson = ReminderJson.mapFields(Struct.omit(["list_id", "text", "summary", "place"])).mapFields(
  Struct.assign({
    place: described(
      NullOr(
        Schema.Struct({
          id: described(Schema.String, "The id of the saved place."),
          trigger: described(Schema.Literals(placeTransitions), "Whether it is due on arriving or on leaving."),
          radius_m: described(
            NullOr(Schema.Finite),
            "The radius in metres around the place; null to use the place's own."
          )
        })
      ),
      "The place of a place reminder; null for a reminder at a time."
    )
  })
)

export const storedReminderJson = (reminder: Reminder): typeof StoredReminderJson.Type => ({
  id: reminder.id,
  thing_id: reminder.thingId,
  ...reminderFields(reminder),
  place:
    reminder.trigger._tag === "Place"
      ? { id: reminder.trigger.placeId, trigger: reminder.trigger.on, radius_m: reminder.trigger.radiusMeters }
      : null
})

const change = <const Type extends string, A, I>(type: Type, data: Schema.Codec<A, I>) =>
  Schema.Struct({
    type: described(Schema.Literal(type), "The type of the entity."),
    id: described(Schema.String, "The id of the entity."),
    change: described(
      Schema.Literals(["put", "delete"]),
      "`put`: the entity exists, with `data`. `delete`: it is gone."
    ),
    at: described(
      NullOr(TimeJson),
      "The time of its last change in this page; null while the feed returns the initial state."
    ),
    operation_id: described(NullOr(Schema.String), "The operation of its last change in this page; null when `at` is."),
    data: described(NullOr(data), "What is stored; null for a `delete`.")
  })

/** One entity of the feed: what is stored, in the contract's JSON but for what goes stale (docs/decisions.md#history). */
export const ChangeJson = Schema.Union([
  change("account", SettingsJson),
  change("place", PlaceJson),
  change("list", StoredListJson),
  change("thing", StoredThingJson),
  change("reminder", StoredReminderJson)
])
export type ChangeJson = typeof ChangeJson.Type

/** `GET /changes`. */
export const ChangesJson = Schema.Struct({
  changes: described(Schema.Array(ChangeJson), "In commit order; each entity appears once."),
  cursor: described(Schema.String, "Opaque; send it in the next request."),
  has_more: described(Schema.Boolean, "Whether there are more changes already.")
})

/** An entity of a page of the feed: its state in the page's snapshot, and its last change in the page. */
export interface Change extends EntityKey {
  /** Undefined when it does not exist. */
  readonly entity: Entity | undefined
  /** The time and id of the operation; undefined in the initial state. */
  readonly by: { readonly at: EpochMillis; readonly id: OperationId } | undefined
}

export interface ChangePage {
  readonly changes: ReadonlyArray<Change>
  readonly cursor: string
  readonly hasMore: boolean
}

const dataOf = (entity: Entity) => {
  switch (entity.type) {
    case "account":
      return settingsJson(entity.value)
    case "place":
      return placeJson(entity.value)
    case "list":
      return storedListJson(entity.value)
    case "thing":
      return storedThingJson(entity.value)
    case "reminder":
      return storedReminderJson(entity.value)
  }
}

const changeJson = ({ by, entity, id, type }: Change): ChangeJson =>
  ({
    type,
    id,
    change: entity === undefined ? "delete" : "put",
    at: by === undefined ? null : formatTime(by.at),
    operation_id: by?.id ?? null,
    data: entity === undefined ? null : dataOf(entity)
  }) as ChangeJson

export const changesJson = ({ changes, cursor, hasMore }: ChangePage): typeof ChangesJson.Type => ({
  changes: changes.map(changeJson),
  cursor,
  has_more: hasMore
})

import { Effect } from "effect"
import { todayIn } from "../days/Day.ts"
import { settingsJson, storedReminderJson } from "../json/ChangeJson.ts"
import { listJson } from "../json/ListJson.ts"
import type { EntityStates } from "../json/OperationJson.ts"
import { placeJson } from "../json/PlaceJson.ts"
import { reminderJson } from "../json/ReminderJson.ts"
import { thingJson } from "../json/ThingJson.ts"
import { currentTime, type EpochMillis } from "../model/EpochMillis.ts"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { type Entity, type EntityChange, type EntityKey, isSame, keyText } from "../model/Operation.ts"
import type { Reminder } from "../model/Reminder.ts"
import { HistoryStore } from "../ports/HistoryStore.ts"
import { viewReminder } from "../reminders/ReminderView.ts"
import { distinctKeys, entityMap, type EntityMap, keysOf, referencesOf, valuesOf } from "./Entities.ts"
import { traced } from "../scheduling/Traced.ts"

/** What a reminder was shown with: the things and places of one side of an operation. */
interface Side {
  readonly zone: string
  readonly today: string
  readonly entities: EntityMap
}

/** The changes of one operation. */
interface Changed {
  readonly owner: AccountId
  /** The account's time zone now. */
  readonly zone: string
  /** When the operation was written. */
  readonly at: EpochMillis
  readonly changes: ReadonlyArray<EntityChange>
  /** Whether what it created is read as well, as it was right after the operation. */
  readonly withCreated?: boolean
}

/**
 * The changes of an operation with their states in the contract's JSON. A reminder is shown on its original, and in
 * words in the time zone that the account had then.
 */
export const makeEntityViews = Effect.gen(function* () {
  const history = yield* HistoryStore

  return traced("Operations.entities")(function* ({
    at,
    changes,
    owner,
    withCreated = false,
    zone
  }: Changed): Effect.fn.Return<ReadonlyArray<EntityStates>, StorageUnavailable> {
    const today = todayIn(zone, yield* currentTime)
    const changed = changes.filter(({ change }) => change !== "created")
    const before = changed.flatMap((change) => change.before ?? [])
    const left = changes.filter(({ change }) => change === "updated" || (withCreated && change === "created"))
    const settings: ReadonlyArray<EntityKey> = changed.some(({ type }) => type === "reminder")
      ? [{ type: "account", id: owner }]
      : []
    const after = yield* history.after(owner, at, distinctKeys([...keysOf(left), ...settings]))
    const own = new Set(changes.map(keyText))
    const shownWith = [...before, ...after].filter(({ type }) => type === "reminder").flatMap(referencesOf)
    const others = shownWith.filter((key) => !own.has(keyText(key)))
    const unchanged = others.length === 0 ? [] : yield* history.after(owner, at, distinctKeys(others))
    const zoneAfter = zoneOf(after) ?? zone
    const then: Side = { zone: zoneOf(before) ?? zoneAfter, today, entities: entityMap([...unchanged, ...before]) }
    const now: Side = {
      zone: zoneAfter,
      today,
      entities: entityMap([...unchanged, ...before, ...after])
    }
    const states = entityMap(after)
    return changes.flatMap(({ before, change, id, type }) => {
      const state = states.get(keyText({ id, type }))
      if (change === "updated" && isSame(before?.value, state?.value)) return []
      const shown = {
        before: before === undefined ? undefined : fieldsOf(before, then),
        after: state === undefined ? undefined : fieldsOf(state, now)
      }
      // What is stored beside the fields, such as the first occurrence on the clock of another zone.
      if (change === "updated" && before !== undefined) {
        const onTheSameClock = then.zone === now.zone ? shown.before : fieldsOf(before, { ...then, zone: now.zone })
        if (JSON.stringify(onTheSameClock) === JSON.stringify(shown.after)) return []
      }
      return { type, id, change, ...shown }
    })
  })
})

/** The zone of an account that is among the entities: a change of it shows reminders on the clock of either side. */
const zoneOf = (entities: ReadonlyArray<Entity>): string | undefined => {
  const [account] = valuesOf(entities, "account").values()
  return account?.timezone
}

const fieldsOf = (entity: Entity, side: Side): object => {
  switch (entity.type) {
    case "account":
      return settingsJson(entity.value)
    case "place":
      return placeJson(entity.value)
    case "list":
      return listJson(entity.value, side.today)
    case "thing":
      return thingJson(entity.value)
    case "reminder":
      return reminderFields(entity.value, side)
  }
}

/** Without what its thing says where the thing is not known any more. */
const reminderFields = (reminder: Reminder, { entities, zone }: Side): object => {
  const thing = entities.get(keyText({ type: "thing", id: reminder.thingId }))
  const places = valuesOf(
    referencesOf({ type: "reminder", value: reminder }).flatMap((key) => entities.get(keyText(key)) ?? []),
    "place"
  )
  if (thing?.type === "thing") return reminderJson(viewReminder(reminder, thing.value, zone, places))
  return storedReminderJson(reminder)
}

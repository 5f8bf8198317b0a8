import { Effect, Layer } from "effect"
import { isTimed, ReminderStore, type TimeReminder } from "@lists-and-things/domain/ports/ReminderStore"
import type { Page } from "@lists-and-things/domain/ports/Storage"
import { isRepeating, type Reminder } from "@lists-and-things/domain/model/Reminder"
import { isOpen } from "@lists-and-things/domain/model/Thing"
import { Database } from "../Database.ts"
import type { OwnerData } from "../OwnerData.ts"
import { compareText } from "@lists-and-things/domain/text/TextFold"
import { emptyPage, pageOf } from "../Order.ts"

const put = (data: OwnerData, reminder: Reminder): void => {
  if (!data.things.has(reminder.thingId)) throw new Error(`reminder of a thing that is not there: ${reminder.thingId}`)
  data.reminders.set(reminder.thingId, reminder)
}

const make = (database: Database["Service"]): ReminderStore["Service"] => ({
  findByThing: (owner, thing) => database.read(owner, (data) => data.reminders.get(thing)),
  ofThings: (owner, things) =>
    database.read(
      owner,
      (data) => [...new Set(things)].map((id) => data.reminders.get(id)).filter((reminder) => reminder !== undefined),
      []
    ),
  has: (owner, id) =>
    database.read(owner, (data) => [...data.reminders.values()].some((reminder) => reminder.id === id), false),
  put: (owner, reminders) =>
    database.write(owner, (data) => {
      for (const reminder of reminders) put(data, reminder)
    }),
  putTimes: (owner, reminders) =>
    database.write(owner, (data) => {
      for (const { thingId, trigger } of reminders) {
        const stored = data.reminders.get(thingId)
        if (stored?.trigger._tag !== "Time") continue
        const { at, end, first } = trigger
        const rule = { ...stored.trigger.rule, until: trigger.rule.until }
        data.reminders.set(thingId, { ...stored, trigger: { ...stored.trigger, at, end, first, rule } })
      }
    }),
  remove: (owner, things) =>
    database.write(owner, (data) => {
      for (const id of things) data.reminders.delete(id)
    }),
  reattach: (owner, heirs) =>
    database.write(owner, (data) => {
      for (const [from, to] of heirs) {
        const reminder = data.reminders.get(from)
        if (reminder === undefined) continue
        data.reminders.delete(from)
        data.reminders.set(to, { ...reminder, thingId: to })
      }
    }),
  upcoming: (owner, now, limit) =>
    database.read(
      owner,
      (data) =>
        timed(data)
          .filter(({ trigger }) => trigger.at > now)
          .toSorted(soonestFirst)
          .slice(0, limit),
      []
    ),
  overdue: (owner, now, limit) =>
    database.read(
      owner,
      (data) =>
        timed(data)
          .filter(({ trigger, thingId }) => trigger.at <= now && isOfOpenThing(data, thingId))
          .toSorted(latestFirst)
          .slice(0, limit),
      []
    ),
  between: (owner, from, to, limit) =>
    database.read(
      owner,
      (data): Page<Reminder> =>
        pageOf(
          timed(data)
            .filter(({ trigger }) => from <= trigger.at && trigger.at < to)
            .toSorted(soonestFirst),
          0,
          limit
        ),
      emptyPage
    ),
  repeating: (owner, before, limit) =>
    database.read(
      owner,
      (data) =>
        timed(data)
          .filter(({ thingId, trigger }) => trigger.at < before && isRepeating(trigger) && isOfOpenThing(data, thingId))
          .toSorted(latestFirst)
          .slice(0, limit),
      []
    ),
  atPlaces: (owner, limit) =>
    database.read(
      owner,
      (data) =>
        everyOne(data)
          .filter(({ trigger }) => trigger._tag === "Place")
          .slice(0, limit),
      []
    ),
  all: (owner) => database.read(owner, everyOne, []),
  after: (owner, thing, limit) =>
    database.read(
      owner,
      (data) =>
        everyOne(data)
          .filter(({ thingId }) => thing === undefined || thingId > thing)
          .slice(0, limit),
      []
    ),
  removeOfPlace: (owner, place) => database.write(owner, (data) => removeOfPlace(data, place))
})

const everyOne = (data: OwnerData): ReadonlyArray<Reminder> =>
  [...data.reminders.values()].sort((a, b) => compareText(a.thingId, b.thingId))

const timed = (data: OwnerData): ReadonlyArray<TimeReminder> => [...data.reminders.values()].filter(isTimed)

const soonestFirst = (a: TimeReminder, b: TimeReminder): number =>
  a.trigger.at - b.trigger.at || compareText(a.thingId, b.thingId)

const latestFirst = (a: TimeReminder, b: TimeReminder): number =>
  b.trigger.at - a.trigger.at || compareText(a.thingId, b.thingId)

const isOfOpenThing = (data: OwnerData, thingId: string): boolean => {
  const thing = data.things.get(thingId)
  return thing !== undefined && isOpen(thing)
}

export const removeOfPlace = (data: OwnerData, place: string): void => {
  for (const { thingId, trigger } of [...data.reminders.values()])
    if (trigger._tag === "Place" && trigger.placeId === place) data.reminders.delete(thingId)
}

export const reminderStoreLayer = Layer.effect(ReminderStore, Effect.map(Database, make))

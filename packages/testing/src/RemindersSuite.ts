import { createRequire } from "node:module"
import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type * as Crypto from "effect/Crypto"
import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Places } from "@lists-and-things/domain/places/Places"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import type { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { CalendarFeed } from "@lists-and-things/domain/reminders/CalendarFeed"
import type { RepeatRule } from "@lists-and-things/domain/model/Reminder"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Things } from "@lists-and-things/domain/things/Things"
import { remind } from "./AsOwner.ts"
import { at, freshId, malformedIds, newAccount, newList } from "./Fixtures.ts"
import { asOwnerInBerlin, newThing } from "./ReminderFixtures.ts"

type UseCases = Lists | Things | Reminders | Places | CalendarFeed | AccountStore | ListStore | ThingStore

interface Vector {
  readonly name: string
  readonly zone: string
  readonly first: string
  readonly rule: Omit<RepeatRule, "until"> & { readonly until: string | null }
  readonly after: string
  readonly occurrences: ReadonlyArray<string>
}

const golden = createRequire(import.meta.url)("@lists-and-things/domain/golden/recurrence.json") as {
  readonly vectors: ReadonlyArray<Vector>
}
const vectors = golden.vectors.filter(
  ({ rule }) => rule.repeat !== "none" && (rule.days.length === 0 || rule.every === 1)
)

const bodyOf = ({ first, rule }: Vector) => ({
  at: first,
  all_day: false,
  ...(rule.days.length > 0 ? { days: rule.days } : { repeat: rule.repeat, every: rule.every }),
  repeat_until: rule.until
})

/** The use cases of reminders over an adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases | Crypto.Crypto, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: reminders`, (it) => {
    it.effect("a reminder is set, read with its thing and its list, replaced and removed", () =>
      asOwnerInBerlin((account) =>
        Effect.gen(function* () {
          const { list, thing } = yield* newThing(account, "Pay rent")
          const first = yield* remind(thing.id, { at: "2026-11-24T09:00", repeat: "weekly", every: 2, color: "#ABC" })
          const read = yield* (yield* Things).get(thing.id)
          expect(reminderJson(read.reminder!)).toStrictEqual({
            id: first.reminder.id,
            thing_id: thing.id,
            list_id: list.id,
            text: "Pay rent",
            at: "2026-11-24T08:00:00.000Z",
            all_day: false,
            repeat: "weekly",
            every: 2,
            repeat_until: null,
            days: [],
            end: null,
            duration_minutes: null,
            alert_minutes: 0,
            second_alert_minutes: 0,
            color: "#aabbcc",
            place: null,
            summary: "every 2 weeks on Tuesday at 09:00, Europe/Berlin"
          })
          const second = yield* remind(thing.id, { at: "2026-12-01" })
          expect(second.reminder.id).toBe(first.reminder.id)
          const view = yield* (yield* Lists).view(list.id)
          expect(view.reminders.map((each) => [each.thing.id, each.summary])).toStrictEqual([
            [thing.id, "once on Tuesday 2026-12-01, all day, Europe/Berlin"]
          ])
          yield* (yield* Reminders).remove(thing.id)
          yield* (yield* Reminders).remove(thing.id)
          expect((yield* (yield* Things).get(thing.id)).reminder).toBeNull()
        })
      )
    )

    it.effect("a change updates the list and not the thing; without a change neither is updated", () =>
      asOwnerInBerlin((account) =>
        Effect.gen(function* () {
          const { list, thing } = yield* newThing(account)
          yield* (yield* Reminders).remove(thing.id)
          const read = Effect.gen(function* () {
            const view = yield* (yield* Lists).view(list.id)
            return [view.list.updated, view.things[0]!.updated] as const
          })
          expect(yield* read).toStrictEqual([list.updated, thing.updated])
          yield* remind(thing.id, { at: "2026-11-24" })
          const [afterSet, same] = yield* read
          expect(afterSet).toBeGreaterThan(list.updated)
          expect(same).toBe(thing.updated)
          yield* (yield* Reminders).remove(thing.id)
          expect((yield* read)[0]).toBeGreaterThan(afterSet)
        })
      )
    )

    it.effect("an unknown thing is NotFound before the input is validated", () =>
      asOwnerInBerlin((account) =>
        Effect.gen(function* () {
          const other = yield* newAccount()
          const foreign = yield* newThing(other)
          for (const id of [...malformedIds, freshId(), foreign.thing.id]) {
            const broken = { at: "2026-11-24T09:00", duration_minutes: 5, end: "2026-11-24T10:00" }
            expect((yield* Effect.flip(remind(id, broken)))._tag).toBe("NotFound")
            yield* (yield* Reminders).remove(id)
            expect((yield* Effect.flip((yield* Reminders).occurrences(id, 1)))._tag).toBe("NotFound")
          }
          const { thing } = yield* newThing(account)
          const error = yield* Effect.flip(remind(thing.id, { at: "2026-11-24T09:00", every: 2, days: ["mon"] }))
          expect(error.message).toContain("every cannot be combined with days")
        })
      )
    )

    it.effect("live copies share one reminder, which is shown on the requested copy", () =>
      asOwnerInBerlin((account) =>
        Effect.gen(function* () {
          const { thing } = yield* newThing(account)
          const elsewhere = yield* newList(account.id, { title: "Elsewhere" })
          const clone = yield* (yield* Things).create({ text: "", cloneOf: thing.id, listId: elsewhere.id })
          const before = (yield* (yield* Lists).view(elsewhere.id)).list.updated
          const set = yield* remind(clone.id, { at: "2026-11-24" })
          expect([set.thing.id, set.reminder.thingId]).toStrictEqual([clone.id, thing.id])
          const original = yield* (yield* Things).get(thing.id)
          expect([original.reminder?.thing.id, original.reminder?.reminder.id]).toStrictEqual([
            thing.id,
            set.reminder.id
          ])
          yield* remind(thing.id, { at: "2026-11-25" })
          const after = yield* (yield* Lists).view(elsewhere.id)
          expect(after.list.updated).toBeGreaterThan(before)
          expect(after.reminders.map((view) => view.thing.id)).toStrictEqual([clone.id])
          yield* (yield* Reminders).remove(clone.id)
          expect((yield* (yield* Things).get(thing.id)).reminder).toBeNull()
        })
      )
    )

    it.effect("a reminder stays with the live copies when their original is deleted", () =>
      asOwnerInBerlin((account) =>
        Effect.gen(function* () {
          const things = yield* Things
          const { thing } = yield* newThing(account)
          const clone = yield* things.create({ text: "", cloneOf: thing.id })
          const set = yield* remind(thing.id, { at: "2026-11-24T09:00", repeat: "daily" })
          yield* things.remove(thing.id)
          const left = (yield* things.get(clone.id)).reminder
          expect([left?.reminder.id, left?.reminder.thingId]).toStrictEqual([set.reminder.id, clone.id])
          expect((yield* things.update(clone.id, { completed: true })).repeating).toBeDefined()
        })
      )
    )

    it.effect("a reminder at a place has no time; an unknown place is refused with the saved ones", () =>
      asOwnerInBerlin((account) =>
        Effect.gen(function* () {
          const { thing } = yield* newThing(account)
          const places = yield* Places
          const saved = yield* places.save({ name: "Home", address: "Main Street 1", latitude: 52.5, longitude: 13.4 })
          expect([saved.created, saved.place.radiusMeters]).toStrictEqual([true, 150])
          const again = yield* places.save({ name: " HOME ", radiusMeters: 50 })
          expect([again.created, again.place.id, again.place.latitude, again.place.radiusMeters]).toStrictEqual([
            false,
            saved.place.id,
            52.5,
            50
          ])
          const moved = yield* places.save({ name: "Home", address: "Side Street 2" })
          expect(moved.place).toMatchObject({ latitude: null, longitude: null, radiusMeters: 50 })
          yield* places.save({ name: "Hut", latitude: 47.1, longitude: 13.2 })
          const hut = (yield* places.save({ name: "Hut", address: "Forest Road 3" })).place
          expect([hut.address, hut.latitude, hut.longitude]).toStrictEqual(["Forest Road 3", 47.1, 13.2])
          yield* places.remove(hut.id)
          const set = yield* (yield* Reminders).setAtPlace(thing.id, { place: saved.place.id, trigger: "leave" })
          const json = reminderJson(set)
          expect([json.at, json.summary]).toStrictEqual([null, "on leaving Home"])
          expect(json.place).toStrictEqual({ id: saved.place.id, name: "Home", trigger: "leave" })
          expect(yield* (yield* Reminders).upcoming).toStrictEqual([])
          expect(yield* (yield* Reminders).occurrences(thing.id, 5)).toStrictEqual([])
          for (const place of ["Office", "", freshId(), "\u0000", "\ud800"]) {
            const error = yield* Effect.flip((yield* Reminders).setAtPlace(thing.id, { place, trigger: "arrive" }))
            expect(error.message).toContain("'Home'")
          }
          for (const [given, missing] of [
            ["latitude", "longitude"],
            ["longitude", "latitude"]
          ]) {
            const alone = yield* Effect.flip(places.save({ name: "X", [given!]: 1 }))
            expect(alone.message).toContain(`${given} and ${missing} must be given together`)
          }
          yield* places.remove(saved.place.id)
          expect((yield* (yield* Things).get(thing.id)).reminder).toBeNull()
        })
      )
    )

    it.effect.each(vectors)("completing advances as in the golden vector: $name", (vector) =>
      asOwnerInBerlin(
        (account) =>
          Effect.gen(function* () {
            const { thing } = yield* newThing(account)
            const set = yield* remind(thing.id, bodyOf(vector))
            let now = set.reminder.trigger._tag === "Time" ? set.reminder.trigger.at : 0
            const skipped = vector.occurrences.findIndex((each) => Date.parse(each) > now)
            if (Date.parse(vector.after) > now) now = Date.parse(vector.after)
            for (const expected of vector.occurrences.slice(skipped)) {
              const { repeating } = yield* (yield* Things).update(thing.id, { completed: true }).pipe(at(now))
              expect(formatTime(repeating!.nextAt)).toBe(expected)
              now = repeating!.nextAt
            }
            const { reminder, thing: left } = yield* (yield* Things).get(thing.id)
            expect(left.completed).toBe(false)
            expect(reminderJson(reminder!).at).toBe(vector.occurrences.at(-1))
          }),
        { timezone: vector.zone }
      )
    )
  })
}

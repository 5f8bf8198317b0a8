import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { type Reminder } from "@lists-and-things/domain/model/Reminder"
import { minus, plus, sizeOf } from "@lists-and-things/domain/model/Size"
import {
  earliest,
  latest,
  malformedIds,
  newAccount,
  newList,
  newThings,
  noon,
  placeTrigger,
  reminder,
  timeTrigger
} from "./Fixtures.ts"
import { byThing, newPlace, setup } from "./ReminderFixtures.ts"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"

type Ports = AccountStore | ListStore | ThingStore | ReminderStore | PlaceStore

/** The queries of `ReminderStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ReminderStore, queries`, (it) => {
    it.effect("a list has the reminders of its things and of its clones' originals, and no others", () =>
      Effect.gen(function* () {
        const { owner, home, things, made } = yield* setup([noon, noon + 1])
        const other = yield* newList(owner)
        const [clone] = yield* newThings(owner, other.id, [{ cloneOf: things[1]!.id }])
        yield* newThings(owner, other.id, [{ cloneOf: things[1]!.id }, {}])
        const store = yield* ThingStore
        expect(yield* store.withReminder(owner, things[0]!.id)).toStrictEqual({
          thing: (yield* store.get(owner, things[0]!.id))!,
          reminder: made[0]!
        })
        expect((yield* store.withReminder(owner, clone!.id))?.reminder).toStrictEqual(made[1]!)
        const today = yield* newList(owner, { day: "2026-11-21" })
        yield* newThings(owner, today.id, [{ cloneOf: things[0]!.id }])
        const all = { bytes: 1_000, things: 1_000 }
        const small = (yield* store.listWithThings(owner, home.id, all))!
        expect(small.list).toStrictEqual(home)
        expect(small.things).toStrictEqual(yield* store.ofList(owner, home.id))
        expect(byThing(small.reminders)).toStrictEqual(byThing(made))
        expect((yield* store.listWithThings(owner, other.id, all))?.reminders).toStrictEqual([made[1]!, made[1]!])
        expect(yield* store.listWithThings(owner, { day: "2026-11-21" }, all)).toStrictEqual({
          list: today,
          isWhole: true,
          things: yield* store.ofList(owner, today.id),
          reminders: [made[0]!]
        })
        const empty = yield* newList(owner, { day: "2026-11-23" })
        const none = { things: [], reminders: [] }
        expect(yield* store.listWithThings(owner, { day: "2026-11-22" }, all)).toBe(undefined)
        expect(yield* store.listWithThings(owner, empty.id, all)).toStrictEqual({
          list: empty,
          isWhole: true,
          ...none
        })
        const size = things.map(sizeOf).reduce(plus)
        expect(yield* store.listWithThings(owner, home.id, size)).toStrictEqual(small)
        expect(yield* store.listWithThings(owner, home.id)).toStrictEqual(small)
        for (const less of [minus(size, { things: 1, bytes: 0 }), minus(size, { things: 0, bytes: 1 })])
          expect(yield* store.listWithThings(owner, home.id, less)).toStrictEqual({
            list: home,
            isWhole: false,
            ...none
          })
        const stranger = yield* newAccount()
        expect(yield* store.listWithThings(stranger.id, home.id, all)).toBe(undefined)
        expect(yield* store.listWithThings(stranger.id, { day: "2026-11-21" }, all)).toBe(undefined)
        expect(yield* store.withReminder(stranger.id, things[0]!.id)).toBe(undefined)
        for (const id of malformedIds) {
          expect(yield* store.withReminder(owner, id)).toBe(undefined)
          expect(yield* store.listWithThings(owner, id, all)).toBe(undefined)
        }
      })
    )

    it.effect("after pages through all reminders by thing id", () =>
      Effect.gen(function* () {
        const { owner, reminders } = yield* setup([noon, noon + 1, noon + 2])
        const all = yield* reminders.all(owner)
        const first = yield* reminders.after(owner, undefined, 2)
        expect(first).toStrictEqual(all.slice(0, 2))
        expect(yield* reminders.after(owner, first[1]!.thingId, 2)).toStrictEqual(all.slice(2))
        expect(yield* reminders.after(owner, all[2]!.thingId, 2)).toStrictEqual([])
      })
    )

    it.effect("withReminder returns a reminder with every field, also one at a place", () =>
      Effect.gen(function* () {
        const { owner, things, reminders } = yield* setup([], [{}, {}])
        const store = yield* ThingStore
        const at = yield* newPlace(owner)
        const placed = reminder(things[0]!, { trigger: placeTrigger(at.id) })
        yield* reminders.put(owner, [placed])
        expect((yield* store.withReminder(owner, things[0]!.id))?.reminder).toStrictEqual(placed)
        expect((yield* store.withReminder(owner, things[1]!.id))?.reminder).toBe(undefined)
        for (const time of [earliest, latest]) {
          const timed = reminder(things[1]!, { trigger: timeTrigger(time) })
          yield* reminders.put(owner, [timed])
          expect((yield* store.withReminder(owner, things[1]!.id))?.reminder).toStrictEqual(timed)
        }
      })
    )

    it.effect("ofThings returns each reminder once", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon, noon], [{}, {}, {}])
        const ids = things.map(({ id }) => id)
        expect(byThing(yield* reminders.ofThings(owner, [...ids, ids[0]!]))).toStrictEqual(byThing(made))
        expect(yield* reminders.ofThings(owner, [])).toHaveLength(0)
      })
    )

    describe("by time", () => {
      it.effect("upcoming: after now, soonest first, then thing id", () =>
        Effect.gen(function* () {
          const { owner, reminders, made } = yield* setup([noon, noon + 2, noon + 1, noon + 1, noon - 1, latest])
          const expected = made
            .filter(({ trigger }) => trigger._tag === "Time" && trigger.at > noon)
            .toSorted((a, b) => atOf(a) - atOf(b) || (a.thingId < b.thingId ? -1 : 1))
          expect(expected).toHaveLength(4)
          expect(yield* reminders.upcoming(owner, noon, 50)).toStrictEqual(expected)
          expect(yield* reminders.upcoming(owner, noon, 2)).toStrictEqual(expected.slice(0, 2))
        })
      )

      it.effect("reminders of the same time are in the order of their things' ids", () =>
        Effect.gen(function* () {
          const { owner, reminders, made } = yield* setup(Array.from({ length: 6 }, () => noon))
          const expected = byThing(made)
          yield* reminders.remove(
            owner,
            made.map(({ thingId }) => thingId)
          )
          for (const each of expected.toReversed()) yield* reminders.put(owner, [each])
          expect(yield* reminders.upcoming(owner, addMillis(noon, -1), 50)).toStrictEqual(expected)
          expect(yield* reminders.overdue(owner, noon, 50)).toStrictEqual(expected)
          expect((yield* reminders.between(owner, noon, addMillis(noon, 1), 50)).items).toStrictEqual(expected)
          expect(yield* reminders.all(owner)).toStrictEqual(expected)
        })
      )

      it.effect("upcoming includes completed things", () =>
        Effect.gen(function* () {
          const { owner, reminders, made } = yield* setup([noon + 1], [{ completed: true }])
          expect(yield* reminders.upcoming(owner, noon, 50)).toStrictEqual(made)
        })
      )

      it.effect("overdue: at or before now, of open things, most recent first", () =>
        Effect.gen(function* () {
          const { owner, reminders, made } = yield* setup(
            [noon - 2, noon, noon - 1, noon + 1, noon - 3, noon - 4, earliest],
            [{}, {}, {}, {}, { completed: true }, { canceled: true }, {}]
          )
          const expected = [made[1]!, made[2]!, made[0]!, made[6]!]
          expect(yield* reminders.overdue(owner, noon, 50)).toStrictEqual(expected)
          expect(yield* reminders.overdue(owner, noon, 2)).toStrictEqual(expected.slice(0, 2))
        })
      )

      it.effect("between: from inclusive, to exclusive, soonest first, and whether more follow", () =>
        Effect.gen(function* () {
          const { owner, reminders, made } = yield* setup([noon + 10, noon + 9, noon + 1, noon, noon - 1])
          const expected = [made[3]!, made[2]!, made[1]!]
          const read = (limit: number) => reminders.between(owner, noon, addMillis(noon, 10), limit)
          expect(yield* read(3)).toStrictEqual({ items: expected, hasMore: false })
          expect(yield* read(2)).toStrictEqual({ items: expected.slice(0, 2), hasMore: true })
          expect(yield* reminders.between(owner, addMillis(noon, 20), addMillis(noon, 30), 9)).toStrictEqual({
            items: [],
            hasMore: false
          })
          expect((yield* reminders.between(owner, earliest, latest, 9)).items).toHaveLength(5)
        })
      )

      it.effect("repeating: before a time, of open things, most recent first, then thing id", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const states = [{}, {}, {}, {}, {}, { completed: true }, { canceled: true }]
          const things = yield* newThings(owner, (yield* newList(owner)).id, states)
          const times = [noon - 3, noon - 2, noon - 1, noon - 1, noon, noon - 1, noon - 1]
          const made = times.map((at, index) => {
            const repeat = index === 1 ? "none" : "daily"
            return reminder(things[index]!, { trigger: timeTrigger(at, { rule: { ...everyOne, repeat } }) })
          })
          const reminders = yield* ReminderStore
          yield* reminders.put(owner, made)
          const expected = [...byThing([made[2]!, made[3]!]), made[0]!]
          expect(yield* reminders.repeating(owner, noon, 50)).toStrictEqual(expected)
          expect(yield* reminders.repeating(owner, noon, 1)).toStrictEqual(expected.slice(0, 1))
        })
      )
    })

    it.effect("place reminders have no time: only atPlaces and all return them", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon], [{}, {}, {}])
        const here = yield* newPlace(owner)
        const there = yield* newPlace(owner)
        const placed = [here, there].map(({ id }, index) => reminder(things[index + 1]!, { trigger: placeTrigger(id) }))
        yield* reminders.put(owner, placed)
        expect(byThing(yield* reminders.atPlaces(owner))).toStrictEqual(byThing(placed))
        expect(yield* reminders.atPlaces(owner, 1)).toStrictEqual((yield* reminders.atPlaces(owner)).slice(0, 1))
        expect(byThing(yield* reminders.all(owner))).toStrictEqual(byThing([...made, ...placed]))
        expect(yield* reminders.upcoming(owner, noon, 50)).toHaveLength(0)
        expect(yield* reminders.overdue(owner, latest, 50)).toStrictEqual(made)
        expect((yield* reminders.between(owner, earliest, latest, 50)).items).toStrictEqual(made)
        yield* reminders.removeOfPlace(owner, here.id)
        expect(yield* reminders.atPlaces(owner)).toStrictEqual([placed[1]!])
      })
    )
  })
}

const everyOne = { every: 1, days: [], until: null } as const

const atOf = ({ trigger }: Reminder): number => (trigger._tag === "Time" ? trigger.at : Number.NaN)

import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { PlaceId, ThingId } from "@lists-and-things/domain/model/Ids"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { type Reminder, repeats, type TimeTrigger, weekdays } from "@lists-and-things/domain/model/Reminder"
import { minus, plus, sizeOf } from "@lists-and-things/domain/model/Size"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import {
  earliest,
  freshId,
  latest,
  malformedIds,
  newAccount,
  newList,
  newThings,
  noon,
  place,
  placeTrigger,
  reminder,
  thing,
  timeTrigger,
  type Plain
} from "./Fixtures.ts"
import { addMillis, epoch } from "@lists-and-things/domain/model/EpochMillis"

export type Ports = AccountStore | ListStore | ThingStore | ReminderStore | PlaceStore

/** An owner with a thing and a reminder on it for each of the given times. */
export const setup = Effect.fnUntraced(function* (
  times: ReadonlyArray<number>,
  overrides: ReadonlyArray<Partial<Plain<Thing>>> = times.map(() => ({}))
) {
  const { id: owner } = yield* newAccount()
  const home = yield* newList(owner)
  const things = yield* newThings(owner, home.id, overrides)
  const reminders = yield* ReminderStore
  const made = times.map((at, index) => reminder(things[index]!, { trigger: timeTrigger(at) }))
  yield* reminders.put(owner, made)
  return { owner, home, things, reminders, made }
})

export const byThing = (all: ReadonlyArray<Reminder>): ReadonlyArray<Reminder> =>
  all.toSorted((a, b) => (a.thingId < b.thingId ? -1 : 1))

const newPlace = Effect.fnUntraced(function* (...[owner]: Parameters<typeof place>) {
  const made = place(owner, { name: freshId() })
  yield* Effect.flatMap(PlaceStore, (places) => places.put(made))
  return made
})

/** The contract of `ReminderStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ReminderStore`, (it) => {
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

    describe("put", () => {
      it.effect("keeps every field of a time reminder", () =>
        Effect.gen(function* () {
          const { owner, things, reminders } = yield* setup([], [{}])
          const common = { alertMinutes: 15, secondAlertMinutes: 525_600, color: "#00ff7f", created: noon - 3 }
          for (const repeat of repeats) {
            const rule = { repeat, every: 999, days: repeat === "weekly" ? weekdays : [], until: latest }
            const trigger = timeTrigger(noon, {
              first: "0001-01-01T00:00:00.000",
              rule,
              durationMinutes: 90,
              end: noon + 90 * 60_000
            })
            const made = reminder(things[0]!, { ...common, trigger })
            yield* reminders.put(owner, [made])
            expect(yield* reminders.findByThing(owner, things[0]!.id)).toStrictEqual(made)
          }
          for (const at of [earliest, latest]) {
            const made = reminder(things[0]!, { trigger: timeTrigger(at, { allDay: true }) })
            yield* reminders.put(owner, [made])
            expect(yield* reminders.findByThing(owner, things[0]!.id)).toStrictEqual(made)
          }
        })
      )

      it.effect("keeps every field of a place reminder, and can change the kind", () =>
        Effect.gen(function* () {
          const { owner, things, reminders, made } = yield* setup([noon])
          const where = yield* newPlace(owner)
          for (const on of ["arrive", "leave"] as const)
            for (const radiusMeters of [null, 250]) {
              const placed = reminder(things[0]!, { trigger: placeTrigger(where.id, { on, radiusMeters }) })
              yield* reminders.put(owner, [placed])
              expect(yield* reminders.findByThing(owner, things[0]!.id)).toStrictEqual(placed)
            }
          yield* reminders.put(owner, [made[0]!])
          expect(yield* reminders.all(owner)).toStrictEqual(made)
        })
      )

      it.effect("replaces the reminder of the same thing", () =>
        Effect.gen(function* () {
          const { owner, things, reminders } = yield* setup([noon])
          const second = reminder(things[0]!, { trigger: timeTrigger(noon + 5), color: "#123456" })
          yield* reminders.put(owner, [second])
          expect(yield* reminders.all(owner)).toStrictEqual([second])
        })
      )

      it.effect("refuses a thing that is not the owner's", () =>
        Effect.gen(function* () {
          const { home, things, reminders } = yield* setup([], [{}])
          const stranger = (yield* newAccount()).id
          const nowhere = thing(stranger, home.id)
          for (const of of [{ ...things[0]!, owner: stranger }, nowhere])
            expect(Exit.isFailure(yield* Effect.exit(reminders.put(stranger, [reminder(of)])))).toBe(true)
          expect(yield* reminders.all(stranger)).toHaveLength(0)
        })
      )
    })

    it.effect("put keeps every field of many reminders, and replaces those of the same things", () =>
      Effect.gen(function* () {
        const { owner, things, reminders } = yield* setup([noon, noon + 1], [{}, {}, {}, {}])
        const where = yield* newPlace(owner)
        const rule = { repeat: "weekly", every: 999, days: ["monday", "friday"], until: latest } as const
        const long = timeTrigger(noon, { rule, durationMinutes: 90, end: noon + 90 * 60_000 })
        const made = [
          reminder(things[0]!, { trigger: long, alertMinutes: 15, secondAlertMinutes: 525_600, color: "#00ff7f" }),
          reminder(things[1]!, { trigger: placeTrigger(where.id, { on: "leave", radiusMeters: 250.5 }) }),
          reminder(things[2]!, { trigger: timeTrigger(earliest, { allDay: true }), created: noon - 3 }),
          reminder(things[3]!, { trigger: timeTrigger(latest) })
        ]
        yield* reminders.put(owner, made)
        expect(byThing(yield* reminders.all(owner))).toStrictEqual(byThing(made))
        yield* reminders.put(owner, [])
        const stranger = (yield* newAccount()).id
        const foreign = { ...made[0]!, owner: stranger }
        expect(Exit.isFailure(yield* Effect.exit(reminders.put(stranger, [foreign])))).toBe(true)
        expect(byThing(yield* reminders.all(owner))).toStrictEqual(byThing(made))
      })
    )

    it.effect("putTimes replaces only the times of time reminders", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon], [{}, {}, {}])
        const where = yield* newPlace(owner)
        const placed = reminder(things[1]!, { trigger: placeTrigger(where.id) })
        yield* reminders.put(owner, [placed])
        const times = timeTrigger(noon + 7, { first: "2026-01-01T00:00:00.000", end: noon + 9 })
        const moved = { ...times, rule: { ...times.rule, until: latest } }
        const given = [...made, placed, reminder(things[2]!)].map((one) => ({
          ...one,
          color: "#999999",
          trigger: moved
        }))
        yield* reminders.putTimes(owner, [...given, { ...given[0]!, thingId: malformedIds[0] as ThingId }])
        yield* reminders.putTimes(owner, [])
        yield* reminders.putTimes((yield* newAccount()).id, given)
        const before = made[0]!.trigger as TimeTrigger
        const after = {
          ...before,
          at: addMillis(noon, 7),
          first: moved.first,
          end: addMillis(noon, 9),
          rule: { ...before.rule, until: latest }
        }
        expect(byThing(yield* reminders.all(owner))).toStrictEqual(byThing([{ ...made[0]!, trigger: after }, placed]))
      })
    )

    it.effect("ids of another owner and malformed ids are unknown to every method", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon], [{}, {}])
        const where = yield* newPlace(owner)
        const placed = reminder(things[1]!, { trigger: placeTrigger(where.id) })
        yield* reminders.put(owner, [placed])
        const stranger = (yield* newAccount()).id
        const ids = things.map(({ id }) => id)
        expect(yield* reminders.findByThing(stranger, ids[0]!)).toBeUndefined()
        expect(yield* reminders.ofThings(stranger, ids)).toHaveLength(0)
        yield* reminders.remove(stranger, ids)
        yield* reminders.reattach(stranger, new Map([[ids[0]!, ids[1]!]]))
        yield* reminders.removeOfPlace(stranger, where.id)
        expect(yield* reminders.upcoming(stranger, epoch, 50)).toHaveLength(0)
        expect(yield* reminders.overdue(stranger, latest, 50)).toHaveLength(0)
        expect((yield* reminders.between(stranger, earliest, latest, 50)).items).toHaveLength(0)
        expect(yield* reminders.repeating(stranger, latest, 50)).toHaveLength(0)
        expect(yield* reminders.atPlaces(stranger)).toHaveLength(0)
        expect(yield* reminders.all(stranger)).toHaveLength(0)
        for (const id of [...malformedIds, freshId()]) {
          expect(yield* reminders.findByThing(owner, id)).toBeUndefined()
          yield* reminders.remove(owner, [id])
          expect(yield* reminders.ofThings(owner, [ThingId.make(id)])).toHaveLength(0)
          yield* reminders.removeOfPlace(owner, PlaceId.make(id))
        }
        expect(byThing(yield* reminders.all(owner))).toStrictEqual(byThing([...made, placed]))
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

    it.effect("remove leaves the things, and ignores unknown ids", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon, noon, noon])
        const [a, b] = things.map(({ id }) => id)
        yield* reminders.remove(owner, [a!, b!, a!, freshId()])
        yield* reminders.remove(owner, [a!])
        yield* reminders.remove(owner, [])
        expect(yield* reminders.all(owner)).toStrictEqual([made[2]!])
        const left = yield* Effect.flatMap(ThingStore, (store) => store.get(owner, a!))
        expect(left).toStrictEqual(things[0])
      })
    )

    it.effect("reattach moves the reminder to the other thing", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon], [{}, {}])
        const [from, to] = things.map(({ id }) => id)
        yield* reminders.reattach(owner, new Map([[from!, to!]]))
        expect(yield* reminders.findByThing(owner, from!)).toBeUndefined()
        expect(yield* reminders.findByThing(owner, to!)).toStrictEqual({ ...made[0]!, thingId: to! })
        yield* reminders.reattach(owner, new Map([[from!, to!]]))
        expect(yield* reminders.all(owner)).toHaveLength(1)
      })
    )

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

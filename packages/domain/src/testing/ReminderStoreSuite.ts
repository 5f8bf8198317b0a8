import { assert, describe, layer as withLayer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { PlaceId, ThingId } from "../Ids.ts"
import type { AccountStore } from "../ports/AccountStore.ts"
import type { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { type Reminder, repeats, type TimeTrigger, weekdays } from "../reminders/Reminder.ts"
import type { Thing } from "../things/Thing.ts"
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
  timeTrigger
} from "./Fixtures.ts"

type Ports = AccountStore | ListStore | ThingStore | ReminderStore | PlaceStore

/** An owner with one thing, and a reminder on it, for each of the given times. */
const setup = Effect.fnUntraced(function* (
  times: ReadonlyArray<number>,
  overrides: ReadonlyArray<Partial<Thing>> = times.map(() => ({}))
) {
  const { id: owner } = yield* newAccount()
  const home = yield* newList(owner)
  const things = yield* newThings(owner, home.id, overrides)
  const reminders = yield* ReminderStore
  const made = times.map((at, index) => reminder(things[index]!, { trigger: timeTrigger(at) }))
  yield* Effect.forEach(made, (one) => reminders.put(one))
  return { owner, home, things, reminders, made }
})

const byThing = (all: ReadonlyArray<Reminder>): ReadonlyArray<Reminder> =>
  all.toSorted((a, b) => (a.thingId < b.thingId ? -1 : 1))

const newPlace = Effect.fnUntraced(function* (...[owner]: Parameters<typeof place>) {
  const made = place(owner, { name: freshId() })
  yield* Effect.flatMap(PlaceStore, (places) => places.put(made))
  return made
})

/** What `ReminderStore` promises, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true, timeout: "60 seconds" })(`${name}: ReminderStore`, (it) => {
    it.effect("ofList answers the reminders of a list's things and of its clones' originals, and no others", () =>
      Effect.gen(function* () {
        const { owner, home, reminders, things, made } = yield* setup([noon, noon + 1])
        const other = yield* newList(owner)
        const [clone] = yield* newThings(owner, other.id, [{ cloneOf: things[1]!.id }])
        yield* newThings(owner, other.id, [{ cloneOf: things[1]!.id }, {}])
        assert.deepStrictEqual(byThing(yield* reminders.ofList(owner, home.id)), byThing(made))
        assert.deepStrictEqual(yield* reminders.ofList(owner, other.id), [made[1]!])
        const store = yield* ThingStore
        assert.deepStrictEqual(yield* store.withReminder(owner, things[0]!.id), {
          thing: (yield* store.get(owner, things[0]!.id))!,
          reminder: made[0]!
        })
        assert.deepStrictEqual((yield* store.withReminder(owner, clone!.id))?.reminder, made[1]!)
        const stranger = yield* newAccount()
        assert.deepStrictEqual(yield* reminders.ofList(stranger.id, home.id), [])
        assert.strictEqual(yield* store.withReminder(stranger.id, things[0]!.id), undefined)
        for (const id of malformedIds) {
          assert.deepStrictEqual(yield* reminders.ofList(owner, id), [])
          assert.strictEqual(yield* store.withReminder(owner, id), undefined)
        }
      })
    )

    it.effect("after goes through all reminders by thing id", () =>
      Effect.gen(function* () {
        const { owner, reminders } = yield* setup([noon, noon + 1, noon + 2])
        const all = yield* reminders.all(owner)
        const first = yield* reminders.after(owner, undefined, 2)
        assert.deepStrictEqual(first, all.slice(0, 2))
        assert.deepStrictEqual(yield* reminders.after(owner, first[1]!.thingId, 2), all.slice(2))
        assert.deepStrictEqual(yield* reminders.after(owner, all[2]!.thingId, 2), [])
      })
    )

    it.effect("a reminder comes whole with its thing, also one at a place", () =>
      Effect.gen(function* () {
        const { owner, things, reminders } = yield* setup([], [{}, {}])
        const store = yield* ThingStore
        const at = yield* newPlace(owner)
        const placed = reminder(things[0]!, { trigger: placeTrigger(at.id) })
        yield* reminders.put(placed)
        assert.deepStrictEqual((yield* store.withReminder(owner, things[0]!.id))?.reminder, placed)
        assert.strictEqual((yield* store.withReminder(owner, things[1]!.id))?.reminder, undefined)
        for (const time of [earliest, latest]) {
          const timed = reminder(things[1]!, { trigger: timeTrigger(time) })
          yield* reminders.put(timed)
          assert.deepStrictEqual((yield* store.withReminder(owner, things[1]!.id))?.reminder, timed)
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
            yield* reminders.put(made)
            assert.deepStrictEqual(yield* reminders.findByThing(owner, things[0]!.id), made)
          }
          for (const at of [earliest, latest]) {
            const made = reminder(things[0]!, { trigger: timeTrigger(at, { allDay: true }) })
            yield* reminders.put(made)
            assert.deepStrictEqual(yield* reminders.findByThing(owner, things[0]!.id), made)
          }
        })
      )

      it.effect("keeps every field of a place reminder, and may change the kind", () =>
        Effect.gen(function* () {
          const { owner, things, reminders, made } = yield* setup([noon])
          const where = yield* newPlace(owner)
          for (const on of ["arrive", "leave"] as const)
            for (const radiusMeters of [null, 250]) {
              const placed = reminder(things[0]!, { trigger: placeTrigger(where.id, { on, radiusMeters }) })
              yield* reminders.put(placed)
              assert.deepStrictEqual(yield* reminders.findByThing(owner, things[0]!.id), placed)
            }
          yield* reminders.put(made[0]!)
          assert.deepStrictEqual(yield* reminders.all(owner), made)
        })
      )

      it.effect("replaces the reminder of the same thing", () =>
        Effect.gen(function* () {
          const { owner, things, reminders } = yield* setup([noon])
          const second = reminder(things[0]!, { trigger: timeTrigger(noon + 5), color: "#123456" })
          yield* reminders.put(second)
          assert.deepStrictEqual(yield* reminders.all(owner), [second])
        })
      )

      it.effect("refuses a thing that is not the owner's", () =>
        Effect.gen(function* () {
          const { home, things, reminders } = yield* setup([], [{}])
          const stranger = (yield* newAccount()).id
          const nowhere = thing(stranger, home.id)
          for (const of of [{ ...things[0]!, owner: stranger }, nowhere])
            assert.isTrue(Exit.isFailure(yield* Effect.exit(reminders.put(reminder(of)))))
          assert.isEmpty(yield* reminders.all(stranger))
        })
      )
    })

    it.effect("putTimes replaces when time reminders fire, and nothing else", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon], [{}, {}, {}])
        const where = yield* newPlace(owner)
        const placed = reminder(things[1]!, { trigger: placeTrigger(where.id) })
        yield* reminders.put(placed)
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
          at: noon + 7,
          first: moved.first,
          end: noon + 9,
          rule: { ...before.rule, until: latest }
        }
        assert.deepStrictEqual(byThing(yield* reminders.all(owner)), byThing([{ ...made[0]!, trigger: after }, placed]))
      })
    )

    it.effect("another owner's ids and malformed ones are unknown to every method", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon], [{}, {}])
        const where = yield* newPlace(owner)
        const placed = reminder(things[1]!, { trigger: placeTrigger(where.id) })
        yield* reminders.put(placed)
        const stranger = (yield* newAccount()).id
        const ids = things.map(({ id }) => id)
        assert.isUndefined(yield* reminders.findByThing(stranger, ids[0]!))
        assert.isEmpty(yield* reminders.ofThings(stranger, ids))
        assert.strictEqual(yield* reminders.remove(stranger, ids), 0)
        yield* reminders.reattach(stranger, new Map([[ids[0]!, ids[1]!]]))
        yield* reminders.removeOfPlace(stranger, where.id)
        assert.isEmpty(yield* reminders.upcoming(stranger, 0, 50))
        assert.isEmpty(yield* reminders.overdue(stranger, latest, 50))
        assert.isEmpty((yield* reminders.between(stranger, earliest, latest, 50)).items)
        assert.isEmpty(yield* reminders.atPlaces(stranger))
        assert.isEmpty(yield* reminders.all(stranger))
        for (const id of [...malformedIds, freshId()]) {
          assert.isUndefined(yield* reminders.findByThing(owner, id))
          assert.strictEqual(yield* reminders.remove(owner, [id]), 0)
          assert.isEmpty(yield* reminders.ofThings(owner, [ThingId.make(id)]))
          yield* reminders.removeOfPlace(owner, PlaceId.make(id))
        }
        assert.deepStrictEqual(byThing(yield* reminders.all(owner)), byThing([...made, placed]))
      })
    )

    it.effect("ofThings answers each once", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon, noon], [{}, {}, {}])
        const ids = things.map(({ id }) => id)
        assert.deepStrictEqual(byThing(yield* reminders.ofThings(owner, [...ids, ids[0]!])), byThing(made))
        assert.isEmpty(yield* reminders.ofThings(owner, []))
      })
    )

    it.effect("remove counts what existed, and leaves the things", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon, noon, noon])
        const [a, b] = things.map(({ id }) => id)
        assert.strictEqual(yield* reminders.remove(owner, [a!, b!, a!, freshId()]), 2)
        assert.strictEqual(yield* reminders.remove(owner, [a!]), 0)
        assert.strictEqual(yield* reminders.remove(owner, []), 0)
        assert.deepStrictEqual(yield* reminders.all(owner), [made[2]!])
        const left = yield* Effect.flatMap(ThingStore, (store) => store.get(owner, a!))
        assert.deepStrictEqual(left, things[0])
      })
    )

    it.effect("reattach hangs the reminder on the other thing", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon], [{}, {}])
        const [from, to] = things.map(({ id }) => id)
        yield* reminders.reattach(owner, new Map([[from!, to!]]))
        assert.isUndefined(yield* reminders.findByThing(owner, from!))
        assert.deepStrictEqual(yield* reminders.findByThing(owner, to!), { ...made[0]!, thingId: to! })
        yield* reminders.reattach(owner, new Map([[from!, to!]]))
        assert.lengthOf(yield* reminders.all(owner), 1)
      })
    )

    describe("by time", () => {
      it.effect("upcoming: after now, soonest first, then thing id", () =>
        Effect.gen(function* () {
          const { owner, reminders, made } = yield* setup([noon, noon + 2, noon + 1, noon + 1, noon - 1, latest])
          const expected = made
            .filter(({ trigger }) => trigger._tag === "Time" && trigger.at > noon)
            .toSorted((a, b) => atOf(a) - atOf(b) || (a.thingId < b.thingId ? -1 : 1))
          assert.lengthOf(expected, 4)
          assert.deepStrictEqual(yield* reminders.upcoming(owner, noon, 50), expected)
          assert.deepStrictEqual(yield* reminders.upcoming(owner, noon, 2), expected.slice(0, 2))
        })
      )

      it.effect("upcoming shows completed things too", () =>
        Effect.gen(function* () {
          const { owner, reminders, made } = yield* setup([noon + 1], [{ completed: true }])
          assert.deepStrictEqual(yield* reminders.upcoming(owner, noon, 50), made)
        })
      )

      it.effect("overdue: at or before now, of open things, most recent first", () =>
        Effect.gen(function* () {
          const { owner, reminders, made } = yield* setup(
            [noon - 2, noon, noon - 1, noon + 1, noon - 3, noon - 4, earliest],
            [{}, {}, {}, {}, { completed: true }, { canceled: true }, {}]
          )
          const expected = [made[1]!, made[2]!, made[0]!, made[6]!]
          assert.deepStrictEqual(yield* reminders.overdue(owner, noon, 50), expected)
          assert.deepStrictEqual(yield* reminders.overdue(owner, noon, 2), expected.slice(0, 2))
        })
      )

      it.effect("between: from inclusive, to exclusive, soonest first, and whether there is more", () =>
        Effect.gen(function* () {
          const { owner, reminders, made } = yield* setup([noon + 10, noon + 9, noon + 1, noon, noon - 1])
          const expected = [made[3]!, made[2]!, made[1]!]
          const read = (limit: number) => reminders.between(owner, noon, noon + 10, limit)
          assert.deepStrictEqual(yield* read(3), { items: expected, hasMore: false })
          assert.deepStrictEqual(yield* read(2), { items: expected.slice(0, 2), hasMore: true })
          assert.deepStrictEqual(yield* reminders.between(owner, noon + 20, noon + 30, 9), {
            items: [],
            hasMore: false
          })
          assert.lengthOf((yield* reminders.between(owner, earliest, latest, 9)).items, 5)
        })
      )
    })

    it.effect("place reminders have no time: only atPlaces and all show them", () =>
      Effect.gen(function* () {
        const { owner, things, reminders, made } = yield* setup([noon], [{}, {}, {}])
        const here = yield* newPlace(owner)
        const there = yield* newPlace(owner)
        const placed = [here, there].map(({ id }, index) => reminder(things[index + 1]!, { trigger: placeTrigger(id) }))
        yield* Effect.forEach(placed, (one) => reminders.put(one))
        assert.deepStrictEqual(byThing(yield* reminders.atPlaces(owner)), byThing(placed))
        assert.deepStrictEqual(byThing(yield* reminders.all(owner)), byThing([...made, ...placed]))
        assert.isEmpty(yield* reminders.upcoming(owner, noon, 50))
        assert.deepStrictEqual(yield* reminders.overdue(owner, latest, 50), made)
        assert.deepStrictEqual((yield* reminders.between(owner, earliest, latest, 50)).items, made)
        yield* reminders.removeOfPlace(owner, here.id)
        assert.deepStrictEqual(yield* reminders.atPlaces(owner), [placed[1]!])
      })
    )
  })
}

const atOf = ({ trigger }: Reminder): number => (trigger._tag === "Time" ? trigger.at : Number.NaN)

import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { PlaceId, ThingId } from "@lists-and-things/domain/model/Ids"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { repeats, type TimeTrigger, weekdays } from "@lists-and-things/domain/model/Reminder"
import {
  earliest,
  freshId,
  latest,
  malformedIds,
  newAccount,
  noon,
  placeTrigger,
  reminder,
  thing,
  timeTrigger
} from "./Fixtures.ts"
import { byThing, newPlace, setup } from "./ReminderFixtures.ts"
import { addMillis, epoch } from "@lists-and-things/domain/model/EpochMillis"

type Ports = AccountStore | ListStore | ThingStore | ReminderStore | PlaceStore

/** The contract of `ReminderStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ReminderStore`, (it) => {
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
  })
}

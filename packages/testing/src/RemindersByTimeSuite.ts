import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import type { Reminder } from "@lists-and-things/domain/model/Reminder"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"
import { earliest, latest, newAccount, newList, newThings, noon, reminder, timeTrigger } from "./Fixtures.ts"
import { byThing, type Ports, setup } from "./ReminderStoreSuite.ts"

/** What `ReminderStore` finds by time, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: reminders by time`, (it) => {
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
}

const everyOne = { every: 1, days: [], until: null } as const

const atOf = ({ trigger }: Reminder): number => (trigger._tag === "Time" ? trigger.at : Number.NaN)

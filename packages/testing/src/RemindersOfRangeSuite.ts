import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Places } from "@lists-and-things/domain/places/Places"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import type { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { asOwner, remind } from "./AsOwner.ts"
import { newList, newThings } from "./Fixtures.ts"

type UseCases = Reminders | Places | AccountStore | ListStore | ThingStore

const berlin = { timezone: "Europe/Berlin" }

/** The use cases that find reminders of a range or a day, over an adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: reminders of a range`, (it) => {
    it.effect("a range includes both ends, and reminders at places come last", () =>
      asOwner(
        (account) =>
          Effect.gen(function* () {
            const list = yield* newList(account.id)
            const days = ["2026-11-22", "2026-11-23", "2026-11-24", "Home"]
            const things = yield* newThings(
              account.id,
              list.id,
              days.map((text) => ({ text }))
            )
            for (const thing of things.slice(0, 3)) yield* remind(thing.id, { at: thing.text })
            yield* (yield* Places).save({ name: "Home" })
            yield* (yield* Reminders).setAtPlace(things[3]!.id, { place: "home", trigger: "arrive" })
            const between = (range: Parameters<Reminders["Service"]["between"]>[0]) =>
              Effect.gen(function* () {
                const { hasMore, items } = yield* (yield* Reminders).between(range)
                return [items.map((view) => view.thing.text), hasMore] as const
              })
            expect(yield* between({ from: "tomorrow", to: "2026-11-23", includePlace: false })).toStrictEqual([
              ["2026-11-22", "2026-11-23"],
              false
            ])
            expect(yield* between({ to: "2026-11-21T23:00:00Z" })).toStrictEqual([["2026-11-22", "Home"], false])
            expect(yield* between({})).toStrictEqual([["2026-11-22", "2026-11-23", "2026-11-24", "Home"], false])
            expect(yield* between({ limit: 2 })).toStrictEqual([["2026-11-22", "2026-11-23"], true])
            expect((yield* between({ limit: 4 }))[1]).toBe(false)
            const error = yield* Effect.flip(between({ from: "soon" }))
            expect(error.message).toContain("from must be")
            for (const [from, to] of [
              ["tomorrow", "today"],
              ["2026-11-23T10:00", "2026-11-23T09:59"],
              ["2026-11-24", "2026-11-23T23:00"]
            ] as const)
              expect((yield* Effect.flip(between({ from, to }))).message).toBe(
                `to must not be before from, which is "${from}", not "${to}". For example "from": "2026-11-23", "to": "2026-11-30"`
              )
            expect(yield* between({ from: "2026-11-23T23:59", to: "2026-11-23" })).toStrictEqual([["Home"], false])
            expect(yield* between({ from: "2026-11-23T10:00", to: "2026-11-23T10:00" })).toStrictEqual([
              ["Home"],
              false
            ])
          }),
        berlin
      )
    )

    it.effect("a day has what is due on it, and today also what is overdue, however many are upcoming", () =>
      asOwner(
        (account) =>
          Effect.gen(function* () {
            const list = yield* newList(account.id)
            const days = ["2026-11-20", "2026-11-21", "2026-11-21T08:00", "2026-11-21T23:59", "2026-11-22"]
            const things = yield* newThings(
              account.id,
              list.id,
              [...days, "2026-11-21T10:00", "2026-11-19"].map((text, at) => ({ text, completed: at >= days.length }))
            )
            for (const thing of things) yield* remind(thing.id, { at: thing.text })
            const later = yield* newThings(
              account.id,
              list.id,
              Array.from({ length: 50 }, (_, index) => ({ text: `later ${index}` }))
            )
            for (const thing of later) yield* remind(thing.id, { at: "2026-12-24T18:00" })
            const textsOn = (date: string) =>
              Effect.gen(function* () {
                const { due, overdue } = yield* (yield* Reminders).onDay(date)
                return [due.map(({ thing }) => thing.text), overdue.map(({ thing }) => thing.text)]
              })
            expect(yield* textsOn("2026-11-21")).toStrictEqual([days.slice(1, 4), ["2026-11-20"]])
            expect(yield* textsOn("2026-11-22")).toStrictEqual([["2026-11-22"], []])
            expect(yield* textsOn("2026-11-20")).toStrictEqual([["2026-11-20"], []])
          }),
        berlin
      )
    )

    it.effect("what repeats comes again in a range behind its time, where its thing is open", () =>
      asOwner(
        (account) =>
          Effect.gen(function* () {
            const list = yield* newList(account.id)
            const given = [
              ["daily", { at: "2026-11-22T09:00", repeat: "daily" }],
              ["Mondays", { at: "2026-11-23T23:30", days: ["monday"] }],
              ["overdue", { at: "2026-11-17", repeat: "weekly" }],
              ["yearly", { at: "2026-11-24T09:00", repeat: "yearly" }],
              ["ended", { at: "2026-11-22T09:00", repeat: "daily", repeat_until: "2026-11-25" }],
              ["once", { at: "2026-11-22T09:00" }],
              ["done", { at: "2026-11-22T09:00", repeat: "daily" }],
              ["later", { at: "2026-12-01T09:00", repeat: "daily" }]
            ] as const
            const named = given.map(([text]) => ({ text, completed: text === "done" }))
            const things = yield* newThings(account.id, list.id, named)
            for (const [index, [, body]] of given.entries()) yield* remind(things[index]!.id, body)
            const again = (range: Parameters<Reminders["Service"]["comingAgain"]>[0]) =>
              Effect.gen(function* () {
                return (yield* (yield* Reminders).comingAgain(range)).map((view) => view.thing.text)
              })
            expect(yield* again({ from: "2026-11-30", to: "2026-11-30" })).toStrictEqual(["Mondays", "daily"])
            expect(yield* again({ from: "2026-12-01", to: "2026-12-01" })).toStrictEqual(["daily", "overdue"])
            expect(yield* again({ from: "2026-11-30T23:30", to: "2026-11-30T23:30" })).toStrictEqual(["Mondays"])
            expect(yield* again({ from: "2027-11-24" })).toStrictEqual([
              "later",
              "yearly",
              "Mondays",
              "daily",
              "overdue"
            ])
            expect(yield* again({ from: "today", to: "tomorrow" })).toStrictEqual([])
            expect(yield* again({ to: "2027-11-24" })).toStrictEqual([])
            expect(yield* again({})).toStrictEqual([])
          }),
        berlin
      )
    )
  })
}

import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type * as Crypto from "effect/Crypto"
import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { ThingId } from "@lists-and-things/domain/model/Ids"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { SetReminderInput } from "@lists-and-things/domain/json/ReminderJson"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Places } from "@lists-and-things/domain/places/Places"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import type { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { CalendarFeed } from "@lists-and-things/domain/reminders/CalendarFeed"
import { atOccurrence } from "@lists-and-things/domain/reminders/ReminderView"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Things } from "@lists-and-things/domain/things/Things"
import { remind } from "./AsOwner.ts"
import { at, freshId, newList, newThings, noon } from "./Fixtures.ts"
import { asOwnerInBerlin, newThing } from "./ReminderFixtures.ts"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"

type UseCases = Lists | Things | Reminders | Places | CalendarFeed | AccountStore | ListStore | ThingStore

/** What the use cases of reminders show: upcoming ones, ranges, days, occurrences, the calendar feed; over any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases | Crypto.Crypto, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: views of reminders`, (it) => {
    it.effect("upcoming has future ones, soonest first, then overdue ones of open things, latest first, up to 50", () =>
      asOwnerInBerlin((account) =>
        Effect.gen(function* () {
          const list = yield* newList(account.id)
          const days = ["2026-11-25", "2026-11-20", "2026-11-23", "2026-11-10", "2026-11-19"]
          const things = yield* newThings(
            account.id,
            list.id,
            days.map((text) => ({ text, completed: text === "2026-11-19" }))
          )
          for (const thing of things) yield* remind(thing.id, { at: thing.text })
          const texts = Effect.gen(function* () {
            return (yield* (yield* Reminders).upcoming).map((view) => view.thing.text)
          })
          expect(yield* texts).toStrictEqual(["2026-11-23", "2026-11-25", "2026-11-20", "2026-11-10"])
          const many = yield* newThings(
            account.id,
            list.id,
            Array.from({ length: 50 }, (_, index) => ({ text: `${index}`, created: noon + index }))
          )
          for (const [index, thing] of many.entries())
            yield* remind(thing.id, { at: formatTime(addMillis(noon, 1000 + index)) })
          const all = yield* texts
          expect(all.length).toBe(50)
          expect([all[0], all[49]]).toStrictEqual(["0", "49"])
          const inBetween = yield* at(noon + 1_024)(texts)
          expect(inBetween.length).toBe(50)
          expect(inBetween.slice(24, 29)).toStrictEqual(["49", "2026-11-23", "2026-11-25", "24", "23"])
        })
      )
    )

    it.effect("a range includes both ends, and reminders at places come last", () =>
      asOwnerInBerlin((account) =>
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
          expect(yield* between({ from: "2026-11-23T10:00", to: "2026-11-23T10:00" })).toStrictEqual([["Home"], false])
        })
      )
    )

    it.effect("a day has what is due on it, and today also what is overdue, however many are upcoming", () =>
      asOwnerInBerlin((account) =>
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
        })
      )
    )

    it.effect("what repeats comes again in a range behind its time, where its thing is open", () =>
      asOwnerInBerlin((account) =>
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
          const comingAgain = (range: Parameters<Reminders["Service"]["comingAgain"]>[0]) =>
            Effect.flatMap(Reminders, (reminders) => reminders.comingAgain(range))
          const again = (range: Parameters<typeof comingAgain>[0]) =>
            Effect.map(comingAgain(range), (views) => views.map((view) => view.thing.text))
          expect(yield* again({ from: "2026-11-30", to: "2026-11-30" })).toStrictEqual(["daily", "Mondays"])
          expect(yield* again({ from: "2026-12-01", to: "2026-12-01" })).toStrictEqual(["overdue", "daily"])
          expect(yield* again({ from: "2026-11-30T23:30", to: "2026-11-30T23:30" })).toStrictEqual(["Mondays"])
          expect(yield* again({ from: "2027-11-24" })).toStrictEqual(["later", "yearly", "daily", "Mondays", "overdue"])
          expect(yield* again({ from: "today", to: "tomorrow" })).toStrictEqual([])
          expect(yield* again({ to: "2027-11-24" })).toStrictEqual([])
          expect(yield* again({})).toStrictEqual([])
          const inSummer = yield* comingAgain({ from: "2027-06-28", to: "2027-07-02" })
          const moments = inSummer.map((view) => [
            view.thing.text,
            ...[view, atOccurrence(view)].map(({ reminder: { trigger } }) =>
              trigger._tag === "Time" ? formatTime(trigger.at) : ""
            )
          ])
          expect(moments).toStrictEqual([
            ["later", "2026-12-01T08:00:00.000Z", "2027-06-28T07:00:00.000Z"],
            ["daily", "2026-11-22T08:00:00.000Z", "2027-06-28T07:00:00.000Z"],
            ["Mondays", "2026-11-23T22:30:00.000Z", "2027-06-28T21:30:00.000Z"],
            ["overdue", "2026-11-16T23:00:00.000Z", "2027-06-28T22:00:00.000Z"]
          ])
          const onDay = (date: string) =>
            Effect.gen(function* () {
              const { again, due } = yield* (yield* Reminders).onDay(date)
              return [due.map(({ thing }) => thing.text), again.map(({ thing }) => thing.text)]
            })
          expect(yield* onDay("2026-12-01")).toStrictEqual([["later"], ["overdue", "daily"]])
          expect(yield* onDay("2026-11-21")).toStrictEqual([[], []])
          expect(yield* onDay("2026-11-20")).toStrictEqual([[], []])
        })
      )
    )

    it.effect("occurrences are the current and the next ones; a preview stores nothing", () =>
      asOwnerInBerlin((account) =>
        Effect.gen(function* () {
          const { thing } = yield* newThing(account)
          const body = yield* decodeInput(SetReminderInput)({ at: "2026-11-01T09:00", repeat: "daily" })
          const preview = yield* (yield* Reminders).preview(body, 2)
          expect([preview.occurrences.map(formatTime), preview.summary]).toStrictEqual([
            ["2026-11-01T08:00:00.000Z", "2026-11-02T08:00:00.000Z"],
            "every day at 09:00, Europe/Berlin"
          ])
          expect((yield* (yield* Things).get(thing.id)).reminder).toBeNull()
          expect((yield* Effect.flip((yield* Reminders).occurrences(thing.id, 3)))._tag).toBe("NotFound")
          yield* (yield* Reminders).set(thing.id, body)
          expect((yield* (yield* Reminders).occurrences(thing.id, 3)).map(formatTime)).toStrictEqual([
            "2026-11-01T08:00:00.000Z",
            "2026-11-22T08:00:00.000Z",
            "2026-11-23T08:00:00.000Z"
          ])
        })
      )
    )

    it.effect("the calendar feed has the reminders of its token's owner; another token is NotFound", () =>
      asOwnerInBerlin((account) =>
        Effect.gen(function* () {
          const { thing } = yield* newThing(account, "Call **Ann**")
          yield* remind(thing.id, { at: "2026-11-24", alert_minutes: 60 })
          const token = freshId()
          yield* (yield* AccountStore).putSecrets(account.id, {
            passwordHash: null,
            feedToken: token,
            passwordLink: null
          })
          const feed = yield* CalendarFeed
          const { entries, zone } = yield* feed.read(token)
          expect([zone, entries.map((entry) => [entry.title, entry.allDay, entry.alerts])]).toStrictEqual([
            "Europe/Berlin",
            [["Call Ann", true, [60]]]
          ])
          for (const wrong of ["", freshId(), ThingId.make(thing.id), "x".repeat(1000), "\u0000"])
            expect((yield* Effect.flip(feed.read(wrong)))._tag).toBe("NotFound")
        })
      )
    )
  })
}

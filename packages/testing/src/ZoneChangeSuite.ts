import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type * as Crypto from "effect/Crypto"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { CalendarFeed } from "@lists-and-things/domain/reminders/CalendarFeed"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, callerOf, listNamed, make, patch, remind } from "./AsOwner.ts"

type UseCases =
  | Lists
  | Things
  | BulkThings
  | Reminders
  | CalendarFeed
  | Accounts
  | AccountStore
  | ListStore
  | ReminderStore
  | Crypto.Crypto

const iso = (at: number) => new Date(at).toISOString()

/** Changes the account's time zone and runs `use` as the account, with the number of moved reminders. */
const moveTo = <A, E, R>(id: string, timezone: string, use: (moved: number) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { account, remindersMoved } = yield* (yield* Accounts).update(id, { timezone })
    return yield* Effect.provideService(use(remindersMoved), Caller, callerOf(account))
  })

/** What happens to reminders when their owner moves to another time zone, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: a change of the time zone`, (it) => {
    it.effect(
      "repeating and all-day reminders keep the wall clock, others the instant, consistently in every view",
      () =>
        asOwner(
          ({ id }) =>
            Effect.gen(function* () {
              const home = yield* listNamed("Home")
              const body = (text: string) => make({ text, list_id: home.id })
              const [daily, allDay, once] = [yield* body("daily"), yield* body("all day"), yield* body("once")]
              const repeating = {
                at: "2026-11-22T09:00",
                repeat: "daily",
                repeat_until: "2026-11-24",
                end: "2026-11-22T09:30"
              }
              yield* remind(daily.id, repeating)
              yield* remind(allDay.id, { at: "2026-12-24" })
              yield* remind(once.id, { at: "2026-11-23T09:00" })
              const feed = yield* (yield* Accounts).feedToken(id)
              yield* moveTo(id, "America/New_York", (moved) =>
                Effect.gen(function* () {
                  expect(moved).toBe(2)
                  const views = (yield* (yield* Lists).view(home.id)).reminders
                  const seen = views.map(({ reminder, summary }) => {
                    const { trigger } = reminder
                    return trigger._tag === "Time" ? [iso(trigger.at), trigger.end && iso(trigger.end), summary] : []
                  })
                  expect(seen).toStrictEqual([
                    [
                      "2026-11-22T14:00:00.000Z",
                      "2026-11-22T14:30:00.000Z",
                      "every day at 09:00, America/New_York, until 2026-11-24"
                    ],
                    ["2026-12-24T05:00:00.000Z", null, "once on Thursday 2026-12-24, all day, America/New_York"],
                    ["2026-11-23T08:00:00.000Z", null, "once on Monday 2026-11-23 at 03:00, America/New_York"]
                  ])
                  const reminders = yield* Reminders
                  const next = yield* Effect.forEach([daily, allDay, once], (thing) =>
                    reminders.occurrences(thing.id, 5)
                  )
                  expect(next.map((all) => all.map(iso))).toStrictEqual([
                    ["2026-11-22T14:00:00.000Z", "2026-11-23T14:00:00.000Z"],
                    ["2026-12-24T05:00:00.000Z"],
                    ["2026-11-23T08:00:00.000Z"]
                  ])
                  const calendar = yield* (yield* CalendarFeed).read(feed)
                  expect(calendar.zone).toBe("America/New_York")
                  expect(calendar.entries.map(({ start }) => iso(start))).toStrictEqual([
                    "2026-11-22T14:00:00.000Z",
                    "2026-11-23T08:00:00.000Z",
                    "2026-12-24T05:00:00.000Z"
                  ])
                  const { repeating: advanced } = yield* patch(daily.id, { completed: true })
                  expect(iso(advanced!.nextAt)).toBe("2026-11-23T14:00:00.000Z")
                  expect((yield* patch(once.id, { completed: true })).reminderRemoved).toBe(true)
                })
              )
            }),
          { timezone: "Europe/Vienna" }
        )
    )

    it.effect("nothing has changed after a move there and back, and setting the same time zone moves nothing", () =>
      asOwner(
        ({ id }) =>
          Effect.gen(function* () {
            const thing = yield* make({ text: "monthly" })
            yield* remind(thing.id, { at: "2026-01-31T02:30", repeat: "monthly", repeat_until: "2027-03-28T12:00" })
            const store = yield* ReminderStore
            const before = yield* store.all(id)
            yield* moveTo(id, "Asia/Tokyo", (moved) => Effect.sync(() => expect(moved).toBe(1)))
            yield* moveTo(id, "Europe/Vienna", (moved) => Effect.sync(() => expect(moved).toBe(1)))
            yield* moveTo(id, "Europe/Vienna", (moved) => Effect.sync(() => expect(moved).toBe(0)))
            expect(yield* store.all(id)).toStrictEqual(before)
          }),
        { timezone: "Europe/Vienna" }
      )
    )

    it.effect("lists with a moved reminder are updated, those of live copies included, and no thing is", () =>
      asOwner(
        ({ id }) =>
          Effect.gen(function* () {
            const lists = yield* ListStore
            const [home, copies, other] = [
              yield* listNamed("Home"),
              yield* listNamed("Copies"),
              yield* listNamed("Other")
            ]
            const thing = yield* make({ text: "daily", list_id: home.id })
            yield* make({ list_id: copies.id, clone_of: thing.id })
            const once = yield* make({ text: "once", list_id: other.id })
            yield* remind(thing.id, { at: "2026-11-22T09:00", repeat: "daily" })
            yield* remind(once.id, { at: "2026-11-22T09:00" })
            const before = yield* lists.getMany(id, [home.id, copies.id, other.id])
            const updated = (yield* (yield* Things).get(thing.id)).thing.updated
            yield* moveTo(id, "Asia/Tokyo", () => Effect.void)
            const after = new Map(
              (yield* lists.getMany(id, [home.id, copies.id, other.id])).map((list) => [list.id, list])
            )
            const moved = before.filter((list) => after.get(list.id)!.updated > list.updated).map((list) => list.title)
            expect(moved.toSorted()).toStrictEqual(["Copies", "Home"])
            expect((yield* (yield* Things).get(thing.id)).thing.updated).toBe(updated)
          }),
        { timezone: "Europe/Vienna" }
      )
    )

    it.effect("a refused change moves no reminder", () =>
      asOwner(
        ({ id }) =>
          Effect.gen(function* () {
            const thing = yield* make({ text: "daily" })
            yield* remind(thing.id, { at: "2026-11-22T09:00", repeat: "daily" })
            const before = yield* (yield* ReminderStore).all(id)
            const accounts = yield* Accounts
            const refused = accounts.update(id, { timezone: "Asia/Tokyo", defaultAlertMinutes: -1 })
            expect((yield* Effect.flip(refused))._tag).toBe("InvalidInput")
            expect(yield* (yield* ReminderStore).all(id)).toStrictEqual(before)
          }),
        { timezone: "Europe/Vienna" }
      )
    )
  })
}

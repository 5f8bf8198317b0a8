import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { CalendarFeed, feedLimit } from "@lists-and-things/domain/reminders/CalendarFeed"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, make, remind } from "@lists-and-things/testing/AsOwner"
import * as Fixtures from "@lists-and-things/testing/Fixtures"
import { callsOf, countedUseCases } from "./Counted.ts"

const hour = 3_600_000

layer(Layer.fresh(countedUseCases), { excludeTestServices: true })("the calendar feed", (it) => {
  it.effect("may be read 1,000 times an hour; further requests read no reminders", () =>
    asOwner((account) =>
      Effect.gen(function* () {
        const feed = yield* CalendarFeed
        const token = yield* Effect.flatMap(Accounts, (accounts) => accounts.feedToken(account.id))
        yield* remind((yield* make({ text: "a" })).id, { at: "2026-11-22T09:00" })
        const read = feed.read(token)
        for (let at = 1; at < 1_000; at++) yield* read
        expect((yield* read).entries).toHaveLength(1)
        const calls = yield* callsOf(
          Effect.map(Effect.flip(read), (error) =>
            expect(error).toMatchObject({ _tag: "RateLimited", limit: 1_000, resetAt: Fixtures.noon + hour })
          )
        )
        expect(calls).toEqual({})
        expect((yield* Fixtures.at(Fixtures.noon + hour)(read)).entries).toHaveLength(1)
      })
    )
  )

  it.effect("shows when a thing or its reminder was last changed", () =>
    asOwner((account) =>
      Effect.gen(function* () {
        const { id } = yield* make({ text: "a" })
        const token = yield* Effect.flatMap(Accounts, (accounts) => accounts.feedToken(account.id))
        const revised = Effect.map(
          Effect.flatMap(CalendarFeed, (feed) => feed.read(token)),
          ({ entries }) => entries[0]!.revised
        )
        yield* remind(id, { at: "2026-11-22T09:00" })
        const first = yield* revised
        yield* remind(id, { at: "2026-11-22T10:00" })
        const second = yield* revised
        yield* Effect.flatMap(Things, (things) => things.update(id, { text: "b" }))
        expect([second > first, (yield* revised) > second]).toEqual([true, true])
      })
    )
  )

  it.effect("holds the next reminders up to its limit, and reads things in portions", () =>
    asOwner((account) =>
      Effect.gen(function* () {
        const [things, reminders, storage] = [yield* ThingStore, yield* ReminderStore, yield* Storage]
        const home = yield* Fixtures.newList(account.id)
        const made = Array.from({ length: feedLimit + 1 }, () => Fixtures.thing(account.id, home.id))
        yield* storage.transact(account.id, () =>
          Effect.andThen(
            things.insert(account.id, made),
            reminders.put(
              account.id,
              made.map((thing, at) => Fixtures.reminder(thing, { trigger: Fixtures.timeTrigger(Fixtures.noon + at) }))
            )
          )
        )
        const token = yield* Effect.flatMap(Accounts, (accounts) => accounts.feedToken(account.id))
        const read = Effect.flatMap(CalendarFeed, (feed) => feed.read(token))
        const { entries } = yield* read
        expect(entries).toHaveLength(feedLimit)
        expect(entries[0]!.start).toBe(Fixtures.noon + 1)
        expect((yield* callsOf(read))["ThingStore.getMany"]).toBe(feedLimit / 100)
      })
    )
  )
})

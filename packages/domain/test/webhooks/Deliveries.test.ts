import { describe, expect, it } from "@effect/vitest"
import { asOwner, listNamed, make, patch, remind } from "@lists-and-things/testing/AsOwner"
import { noon } from "@lists-and-things/testing/Fixtures"
import { Effect } from "effect"
import { Accounts } from "../../src/caller/Accounts.ts"
import { Lists } from "../../src/lists/Lists.ts"
import { addMillis } from "../../src/model/EpochMillis.ts"
import { HistoryStore } from "../../src/ports/HistoryStore.ts"
import { Caller } from "../../src/model/Caller.ts"
import { Things } from "../../src/things/Things.ts"
import { type AllowedUrl, Webhooks } from "../../src/webhooks/Webhooks.ts"
import { delivering, hook, hour, iso, minute, pass, reminded } from "./Delivering.ts"

describe("reminders", () => {
  it.effect("are sent at their time and at their alerts, once per webhook, with the same id", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        yield* hook()
        yield* hook({ url: "https://b.example/" as AllowedUrl })
        const thing = yield* reminded(2 * minute, { alert_minutes: 1 })
        yield* pass(5 * minute)
        const seen = fixture.arrived.map(({ at, event, url }) => [url, Math.floor(at / minute), event.data.alert])
        expect(seen.toSorted()).toStrictEqual([
          ["https://a.example/", 1, "first"],
          ["https://a.example/", 2, null],
          ["https://b.example/", 1, "first"],
          ["https://b.example/", 2, null]
        ])
        expect(new Set(fixture.arrived.map(({ id }) => id)).size).toBe(2)
        for (const { at, event } of fixture.arrived) {
          expect(event).toMatchObject({
            type: "reminder.due",
            data: {
              thing: { id: thing.id, text: "Water the plants" },
              reminder: { thing_id: thing.id, at: iso(2 * minute) },
              list: { id: thing.listId, title: "A list" },
              due_at: iso(2 * minute),
              late_by_seconds: 0
            }
          })
          expect(at % minute).toBeLessThan(5_000)
        }
      })
    )
  )

  it.effect("are sent on time, however shortly before they are set", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        yield* hook()
        yield* pass(2_000)
        const set = [2_100, 2_250, 2_500, 3_000]
        for (const millis of set) yield* reminded(millis)
        yield* pass(5_000)
        const seen = fixture.arrived.map(({ at, event }) => [event.data.due_at, at < 7_000, event.data.late_by_seconds])
        expect(seen.toSorted()).toStrictEqual(set.map((millis) => [iso(millis), true, 0]))
      })
    )
  )

  it.effect("are polled less often if a poll takes long, and still sent on time", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        yield* hook()
        yield* pass(2_000)
        fixture.polls.wait = Effect.sleep(200)
        const before = fixture.polls.count
        yield* pass(minute, 100)
        expect(fixture.polls.count - before).toBeLessThanOrEqual(28)
        fixture.polls.wait = Effect.sleep(2_000)
        yield* reminded(minute + 5_000)
        yield* pass(10_000, 100)
        expect(fixture.arrived.map(({ at }) => at < minute + 10_000)).toStrictEqual([true])
      })
    )
  )

  it.effect("are sent on time although the storage was unavailable shortly before", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        yield* hook()
        yield* reminded(5_000)
        yield* pass(3_000)
        fixture.isCutOff = true
        yield* pass(1_500)
        fixture.isCutOff = false
        yield* pass(10_000)
        expect(fixture.arrived.map(({ at, event }) => [event.data.due_at, at < 6_500])).toStrictEqual([
          [iso(5_000), true]
        ])
      })
    )
  )

  it.effect("that repeat are sent at each occurrence, even if nobody completes them", () =>
    delivering(
      (fixture) =>
        Effect.gen(function* () {
          yield* hook()
          yield* reminded(minute, { repeat: "daily" })
          yield* pass(49 * hour, 10 * minute)
          expect(fixture.arrived.map(({ event }) => [event.data.due_at, event.data.reminder.at])).toStrictEqual(
            [0, 24, 48].map((hours) => [iso(minute + hours * hour), iso(minute)])
          )
        }),
      minute
    )
  )

  it.effect("are not sent if past, completed, canceled, deleted, moved, or older than the webhook", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        const early = yield* reminded(minute)
        yield* pass(2 * minute)
        yield* hook()
        yield* reminded(minute)
        yield* patch((yield* reminded(5 * minute)).id, { completed: true })
        yield* patch((yield* reminded(5 * minute)).id, { canceled: true })
        yield* (yield* Things).remove((yield* reminded(5 * minute)).id)
        const moved = yield* reminded(5 * minute)
        yield* pass(1_000)
        yield* remind(moved.id, { at: iso(20 * hour) })
        yield* patch(early.id, { text: "Other words" })
        yield* pass(10 * minute)
        expect(fixture.arrived).toStrictEqual([])
      })
    )
  )

  it.effect("are sent at their new time when the reminder alone is changed", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        yield* hook()
        const thing = yield* reminded(20 * hour)
        yield* pass(2_000)
        yield* remind(thing.id, { at: iso(5 * minute) })
        yield* pass(10 * minute)
        expect(fixture.arrived.map(({ event }) => event.data.due_at)).toStrictEqual([iso(5 * minute)])
      })
    )
  )

  it.effect("for a whole day follow a change of the time zone and of all_day_at", () =>
    delivering(
      (fixture) =>
        Effect.gen(function* () {
          const { account } = yield* Caller
          yield* hook()
          const { id } = yield* reminded(24 * hour)
          yield* remind(id, { at: "2026-11-22" })
          yield* pass(5 * minute, minute)
          yield* (yield* Accounts).update(account.id, { timezone: "Europe/Berlin", allDayAt: "07:30" })
          yield* pass(20 * hour, 10 * minute)
          expect(fixture.arrived.map(({ event }) => event.data.due_at)).toStrictEqual(["2026-11-22T06:30:00.000Z"])
        }),
      minute
    )
  )
})

describe("operations", () => {
  it.effect("are polled at intervals, however many there are, and again at once if more are left", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        yield* hook({ events: ["operation"] })
        yield* pass(2_000)
        const polls = Effect.fnUntraced(function* (operations: number) {
          const before = fixture.polls.count
          for (let n = 0; n < operations; n++) yield* listNamed(`List ${n}`)
          yield* pass(500)
          return fixture.polls.count - before
        })
        expect(yield* polls(1)).toBe(1)
        expect(yield* polls(120)).toBe(3)
        yield* pass(20_000)
        expect(fixture.arrived).toHaveLength(121)
      })
    )
  )

  it.effect("are sent one after the other, in order, with what they changed", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        yield* listNamed("Before")
        yield* hook({ events: ["operation"] })
        let underWay = 0
        fixture.answer = () =>
          Effect.gen(function* () {
            expect(++underWay).toBe(1)
            yield* Effect.sleep(3_000)
            underWay--
            return {}
          })
        const { id } = yield* listNamed("A list")
        const thing = yield* make({ text: "One", list_id: id })
        yield* patch(thing.id, { text: "Two" })
        yield* pass(minute)
        expect(fixture.arrived).toHaveLength(3)
        expect(fixture.arrived.at(-1)?.event.data).toMatchObject({
          entities: [
            { type: "thing", id: thing.id, change: "updated", before: { text: "One" }, after: { text: "Two" } }
          ],
          truncated: false
        })
        const stamps = fixture.arrived.map(({ event }) => event.data.operation.at as string)
        expect(stamps).toStrictEqual(stamps.toSorted())
      })
    )
  )

  it.effect("are sent with at most 20 KiB and 100 entities, and say when they are truncated", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        yield* hook({ events: ["operation"] })
        const things = Array.from({ length: 150 }, (_, at) => ({ text: `Thing ${at}` }))
        const { list } = yield* (yield* Lists).create({ title: "Many", things } as never)
        const { id } = yield* make({ text: "Long", list_id: list.id, note: "x".repeat(30_000) })
        yield* (yield* Things).remove(id)
        yield* pass(minute)
        const [many, , long] = fixture.arrived.map(({ event }) => event)
        expect([many!.data.entities.length, many!.data.truncated]).toStrictEqual([100, true])
        expect([long!.data.entities.length, long!.data.truncated]).toStrictEqual([0, true])
        for (const { event } of fixture.arrived) expect(JSON.stringify(event).length).toBeLessThanOrEqual(20_480)
      })
    )
  )

  it.effect("are truncated, without entities, if what they changed was erased before they are announced", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        yield* hook({ events: ["operation"] })
        yield* listNamed("PIN 1234")
        const { account } = yield* Caller
        expect(yield* (yield* HistoryStore).erase(account.id, { before: addMillis(noon, minute) })).toBe(1)
        yield* pass(minute)
        expect(fixture.arrived).toMatchObject([{ event: { data: { entities: [], truncated: true } } }])
      })
    )
  )
})

describe("an endpoint that fails", () => {
  it.effect("is tried ten times over three days, while later events do not wait", () =>
    delivering(
      (fixture) =>
        Effect.gen(function* () {
          yield* hook({ events: ["operation"] })
          fixture.answer = () => Effect.succeed({ status: 500 })
          yield* listNamed("One")
          yield* pass(5 * minute, minute)
          yield* listNamed("Two")
          yield* pass(95 * hour, 10 * minute)
          const tries = Map.groupBy(fixture.arrived, ({ id }) => id)
          expect([...tries.values()].map((each) => each.length)).toStrictEqual([10, 10])
          const [first] = [...tries.values()]
          const waits = first!.slice(1).map(({ at }, after) => at - first![after]!.at)
          const delays = [
            5_000,
            5 * minute,
            30 * minute,
            2 * hour,
            5 * hour,
            10 * hour,
            14 * hour,
            20 * hour,
            24 * hour
          ]
          for (const [at, delay] of delays.entries()) {
            expect(waits[at]).toBeGreaterThanOrEqual(delay)
            expect(waits[at]).toBeLessThanOrEqual(1.1 * delay + 11 * minute)
          }
          for (const same of tries.values())
            expect(new Set(same.map(({ event }) => JSON.stringify(event))).size).toBe(1)
        }),
      minute
    )
  )

  it.effect("with 500 for a day receives what it missed once it answers, and stays enabled", () =>
    delivering(
      (fixture) =>
        Effect.gen(function* () {
          const { id } = yield* hook({ events: ["operation"] })
          fixture.answer = () => Effect.succeed({ status: 500 })
          for (let hours = 0; hours < 24; hours += 6) {
            yield* listNamed(`After ${hours}`)
            yield* pass(6 * hour, 10 * minute)
          }
          fixture.answer = () => Effect.succeed({})
          yield* pass(48 * hour, 10 * minute)
          const webhooks = yield* Webhooks
          const log = yield* webhooks.deliveries(id, 0)
          expect(log.items.map(({ status }) => status)).toStrictEqual([200, 200, 200, 200])
          expect(yield* webhooks.get(id)).toMatchObject({ enabled: true, failingSince: null })
        }),
      minute
    )
  )

  it.effect("for five days, or with 410, is disabled; what happens while it is disabled is not sent later", () =>
    delivering(
      (fixture) =>
        Effect.gen(function* () {
          const webhooks = yield* Webhooks
          const { id } = yield* hook({ events: ["operation"] })
          fixture.answer = () => Effect.succeed({ status: null })
          for (let days = 0; days < 5; days++) {
            yield* listNamed(`Day ${days}`)
            yield* pass(24 * hour, 10 * minute)
          }
          expect(yield* webhooks.get(id)).toMatchObject({ enabled: true, disabledReason: null })
          yield* listNamed("One more")
          yield* pass(hour, 10 * minute)
          expect(yield* webhooks.get(id)).toMatchObject({
            enabled: false,
            disabledReason: expect.stringContaining("five")
          })
          fixture.answer = () => Effect.succeed({})
          const before = fixture.arrived.length
          yield* listNamed("While it is off")
          yield* webhooks.update(id, { enabled: true })
          yield* pass(30 * hour, 10 * minute)
          expect(fixture.arrived).toHaveLength(before)
          fixture.answer = () => Effect.succeed({ status: 410 })
          yield* listNamed("Gone")
          yield* pass(5 * minute, minute)
          expect(yield* webhooks.get(id)).toMatchObject({
            enabled: false,
            disabledReason: expect.stringContaining("410")
          })
          expect(yield* Effect.flip(webhooks.replaySince(id, iso(0)))).toMatchObject({ _tag: "Conflict" })
        }),
      minute
    )
  )

  it.effect("with slow answers does not delay other endpoints", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        yield* hook({ url: "https://slow.example/" as AllowedUrl, events: ["operation", "reminder.due"] })
        yield* hook({ url: "https://fast.example/" as AllowedUrl, events: ["operation"] })
        fixture.answer = (url) => (url.includes("slow") ? Effect.as(Effect.sleep(14_000), {}) : Effect.succeed({}))
        for (let at = 0; at < 5; at++) yield* listNamed(`List ${at}`)
        yield* pass(10_000)
        const count = (name: string) => fixture.arrived.filter(({ url }) => url.includes(name)).length
        expect([count("slow"), count("fast")]).toStrictEqual([1, 5])
        // A server that stops waits for requests in progress.
        yield* pass(80_000, 1_000)
        expect(count("slow")).toBe(5)
      })
    )
  )

  it.effect("of many accounts with slow answers does not delay other accounts", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        const slowAccount = asOwner(() =>
          Effect.gen(function* () {
            for (let at = 0; at < 20; at++) yield* hook({ url: `https://slow.example/${at}` as AllowedUrl })
            for (let at = 0; at < 10; at++) yield* reminded(10_000)
          })
        )
        yield* Effect.replicateEffect(slowAccount, 8, { discard: true })
        const ring = hook({ url: "https://fast.example/" as AllowedUrl })
        yield* asOwner(() =>
          Effect.andThen(
            ring,
            Effect.forEach([11_000, 15_000, 20_000, 25_000], (due) => reminded(due))
          )
        )
        fixture.answer = (url) => (url.includes("slow") ? Effect.as(Effect.sleep(14_000), {}) : Effect.succeed({}))
        yield* pass(30_000)
        // A server that stops waits for requests in progress.
        fixture.answer = () => Effect.succeed({})
        yield* pass(30_000, 1_000)
        const fast = fixture.arrived.filter(({ url }) => url.includes("fast"))
        expect(fast.map(({ event }) => event.data.late_by_seconds)).toStrictEqual([0, 0, 0, 0])
        for (const { at, event } of fast) expect(at - Date.parse(event.data.due_at) + noon).toBeLessThan(5_000)
      })
    )
  )
})

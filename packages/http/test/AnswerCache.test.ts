import { expect, it } from "@effect/vitest"
import { DeferredCaller } from "@lists-and-things/domain/caller/DeferredCaller"
import type { Account, AccountStamps } from "@lists-and-things/domain/model/Account"
import { type Caller, ownerBy } from "@lists-and-things/domain/model/Caller"
import { epoch } from "@lists-and-things/domain/model/EpochMillis"
import { AccountId } from "@lists-and-things/domain/model/Ids"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as TestClock from "effect/testing/TestClock"
import { cacheKeyOf, AnswerCache } from "../src/edge/AnswerCache.ts"

const account: Account = {
  id: AccountId.make("0199f0c2-7a51-7c3e-9d1b-000000000001"),
  email: "ann@example.com",
  name: "Ann",
  timezone: "Europe/Berlin",
  defaultThingType: "todo",
  defaultListSort: "chronological",
  defaultReminderMinutes: 60,
  defaultAlertMinutes: 0,
  defaultReminderColor: "",
  repeatMovesToDay: false,
  allDayAt: "09:00",
  created: epoch
}

const callerOf = (
  of: Partial<Account> = {},
  stamps: AccountStamps | undefined = { lastWrite: 7, settingsChanged: 3 }
) => ({
  ...ownerBy({ ...account, ...of }, { type: "key", id: "abc", name: "" }),
  stamps
})

const deferred = (caller: Caller["Service"]) => {
  const admitted = { caller, limit: 1000, remaining: 999, resetAt: epoch }
  return new DeferredCaller((read) => Effect.succeed({ admitted, found: read(caller.account) }))
}

const keyId = "abcdefghijkl"
const cacheKey = cacheKeyOf(keyId, "/api/v1/lists")

/** Runs a read twice for a key, with an answer of `bytes` bytes; returns the second answer. */
const answered = (
  cache: AnswerCache,
  { at = cacheKey, bytes = 10, caller = callerOf(), status = 200 } = {} as {
    readonly at?: typeof cacheKey
    readonly bytes?: number
    readonly caller?: Caller["Service"]
    readonly status?: number
  }
) => {
  const by = deferred(caller)
  const response = HttpServerResponse.uint8Array(new Uint8Array(bytes), { status })
  const answer = cache.keeping(at, by, Effect.as(Effect.orDie(by.admitted), response))
  return Effect.andThen(answer, answer)
}

it.effect("an answer is given while the account, its settings and the date there are what they were", () =>
  Effect.gen(function* () {
    const cache = new AnswerCache()
    const isKept = (caller: Caller["Service"]) =>
      Effect.map(cache.find(cacheKey, caller), (found) => found !== undefined)
    expect(cache.mayHave(cacheKey)).toBe(false)
    const others = [
      callerOf({}, { lastWrite: 8, settingsChanged: 3 }),
      callerOf({}, { lastWrite: 7, settingsChanged: 4 }),
      callerOf({ email: "anna@example.com" }),
      { ...callerOf(), stamps: undefined }
    ]
    for (const other of others) {
      yield* answered(cache)
      expect(yield* isKept(callerOf())).toBe(true)
      expect(yield* isKept(other)).toBe(false)
      expect(cache.mayHave(cacheKey)).toBe(false)
    }
    yield* answered(cache)
    // The clock of these tests begins at midnight in London, one o'clock in Berlin.
    yield* TestClock.adjust("22 hours")
    expect(yield* isKept(callerOf())).toBe(true)
    yield* TestClock.adjust("1 hour")
    expect(yield* isKept(callerOf())).toBe(false)
  })
)

it.effect("an answer is kept from the second time on that it is asked for", () =>
  Effect.gen(function* () {
    const cache = new AnswerCache()
    const by = deferred(callerOf())
    const answer = Effect.as(Effect.orDie(by.admitted), HttpServerResponse.uint8Array(new Uint8Array(10)))
    yield* cache.keeping(cacheKey, by, answer)
    expect(cache.mayHave(cacheKey)).toBe(false)
    yield* cache.keeping(cacheKey, by, answer)
    expect(cache.mayHave(cacheKey)).toBe(true)
  })
)

it.effect("an answer is of the date before it was read", () =>
  Effect.gen(function* () {
    const cache = new AnswerCache()
    const by = deferred(callerOf())
    yield* answered(cache)
    const slow = Effect.andThen(Effect.orDie(by.admitted), TestClock.adjust("23 hours"))
    yield* cache.keeping(cacheKey, by, Effect.as(slow, HttpServerResponse.uint8Array(new Uint8Array(10))))
    expect(yield* cache.find(cacheKey, callerOf())).toBeUndefined()
  })
)

it.effect(
  "another key, another cacheKey, an error, a large answer and a caller without write timestamps have none",
  () =>
    Effect.gen(function* () {
      const cache = new AnswerCache()
      yield* answered(cache)
      expect(cache.mayHave(cacheKeyOf("other", "/api/v1/lists"))).toBe(false)
      expect(cache.mayHave(cacheKeyOf(keyId, "/api/v1/lists?page=1"))).toBe(false)
      const at = cacheKeyOf(keyId, "/api/v1/things")
      yield* answered(cache, { at, status: 404 })
      yield* answered(cache, { at, bytes: 64 * 1024 + 1 })
      yield* answered(cache, { at, caller: { ...callerOf(), stamps: undefined } })
      expect(cache.mayHave(at)).toBe(false)
      yield* answered(cache, { at, bytes: 64 * 1024 })
      expect(cache.mayHave(at)).toBe(true)
    })
)

it.effect("a key that has written expects nothing until it has read again", () =>
  Effect.gen(function* () {
    const cache = new AnswerCache()
    yield* answered(cache)
    cache.written("another")
    expect(cache.mayHave(cacheKey)).toBe(true)
    cache.written(keyId)
    expect(cache.mayHave(cacheKey)).toBe(false)
    yield* answered(cache)
    expect(cache.mayHave(cacheKey)).toBe(true)
  })
)

it.effect("of more than 16 MiB, the answers asked for the longest ago go", () =>
  Effect.gen(function* () {
    const cache = new AnswerCache()
    const at = (n: number) => cacheKeyOf(keyId, `/api/v1/lists/${n}`)
    for (let n = 0; n < 400; n++) {
      yield* answered(cache, { at: at(n), bytes: 64 * 1024 })
      expect(cache.mayHave(at(0))).toBe(true)
    }
    const left = Array.from({ length: 400 }, (_, n) => n).filter((n) => cache.mayHave(at(n)))
    expect(left.length).toBeLessThanOrEqual(256)
    expect(left.slice(0, 2)).toStrictEqual([0, 400 - left.length + 1])
  })
)

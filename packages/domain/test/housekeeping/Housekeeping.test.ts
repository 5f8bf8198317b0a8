import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { Context, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../src/caller/Accounts.ts"
import { Caller } from "../../src/model/Caller.ts"
import { IdempotencyRecords } from "../../src/caller/IdempotencyRecords.ts"
import { StorageUnavailable } from "../../src/model/Errors.ts"
import {
  batchSize,
  everyMillis,
  firstMillis,
  Housekeeping,
  makeHousekeeping,
  maxSteps,
  pauseMillis
} from "../../src/housekeeping/Housekeeping.ts"
import type { Job } from "../../src/housekeeping/Jobs.ts"
import { HistoryRetention, operationLifetime } from "../../src/history/HistoryRetention.ts"
import { Lists } from "../../src/lists/Lists.ts"
import type { AccountId } from "../../src/model/Ids.ts"
import { HistoryStore } from "../../src/ports/HistoryStore.ts"
import { OAuthStore } from "../../src/ports/OAuthStore.ts"
import { IdempotencyStore } from "../../src/ports/IdempotencyStore.ts"
import { ServerStore } from "../../src/ports/ServerStore.ts"
import { SessionStore } from "../../src/ports/SessionStore.ts"
import { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { useCases } from "../../src/UseCases.ts"
import { addMillis, currentTime, EpochMillis } from "../../src/model/EpochMillis.ts"
import { callerOf } from "@lists-and-things/testing/AsOwner"
import { makeCall, withCall } from "@lists-and-things/testing/Operations"
import { delivery, webhook } from "@lists-and-things/testing/WebhookFixtures"

/** A job with this number of rows; records how many each of its steps may remove. */
const counted = (name: string, rows: number) => {
  const steps: Array<number> = []
  const left = { rows }
  const job: Job = {
    name,
    step: (_, max) =>
      Effect.sync(() => {
        steps.push(max)
        const removed = Math.min(max, left.rows)
        left.rows -= removed
        return removed
      })
  }
  return { job, left, steps }
}

const passOf = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>) {
  const pass = yield* Effect.forkChild(makeHousekeeping(jobs).pass, { startImmediately: true })
  yield* TestClock.adjust("1 hour")
  return yield* Fiber.join(pass)
})

describe("a pass", () => {
  it.effect("runs one job after the other, each in steps until nothing is left", () =>
    Effect.gen(function* () {
      const [many, few, none] = [counted("many", 2 * batchSize + 1), counted("few", 3), counted("none", 0)]
      expect(yield* passOf([many.job, few.job, none.job])).toStrictEqual([
        { name: "many", removed: 2 * batchSize + 1, failed: false },
        { name: "few", removed: 3, failed: false },
        { name: "none", removed: 0, failed: false }
      ])
      expect([many.steps, few.steps.length, none.steps.length]).toStrictEqual([Array(3).fill(batchSize), 1, 1])
    })
  )

  it.effect("pauses between steps, and limits the steps of a job so that the next job runs", () =>
    Effect.gen(function* () {
      const [endless, next] = [counted("endless", 1_000_000), counted("next", 1)]
      const pass = yield* Effect.forkChild(makeHousekeeping([endless.job, next.job]).pass, { startImmediately: true })
      expect(endless.steps).toHaveLength(1)
      yield* TestClock.adjust("1 second")
      expect(endless.steps.length > 1 && endless.left.rows > 900_000).toBe(true)
      expect(next.steps).toHaveLength(0)
      yield* TestClock.adjust("1 hour")
      const [first, second] = yield* Fiber.join(pass)
      expect([first?.removed, second?.removed]).toStrictEqual([200 * batchSize, 1])
    })
  )

  it.effect("continues with the next job when one fails or dies", () =>
    Effect.gen(function* () {
      const last = counted("last", 1)
      const failing: Job = { name: "failing", step: () => new StorageUnavailable({ outcome: "not-applied" }) }
      const broken: Job = { name: "broken", step: () => Effect.die(new Error("broken")) }
      const done = yield* passOf([failing, broken, last.job])
      expect(done.map(({ failed }) => failed)).toStrictEqual([true, true, false])
      expect(last.left.rows).toBe(0)
    })
  )

  it.effect("says in one line what jobs failed alike, as in an outage", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      const cause = new Error("connect ECONNREFUSED 10.0.0.1:5432")
      const jobs = ["sessions", "tokens", "operations"].map((name): Job => ({
        name,
        step: () => new StorageUnavailable({ outcome: "not-applied", cause })
      }))
      const broken: Job = { name: "records", step: () => Effect.die(new Error("broken")) }
      yield* Effect.provide(passOf([...jobs, broken]), logger)
      expect(lines).toEqual([
        "Removing outdated sessions, tokens and operations failed and is tried again later: connect ECONNREFUSED 10.0.0.1:5432",
        expect.stringContaining("Removing outdated records failed and is tried again later")
      ])
    })
  )
})

it.effect("passes repeat for ever, after a first delay and at jittered intervals", () =>
  Effect.gen(function* () {
    const job = counted("job", 0)
    yield* Effect.forkChild(makeHousekeeping([job.job]).forever, { startImmediately: true })
    yield* TestClock.adjust(0.75 * firstMillis - 1)
    expect(job.steps).toHaveLength(0)
    yield* TestClock.adjust(0.5 * firstMillis + 1)
    expect(job.steps).toHaveLength(1)
    for (const passes of [2, 3]) {
      yield* TestClock.adjust(1.25 * everyMillis)
      expect(job.steps.length).toBeGreaterThanOrEqual(passes)
    }
    expect(job.steps.length).toBeLessThanOrEqual(5)
  })
)

it.effect("a pass that leaves rows behind is followed by the next one soon", () =>
  Effect.gen(function* () {
    const aPass = maxSteps * batchSize
    const job = counted("job", 3 * aPass + 1)
    yield* Effect.forkChild(makeHousekeeping([job.job, counted("none", 0).job]).forever, { startImmediately: true })
    const onePass = 1.25 * firstMillis + maxSteps * pauseMillis
    yield* TestClock.adjust(4 * onePass)
    expect(job.left.rows).toBe(0)
    expect(onePass).toBeLessThan(everyMillis / 4)
    const before = job.steps.length
    yield* TestClock.adjust(0.75 * everyMillis - 4 * onePass)
    expect(job.steps).toHaveLength(before)
  })
)

it.effect("so is a pass whose job was cut short by locks of others", () =>
  Effect.gen(function* () {
    const { job, left } = counted("contended", 3 * batchSize)
    let steps = 0
    const contended: Job = { ...job, step: (...at) => (++steps % 2 === 0 ? Effect.succeed(0) : job.step(...at)) }
    yield* Effect.forkChild(makeHousekeeping([contended]).forever, { startImmediately: true })
    yield* TestClock.adjust(3.75 * firstMillis + 3 * pauseMillis)
    expect(left.rows).toBe(0)
  })
)

const world = useCases.pipe(Layer.provideMerge(memory), Layer.provide(NodeCrypto.layer))

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** One row of each kind, made now. */
const given = Effect.gen(function* () {
  const account = yield* (yield* Accounts).create({ email: "ann@example.com" })
  const [records, sessions, oauth] = [yield* IdempotencyStore, yield* SessionStore, yield* OAuthStore]
  const now = yield* currentTime
  const owner = account.id
  yield* records.put(owner, { key: "k", fingerprint: "f", answer: '{"text":"a deleted thing"}', created: now })
  yield* sessions.put({ hash: "h", owner, csrf: "c", created: now, expires: addMillis(now, 30 * day) })
  yield* sessions.countAttempt("address", now, 15 * minute)
  const grant = { clientId: "c", clientName: "C", scopes: [], created: now, lastUsed: null, revoked: null, owner }
  for (const id of ["held", "revoked"]) yield* oauth.putGrant({ ...grant, id })
  yield* oauth.revokeGrant(owner, "revoked", now)
  const ofGrant = { grantId: "held", owner, hash: "x" }
  yield* oauth.putCode({ ...ofGrant, clientId: "c", redirectUri: "u", challenge: "c", expires: addMillis(now, minute) })
  yield* oauth.putToken({
    ...ofGrant,
    kind: "refresh",
    expires: addMillis(now, 90 * day),
    replaced: null,
    scopes: null
  })
  yield* oauth.putClient({ id: "never", name: "N", redirectUris: [], created: now, lastUsed: null })
  yield* oauth.putClient({ id: "approved", name: "A", redirectUris: [], created: now, lastUsed: now })
  const server = { machine: "m", host: "h", port: 1, url: "u", started: now, seen: now, stopped: null }
  yield* (yield* ServerStore).put(server)
  const webhooks = yield* WebhookStore
  const made = webhook(owner)
  yield* webhooks.insert(made)
  const arrived = { at: now, isSuccess: true, status: 200, durationMillis: 1, answer: "" }
  yield* webhooks.log(owner, delivery(made, { event: "ping", created: now }), arrived)
  const lists = yield* Lists
  const changing = Effect.provideService(Caller, callerOf(account))
  const { list } = yield* lists.create({ title: "A list" }).pipe(changing, withCall(makeCall()))
  yield* lists.update(list.id, { title: "Another title" }).pipe(changing, withCall(makeCall()))
  return { account, oauth, records }
})

/** For each operation of an account, oldest first, whether its images are still stored. */
const operationsOf = Effect.fnUntraced(function* (owner: AccountId) {
  const history = yield* HistoryStore
  const { items } = yield* history.page(owner, {}, 0, 10)
  return yield* Effect.forEach(items.toReversed(), ({ at }) =>
    Effect.map(history.entities(owner, at, 10), (entities) => entities !== undefined)
  )
})

describe("housekeeping", () => {
  it.effect("removes each kind when its lifetime is over, and not before", () =>
    Effect.gen(function* () {
      const { account, oauth, records } = yield* given
      const { pass } = yield* Housekeeping
      const removedAfter = Effect.fnUntraced(function* (millis: number) {
        yield* TestClock.adjust(millis)
        return (yield* pass).filter(({ removed }) => removed > 0).map(({ name, removed }) => `${removed} ${name}`)
      })
      expect(yield* removedAfter(2 * hour)).toStrictEqual([])
      expect(yield* removedAfter(1)).toStrictEqual(["1 sign-in attempts"])
      expect(yield* removedAfter(22 * hour - 1)).toStrictEqual([])
      expect(yield* records.get(account.id, "k", EpochMillis(-1))).toBeDefined()
      expect(yield* removedAfter(1)).toStrictEqual(["1 idempotency records", "1 unused clients"])
      expect(yield* records.get(account.id, "k", EpochMillis(-1))).toBeUndefined()
      expect(yield* removedAfter(minute)).toStrictEqual(["1 authorization codes"])
      expect(yield* removedAfter(6 * day - minute - 1)).toStrictEqual([])
      expect(yield* removedAfter(1)).toStrictEqual(["1 deliveries to webhooks"])
      expect(yield* removedAfter(23 * day - 2)).toStrictEqual([])
      expect(yield* operationsOf(account.id)).toHaveLength(2)
      expect(yield* removedAfter(2)).toStrictEqual([
        "1 sessions",
        "1 addresses of servers",
        "1 revoked grants",
        "1 operations"
      ])
      expect(yield* operationsOf(account.id)).toHaveLength(1)
      expect(yield* removedAfter(61 * day - 1)).toStrictEqual([])
      expect(yield* oauth.grant(account.id, "held")).toBeDefined()
      expect(yield* removedAfter(1)).toStrictEqual(["1 tokens"])
      expect(yield* oauth.grant(account.id, "held")).toBeUndefined()
      expect(yield* oauth.client("approved")).toBeDefined()
    }).pipe(Effect.provide(Housekeeping.layer), Effect.provide(world))
  )

  it("keeps operations for a day even if it keeps no images", () => {
    expect(operationLifetime({ days: 0, bytes: 0 })).toBe(day)
    expect(operationLifetime({ days: 30, bytes: 0 })).toBe(30 * day)
  })

  it.effect("removes what exceeds a bound: the oldest client that nobody approved, and images of operations", () =>
    Effect.gen(function* () {
      const { account, oauth } = yield* given
      yield* TestClock.adjust(1)
      const client = { name: "N", redirectUris: [], created: yield* currentTime, lastUsed: null }
      yield* Effect.forEach(
        Array.from({ length: 10_000 }, (_, at) => `new ${at}`),
        (id) => oauth.putClient({ ...client, id })
      )
      expect(yield* operationsOf(account.id)).toStrictEqual([true, true])
      const done = yield* (yield* Housekeeping).pass
      expect(done.filter(({ removed }) => removed > 0)).toStrictEqual([
        { name: "clients beyond the cap", removed: 1, failed: false },
        { name: "images of operations", removed: 1, failed: false }
      ])
      expect(yield* oauth.client("never")).toBeUndefined()
      expect(yield* oauth.client("approved")).toBeDefined()
      expect(yield* operationsOf(account.id)).toStrictEqual([true, false])
    }).pipe(
      Effect.provide(Housekeeping.layer),
      Effect.provide(world),
      Effect.provideService(HistoryRetention, { days: 30, bytes: 0 })
    )
  )

  it.effect("runs in the background while its layer is provided", () =>
    Effect.gen(function* () {
      const { account, records } = yield* given
      expect(yield* records.get(account.id, "k", EpochMillis(-1))).toBeDefined()
      yield* TestClock.adjust(2 * day)
      expect(yield* records.get(account.id, "k", EpochMillis(-1))).toBeUndefined()
    }).pipe(Effect.provide(Housekeeping.running), Effect.provide(world))
  )
})

it.effect("a write under an idempotency key also removes outdated records of its account", () =>
  Effect.gen(function* () {
    const { account, records } = yield* given
    const other = yield* (yield* Accounts).create({ email: "bob@example.com" })
    const { once } = yield* IdempotencyRecords
    const old = { fingerprint: "f", answer: "a", created: yield* currentTime }
    for (const key of ["1", "2", "3", "4"]) yield* records.put(account.id, { ...old, key })
    yield* records.put(other.id, { ...old, key: "theirs" })
    const left = Effect.map(
      Effect.forEach(["k", "1", "2", "3", "4", "new"], (key) => records.get(account.id, key, EpochMillis(-1))),
      (found) => found.filter((each) => each !== undefined).length
    )
    const caller = Context.make(Caller, callerOf(account, []))
    const write = (key: string) => Effect.provide(once(key, "request", Effect.succeed("answer")), caller)
    yield* TestClock.adjust(day)
    yield* write("new")
    expect(yield* left).toBe(6)
    yield* TestClock.adjust(1)
    yield* write("newer")
    expect(yield* left).toBe(2)
    yield* write("newest")
    expect(yield* left).toBe(1)
    expect(yield* records.get(other.id, "theirs", EpochMillis(-1))).toBeDefined()
  }).pipe(Effect.provide(world))
)

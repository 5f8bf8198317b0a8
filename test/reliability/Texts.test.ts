import { NodeCrypto } from "@effect/platform-node"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Places } from "@lists-and-things/domain/places/Places"
import { Search } from "@lists-and-things/domain/search/Search"
import { Things } from "@lists-and-things/domain/things/Things"
import { useCases } from "@lists-and-things/domain/UseCases"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { openTestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as NodePasswordHasher from "@lists-and-things/platform-node/NodePasswordHasher"
import { callerOf } from "@lists-and-things/testing/AsOwner"

const postgres = await openTestDatabase({ version: 18 })
const runtimeOf = (ports: Layer.Layer<PgStorage.Ports, unknown>) =>
  ManagedRuntime.make(
    useCases.pipe(
      Layer.provideMerge(ports),
      Layer.provideMerge(NodePasswordHasher.layer),
      Layer.provideMerge(NodeCrypto.layer)
    )
  )
const runtimes = { memory: runtimeOf(memory), PostgreSQL: runtimeOf(PgStorage.layer({ url: postgres.url() })) }
afterAll(async () => {
  for (const runtime of Object.values(runtimes)) await runtime.dispose()
  await postgres.stop()
})

/** Passes texts that no database stores to every use case that takes text without a schema. */
const asked = Effect.gen(function* () {
  const accounts = yield* Accounts
  const account = yield* accounts.create({ email: "ann@example.com" })
  const outcome = <A, E extends { readonly _tag: string }, R>(use: Effect.Effect<A, E, R>) =>
    Effect.match(use, { onSuccess: (value) => JSON.stringify(value), onFailure: (error) => error._tag })
  const outcomes: Array<ReadonlyArray<string>> = []
  for (const text of ["a\u0000b", "a\ud800b", "\udc00", "a@b\u0000.example"]) {
    const of = [
      outcome(Effect.flatMap(Search, (search) => search.search(text))),
      outcome(Effect.flatMap(Search, (search) => search.fetch(text))),
      outcome(Effect.flatMap(Lists, (lists) => lists.byName(text))),
      outcome(Effect.flatMap(Lists, (lists) => lists.view(text))),
      outcome(Effect.flatMap(Things, (things) => things.page({ tag: text }))),
      outcome(Effect.flatMap(Things, (things) => things.page({ listId: text }))),
      outcome(Effect.flatMap(Places, (places) => places.save({ name: text }))),
      outcome(Effect.flatMap(Places, (places) => places.save({ name: "home", address: text }))),
      outcome(Effect.flatMap(IdempotencyRecords, (records) => records.once(text, "request", Effect.succeed("{}")))),
      outcome(accounts.get(text)),
      // Hashing takes time even for unknown emails.
      text.includes("@") ? outcome(accounts.signIn(text, Redacted.make("long enough"))) : Effect.succeed("Unauthorized")
    ]
    outcomes.push(yield* Effect.all(of).pipe(Effect.provideService(Caller, callerOf(account))))
  }
  return outcomes
})

describe("text that cannot be stored is refused by the domain", () => {
  for (const [name, runtime] of Object.entries(runtimes)) {
    it(name, async () => {
      const none = '{"items":[],"hasMore":false}'
      for (const outcomes of await runtime.runPromise(asked)) {
        expect(outcomes).toStrictEqual([
          "InvalidInput",
          "NotFound",
          "NotFound",
          "NotFound",
          none,
          none,
          "InvalidInput",
          "InvalidInput",
          "InvalidInput",
          "NotFound",
          "Unauthorized"
        ])
      }
    })
  }
})

describe("accounts that choose the same email concurrently", () => {
  it("one gets the email, all others are refused", async () => {
    const race = Effect.gen(function* () {
      const accounts = yield* Accounts
      const emails = Array.from({ length: 10 }, (_, n) => `racer-${n}@example.com`)
      const racers = yield* Effect.forEach(emails, (email) => accounts.create({ email }))
      const wins: Array<number> = []
      for (let round = 0; round < 10; round++) {
        const moves = racers.map(({ id }) =>
          Effect.match(accounts.update(id, { email: `wanted-${round}@example.com` }), {
            onSuccess: () => 1,
            onFailure: (error) => {
              expect(error._tag).toBe("Conflict")
              return 0
            }
          })
        )
        wins.push((yield* Effect.all(moves, { concurrency: "unbounded" })).reduce<number>((sum, won) => sum + won, 0))
      }
      return wins
    })
    expect(await runtimes.PostgreSQL.runPromise(race)).toStrictEqual(Array.from({ length: 10 }, () => 1))
  })
})

import { NodeCrypto } from "@effect/platform-node"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { newList, newThings, type Plain } from "@lists-and-things/testing/Fixtures"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { fillThings, ownerId } from "@lists-and-things/storage-pg/testing/Million"
import type { TestServer } from "@lists-and-things/storage-pg/testing/TestServer"
import { Effect, Layer, Redacted } from "effect"
import { createHash } from "node:crypto"

/** A database full of things, with keys to its accounts. */
export interface FilledDatabase {
  readonly name: string
  readonly databaseUrl: string
  /** The account with the most things. */
  readonly big: Owner
  /** An account that is the same in every such database, however much data other accounts have. */
  readonly steady: Owner
  /** 32 accounts with one list each, for writes that do not wait for each other. */
  readonly writers: ReadonlyArray<Owner>
  /**
   * 32 accounts to which the floor writes. It does not maintain size counters, so the product would have to recount
   * them.
   */
  readonly others: ReadonlyArray<Owner>
  /** 250 empty accounts, to which nothing is written. */
  readonly waiters: ReadonlyArray<Owner>
}

export interface Owner {
  readonly id: string
  readonly key: string
}

/** Higher than any round of a benchmark reaches; requests are still counted. */
const rateLimit = 1_000_000_000

const start = 1_700_000_000_000

/** A word as `fillThings` generates them, so that other accounts have it too. */
const word = (n: number): string =>
  createHash("md5")
    .update(`${n}`)
    .digest("hex")
    .slice(0, 4 + (n % 6))

const steadyThing = (n: number): Partial<Plain<Thing>> => ({
  text: `item ${word(n)} ${word((n * 7) % 4999)} ${word((n * 3) % 4998)} ${n}`,
  created: start + n * 50,
  updated: start + ((n * 7919) % 2_000) * 50
})

/** Makes 2,000 things in 20 lists. */
const fillSteady = Effect.fnUntraced(function* (owner: AccountId) {
  for (let first = 0; first < 2_000; first += 100) {
    const list = yield* newList(owner, { title: `${word(first)} list ${first}` })
    const things = Array.from({ length: 100 }, (_, n) => steadyThing(first + n))
    yield* newThings(owner, list.id, things)
  }
})

const populate = Effect.gen(function* () {
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const owner = Effect.fnUntraced(function* (id: string) {
    return { id, key: (yield* keys.create({ account: id, rateLimit })).token } satisfies Owner
  })
  const big = yield* owner(ownerId(0))
  const other = yield* accounts.create({ email: "steady@example.com" })
  yield* fillSteady(other.id)
  const steady = yield* owner(other.id)
  const empty = (count: number, name: string) =>
    Effect.forEach(Array.from({ length: count }).keys(), (n) =>
      Effect.flatMap(accounts.create({ email: `${name}-${n}@example.com` }), ({ id }) => owner(id))
    )
  return {
    big,
    steady,
    writers: yield* empty(32, "writer"),
    others: yield* empty(32, "other"),
    waiters: yield* empty(250, "waiter")
  }
})

/** Migrates an empty database, fills it with `things` things, and makes the accounts and keys for the rows. */
export const fillDatabase = async (server: TestServer, name: string, things: number): Promise<FilledDatabase> => {
  const url = await server.createDatabase(name)
  const storage = PgStorage.layer({ url })
  await Effect.runPromise(Effect.scoped(Layer.build(storage)))
  await fillThings(server, name, things)
  const layer = useCases.pipe(Layer.provideMerge(storage), Layer.provideMerge(NodeCrypto.layer))
  const made = await Effect.runPromise(Effect.provide(populate, layer))
  return { name, databaseUrl: Redacted.value(url), ...made }
}

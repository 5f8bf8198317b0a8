import { NodeCrypto } from "@effect/platform-node"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { fillThings, ownerId } from "@lists-and-things/storage-pg/testing/Million"
import type { TestServer } from "@lists-and-things/storage-pg/testing/TestServer"
import { Effect, Layer, Redacted } from "effect"

/** One database full of things, with keys to it. */
export interface World {
  readonly name: string
  readonly databaseUrl: string
  /** The account with the most things. */
  readonly big: Owner
  /** 32 accounts with a list each, for writes that do not wait for each other. */
  readonly writers: ReadonlyArray<Owner>
}

export interface Owner {
  readonly id: string
  readonly key: string
}

/** High enough that no round of a benchmark meets it; it is counted all the same. */
const rateLimit = 1_000_000_000

const populate = Effect.gen(function* () {
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const owner = Effect.fnUntraced(function* (id: string) {
    return { id, key: (yield* keys.create({ account: id, rateLimit })).token } satisfies Owner
  })
  const big = yield* owner(ownerId(0))
  const writers: Array<Owner> = []
  for (let n = 0; n < 32; n++) {
    const account = yield* accounts.create({ email: `writer-${n}@example.com` })
    writers.push(yield* owner(account.id))
  }
  return { big, writers }
})

/** Migrates an empty database, fills it with `things` things and makes the accounts and keys of the rows. */
export const makeWorld = async (server: TestServer, name: string, things: number): Promise<World> => {
  const url = await server.createDatabase(name)
  const storage = PgStorage.layer({ url })
  await Effect.runPromise(Effect.scoped(Layer.build(storage)))
  await fillThings(server, name, things)
  const layer = useCases.pipe(Layer.provideMerge(storage), Layer.provideMerge(NodeCrypto.layer))
  const made = await Effect.runPromise(Effect.provide(populate, layer))
  return { name, databaseUrl: Redacted.value(url), ...made }
}

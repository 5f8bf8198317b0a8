import { NodeCrypto } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Ids } from "../../src/model/Ids.ts"
import { OAuthStore } from "../../src/ports/OAuthStore.ts"
import { AttemptLimiter } from "../../src/signin/AttemptLimiter.ts"
import { ClientDocuments } from "../../src/signin/ClientDocuments.ts"
import { maxUnused, OAuthClients, unusedLifetime } from "../../src/signin/OAuthClients.ts"
import { epoch, EpochMillis } from "../../src/model/EpochMillis.ts"

const noDocuments = Layer.succeed(ClientDocuments, { areFetched: true, fetch: () => Effect.die("not here") })

const world = OAuthClients.layer.pipe(
  Layer.provide([AttemptLimiter.layer, Ids.layer, noDocuments]),
  Layer.provideMerge(memory),
  Layer.provide(NodeCrypto.layer)
)

const metadata = { redirect_uris: ["https://a.example/cb"] }

it.effect("a registration is counted before its metadata are read", () =>
  Effect.gen(function* () {
    const clients = yield* OAuthClients
    let read = 0
    const reading = Effect.sync(() => {
      read++
      return read === 60 ? metadata : "no metadata"
    })
    const outcomes = yield* Effect.forEach(Array.from({ length: 65 }), () =>
      Effect.match(clients.register(reading, "203.0.113.9"), {
        onFailure: (error) => (error._tag === "OAuthError" ? (error.code as string) : error._tag),
        onSuccess: () => "registered"
      })
    )
    expect(outcomes).toStrictEqual([
      ...Array<string>(59).fill("invalid_client_metadata"),
      "registered",
      ...Array<string>(5).fill("temporarily_unavailable")
    ])
    expect(read).toBe(60)
  }).pipe(Effect.provide(world))
)

it.effect("a client that nobody approved is removed after a day", () =>
  Effect.gen(function* () {
    const [clients, store] = [yield* OAuthClients, yield* OAuthStore]
    const { client } = yield* clients.register(Effect.succeed(metadata), "203.0.113.9")
    const { client: allowed } = yield* clients.register(Effect.succeed(metadata), "203.0.113.9")
    yield* store.putClient({ ...allowed, lastUsed: EpochMillis(1) })
    yield* TestClock.adjust(unusedLifetime)
    yield* clients.register(Effect.succeed(metadata), "203.0.113.9")
    expect(yield* store.client(client.id)).toBeDefined()
    yield* TestClock.adjust(1)
    yield* clients.register(Effect.succeed(metadata), "203.0.113.9")
    expect(yield* store.client(client.id)).toBeUndefined()
    expect(yield* store.client(allowed.id)).toBeDefined()
  }).pipe(Effect.provide(world))
)

it.effect("clients that nobody approved are limited in number: a new one replaces the oldest", () =>
  Effect.gen(function* () {
    const [clients, store] = [yield* OAuthClients, yield* OAuthStore]
    const made = { name: "N", redirectUris: [], lastUsed: null }
    yield* TestClock.adjust(maxUnused + 1)
    yield* store.putClient({ ...made, id: "allowed", created: epoch, lastUsed: EpochMillis(1) })
    for (let at = epoch; at < maxUnused; at++) yield* store.putClient({ ...made, id: `${at}`, created: at })
    const { client } = yield* clients.register(Effect.succeed(metadata), "203.0.113.9")
    expect(yield* store.client("0")).toBeUndefined()
    for (const id of ["1", `${maxUnused - 1}`, client.id, "allowed"]) expect(yield* store.client(id), id).toBeDefined()
  }).pipe(Effect.provide(world))
)

import { describe, expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { NodeCrypto } from "@effect/platform-node"
import { noon, type Plain, timed } from "@lists-and-things/testing/Fixtures"
import { Effect, Exit, Latch, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { addMillis, epoch } from "../../src/model/EpochMillis.ts"
import { StorageUnavailable } from "../../src/model/Errors.ts"
import { type KnownServer, ServerStore } from "../../src/ports/ServerStore.ts"
import {
  announceServer,
  assumption,
  heartbeatMillis,
  decideAddress,
  serverAddress
} from "../../src/servers/ServerAddress.ts"

const server = (overrides: Partial<Plain<KnownServer>> = {}): KnownServer =>
  timed<KnownServer>({
    machine: "here",
    host: "127.0.0.1",
    port: 4200,
    url: "http://localhost:4200",
    started: noon,
    seen: noon,
    stopped: null,
    ...overrides
  })

describe("the address of an installation", () => {
  const elsewhere = server({ machine: "elsewhere", url: "https://lists.example.com" })
  const stopped = server({ port: 4201, stopped: noon, seen: noon - heartbeatMillis, started: noon - 5 })
  const silent = server({ port: 4202, seen: noon - 3 * heartbeatMillis, started: noon + 9 })

  it.each([
    ["nothing is known", [], { _tag: "Unknown" }],
    ["one runs", [server()], { _tag: "Running", server: server() }],
    ["one missed a beat", [server({ seen: noon - 2 * heartbeatMillis })], { _tag: "Running" }],
    ["one runs elsewhere, and one here is stopped", [stopped, elsewhere], { _tag: "Running", server: elsewhere }],
    ["two run: the one here", [elsewhere, server()], { _tag: "Running", server: server() }],
    [
      "two run here: the one that was started last",
      [server({ started: noon - 1 }), server({ port: 1, started: noon })],
      { _tag: "Running", server: { port: 1 } }
    ],
    ["one was stopped", [stopped], { _tag: "Stopped", server: stopped }],
    ["one died", [silent], { _tag: "Silent", server: silent }],
    ["one was seen by a clock that is ahead", [server({ seen: noon + 3 * heartbeatMillis })], { _tag: "Silent" }]
  ] as const)("where %s", (_, servers, expected) => {
    expect(decideAddress(servers, "here", noon)).toMatchObject(expected)
  })

  it("is explained if no server answers", () => {
    expect([[server()], [stopped], [silent], []].map((all) => assumption(decideAddress(all, "here", noon)))).toEqual([
      undefined,
      "No server runs; this is where one answered until 2026-11-21 12:00 UTC.",
      "This is where a server answered, which last said so at 2026-11-21 11:57 UTC: it may have died.",
      "No server has run yet; this is where one answers unless it is told otherwise."
    ])
  })
})

it.effect("a server records every minute that it runs, and finally that it has stopped", () =>
  Effect.gen(function* () {
    const { all } = yield* ServerStore
    const scope = yield* Scope.make()
    const running = { machine: "here", host: "::1", port: 4200, url: "http://localhost:4200" }
    yield* Scope.provide(announceServer(running), scope)
    expect(yield* all).toStrictEqual([{ ...running, started: epoch, seen: epoch, stopped: null }])
    yield* TestClock.adjust(10 * heartbeatMillis)
    const now = addMillis(epoch, 10 * heartbeatMillis)
    expect(yield* all).toStrictEqual([{ ...running, started: epoch, seen: now, stopped: null }])
    expect(yield* serverAddress("here")).toMatchObject({ _tag: "Running", server: running })
    yield* Scope.close(scope, Exit.void)
    expect(yield* serverAddress("here")).toMatchObject({ _tag: "Stopped", server: { stopped: now } })
    yield* TestClock.adjust(10 * heartbeatMillis)
    expect(yield* all).toStrictEqual([{ ...running, started: epoch, seen: now, stopped: now }])
  }).pipe(Effect.provide(memory.pipe(Layer.provide(NodeCrypto.layer))))
)

it.effect("a server that could not record that it runs, as in an outage, does so within seconds afterwards", () =>
  Effect.gen(function* () {
    const store = yield* ServerStore
    let isAway = false
    const away = new StorageUnavailable({ outcome: "not-applied" })
    const put: typeof store.put = (known) => (isAway ? Effect.fail(away) : store.put(known))
    const announced = announceServer({ machine: "here", host: "::1", port: 4200, url: "http://localhost:4200" })
    yield* Effect.provideService(announced, ServerStore, { ...store, put })
    isAway = true
    yield* TestClock.adjust(3.5 * heartbeatMillis)
    expect(yield* serverAddress("here")).toMatchObject({ _tag: "Silent" })
    isAway = false
    yield* TestClock.adjust(heartbeatMillis / 10)
    expect(yield* serverAddress("here")).toMatchObject({ _tag: "Running" })
  }).pipe(Effect.provide(memory.pipe(Layer.provide(NodeCrypto.layer))))
)

it.effect("the stop of a server waits for a second at most until it is recorded, as while the storage is frozen", () =>
  Effect.gen(function* () {
    const store = yield* ServerStore
    const frozen = yield* Latch.make()
    const put: typeof store.put = (known) =>
      known.stopped === null ? store.put(known) : Effect.uninterruptible(Effect.andThen(frozen.await, store.put(known)))
    const scope = yield* Scope.make()
    const announced = announceServer({ machine: "here", host: "::1", port: 4200, url: "http://localhost:4200" })
    yield* Scope.provide(Effect.provideService(announced, ServerStore, { ...store, put }), scope)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust(1_000)
    expect(closing.pollUnsafe()).toStrictEqual(Exit.void)
    yield* frozen.open
    yield* TestClock.adjust(1)
    expect(yield* serverAddress("here")).toMatchObject({ _tag: "Stopped" })
  }).pipe(Effect.provide(memory.pipe(Layer.provide(NodeCrypto.layer))))
)

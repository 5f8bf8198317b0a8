import { afterAll, describe, expect, it } from "@effect/vitest"
import type { List } from "@lists-and-things/domain/model/List"
import { type NewThing, ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { newAccount, newList, newThings, thing } from "@lists-and-things/testing/Fixtures"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { Cause, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { Database } from "../src/connection/Database.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

const draft = (home: List, overrides: Partial<Thing> = {}): NewThing => {
  const { position: _position, created: _created, updated: _updated, ...fields } = thing(home.owner, home.id, overrides)
  return fields
}

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const layer = Layer.merge(PgStorage.layer({ url: server.url() }), Database.layer({ url: server.url() }))
  const newHome = Effect.flatMap(newAccount(), ({ id }) => newList(id))
  const unbounded = { concurrency: "unbounded" } as const

  describe(`PostgreSQL ${version}: things that are written concurrently`, () => {
    it.live("do not wait for things of a locked account, which are added once it is unlocked", () =>
      Effect.gen(function* () {
        const things = yield* ThingStore
        const [locked, free] = [yield* newHome, yield* newHome]
        const [isLocked, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const db = yield* Database
        const lock = db
          .write("select 1 from write_clocks where owner_id = $1 for update", [locked.owner])
          .pipe(Effect.andThen(Deferred.succeed(isLocked, undefined)), Effect.andThen(Deferred.await(letGo)))
        const holder = yield* Effect.forkChild(db.transaction(lock))
        yield* Deferred.await(isLocked)
        const waiting = yield* Effect.forkChild(
          Effect.all(
            [1, 2].map(() => things.append(draft(locked))),
            unbounded
          )
        )
        const others = yield* Effect.all(
          Array.from({ length: 20 }, () => things.append(draft(free))),
          unbounded
        )
        expect(others.every((one) => one !== undefined)).toBe(true)
        expect(yield* things.ofList(locked.owner, locked.id)).toHaveLength(0)
        yield* Deferred.succeed(letGo, undefined)
        yield* Fiber.join(holder)
        expect(yield* Fiber.join(waiting)).toHaveLength(2)
        expect(yield* things.ofList(locked.owner, locked.id)).toHaveLength(2)
      }).pipe(Effect.provide(layer))
    )

    it.live("are written although another write fails, in any account", () =>
      Effect.gen(function* () {
        const things = yield* ThingStore
        const home = yield* newHome
        const others = yield* Effect.all(Array.from({ length: 11 }, () => newHome))
        const [milk] = yield* newThings(home.owner, home.id, [{ text: "Milk" }])
        const broken: Partial<Thing> = { type: "no such type" as Thing["type"] }
        const writes = [
          ...[home, home, ...others].map((each) => things.append(draft(each))),
          things.revise(home.owner, milk!.id, (found) => Effect.succeed({ ...found.thing, completed: true }))
        ]
        const breaking = [
          things.append(draft(home, broken)),
          things.revise(home.owner, milk!.id, (found) => Effect.succeed({ ...found.thing, ...broken }))
        ]
        const exits = yield* Effect.all([...breaking, ...writes].map(Effect.exit), unbounded)
        for (const [n, exit] of exits.entries()) expect(Exit.isSuccess(exit), String(n)).toBe(n >= breaking.length)
        for (const exit of exits.slice(0, breaking.length))
          expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
        expect(yield* things.ofList(home.owner, home.id)).toHaveLength(3)
        expect((yield* things.get(home.owner, milk!.id))?.completed).toBe(true)
        for (const other of others) expect(yield* things.ofList(other.owner, other.id)).toHaveLength(1)
      }).pipe(Effect.provide(layer))
    )
  })
}

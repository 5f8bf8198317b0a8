import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import { Conflict } from "@lists-and-things/domain/model/Errors"
import { AccountId } from "@lists-and-things/domain/model/Ids"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { freshId, list, newAccount, newList, newThings, thing } from "./Fixtures.ts"

type Ports = Storage | AccountStore | ListStore | ThingStore

/** The contract of `Storage.transact`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: Storage`, (it) => {
    it.effect("ping succeeds", () => Effect.flatMap(Storage, (storage) => storage.ping))

    it.effect("transact returns the result of the body", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const { id } = yield* newAccount()
        expect(yield* storage.transact(id, () => Effect.succeed("done"))).toBe("done")
      })
    )

    it.effect("transact fails with NotFound, without running the body, for an unknown account", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        let ran = false
        for (const id of [freshId(), "no-id"]) {
          const error = yield* Effect.flip(storage.transact(AccountId.make(id), () => Effect.sync(() => (ran = true))))
          expect(error._tag).toBe("NotFound")
        }
        expect(ran).toBe(false)
      })
    )

    it.effect("a snapshot shows one moment, and does not block writes", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        const things = yield* ThingStore
        const { id: owner } = yield* newAccount()
        const home = yield* newList(owner)
        yield* newThings(owner, home.id, [{ text: "a" }])
        const [opened, written] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const reading = Effect.gen(function* () {
          const all = yield* lists.all(owner)
          const texts = (yield* things.ofList(owner, home.id)).map(({ text }) => text)
          return [all.length, ...texts.toSorted()]
        })
        const snapshot = Effect.gen(function* () {
          const before = yield* reading
          yield* Deferred.succeed(opened, undefined)
          yield* Deferred.await(written)
          return [before, yield* reading]
        })
        const reader = yield* Effect.forkChild(storage.snapshot(owner, snapshot))
        yield* Deferred.await(opened)
        yield* storage.transact(owner, () => Effect.andThen(newThings(owner, home.id, [{ text: "b" }]), newList(owner)))
        yield* Deferred.succeed(written, undefined)
        expect(yield* Fiber.join(reader)).toStrictEqual([
          [1, "a"],
          [1, "a"]
        ])
        expect(yield* reading).toStrictEqual([2, "a", "b"])
      })
    )

    it.effect("a snapshot refuses writes", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        const { id: owner } = yield* newAccount()
        const mine = list(owner)
        for (const write of [lists.insert(mine), storage.transact(owner, () => lists.insert(mine))])
          expect(Exit.isFailure(yield* Effect.exit(storage.snapshot(owner, write)))).toBe(true)
        expect(yield* lists.all(owner)).toStrictEqual([])
        const inside = storage.transact(owner, () =>
          Effect.andThen(lists.insert(mine), storage.snapshot(owner, lists.all(owner)))
        )
        expect(yield* inside).toHaveLength(1)
      })
    )

    it.effect("a transaction sees its own writes, and others do after it succeeded", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        const things = yield* ThingStore
        const { id: owner } = yield* newAccount()
        const mine = list(owner)
        const inside = yield* storage.transact(owner, () =>
          Effect.gen(function* () {
            yield* lists.insert(mine)
            yield* things.insert(owner, [thing(owner, mine.id)])
            return { list: yield* lists.get(owner, mine.id), things: yield* things.ofList(owner, mine.id) }
          })
        )
        expect(inside.list).toStrictEqual(mine)
        expect(inside.things).toHaveLength(1)
        expect(yield* lists.get(owner, mine.id)).toStrictEqual(mine)
        expect(yield* things.ofList(owner, mine.id)).toHaveLength(1)
      })
    )

    describe("a transaction that ends without success has no effect", () => {
      const cases: ReadonlyArray<readonly [string, Effect.Effect<never, Conflict>]> = [
        ["a failure", Effect.fail(new Conflict({ message: "no" }))],
        ["a defect", Effect.die(new Error("defect"))],
        [
          "an exception",
          Effect.sync((): never => {
            throw new Error("thrown")
          })
        ],
        ["an interruption by itself", Effect.interrupt]
      ]
      it.effect.each(cases)("after %s", ([, end]) =>
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const things = yield* ThingStore
          const { id: owner } = yield* newAccount()
          const kept = yield* newList(owner, { title: "kept" })
          const [old] = yield* newThings(owner, kept.id, [{ text: "old" }])
          const added = list(owner)
          const exit = yield* Effect.exit(
            storage.transact(owner, (writeTimestamp) =>
              Effect.gen(function* () {
                yield* lists.insert(added)
                yield* lists.put({ ...kept, title: "changed", updated: writeTimestamp })
                yield* things.insert(owner, [thing(owner, added.id)])
                yield* things.remove(owner, [old!.id])
                return yield* end
              })
            )
          )
          expect(Exit.isFailure(exit)).toBe(true)
          expect(yield* lists.get(owner, added.id)).toBeUndefined()
          expect(yield* lists.get(owner, kept.id)).toStrictEqual(kept)
          expect(yield* things.ofList(owner, kept.id)).toStrictEqual([old!])
          expect(yield* storage.transact(owner, () => Effect.succeed("next"))).toBe("next")
        })
      )
    })

    it.effect("transact fails with the error of the body", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const { id } = yield* newAccount()
        const conflict = new Conflict({ message: "mine" })
        const error = yield* Effect.flip(storage.transact(id, () => Effect.fail(conflict)))
        expect(error).toBe(conflict)
      })
    )

    describe("a transaction nested in the same fiber", () => {
      it.effect("joins the outer one, with its writeTimestamp and its writes", () =>
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          const added = list(owner)
          const seen = yield* storage.transact(owner, (outer) =>
            Effect.gen(function* () {
              yield* lists.insert(added)
              const inner = yield* storage.transact(owner, (writeTimestamp) =>
                Effect.map(lists.get(owner, added.id), (found) => ({ writeTimestamp, found }))
              )
              return { outer, ...inner }
            })
          )
          expect(seen.writeTimestamp).toBe(seen.outer)
          expect(seen.found).toStrictEqual(added)
        })
      )

      it.effect("is rolled back with the outer one", () =>
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          yield* storage
            .transact(owner, () =>
              Effect.andThen(
                storage.transact(owner, () => lists.insert(list(owner))),
                Effect.fail(new Conflict({ message: "outer" }))
              )
            )
            .pipe(Effect.flip)
          expect(yield* lists.all(owner)).toHaveLength(0)
        })
      )

      it.effect("has no savepoint: nothing is rolled back when its failure is caught", () =>
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          const added = list(owner)
          yield* storage.transact(owner, () =>
            Effect.ignore(
              storage.transact(owner, () =>
                Effect.andThen(lists.insert(added), Effect.fail(new Conflict({ message: "caught" })))
              )
            )
          )
          expect(yield* lists.all(owner)).toStrictEqual([added])
        })
      )

      it.effect("rolls the outer one back when its failure is not caught", () =>
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          yield* storage
            .transact(owner, () =>
              Effect.andThen(
                lists.insert(list(owner)),
                storage.transact(owner, () => Effect.fail(new Conflict({ message: "inner" })))
              )
            )
            .pipe(Effect.flip)
          expect(yield* lists.all(owner)).toHaveLength(0)
        })
      )
    })
  })
}

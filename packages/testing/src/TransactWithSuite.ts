import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AccountId } from "@lists-and-things/domain/model/Ids"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { freshId, list, newAccount, newList } from "./Fixtures.ts"

type Ports = Storage | AccountStore | ListStore

/** The contract of `Storage.transactWith`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: a write that begins with a read`, (it) => {
    it.effect("reads the result of the previous write, so that no update is lost", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        const { id: owner } = yield* newAccount()
        const counter = yield* newList(owner, { title: "0" })
        const increment = storage.transactWith(owner, lists.get(owner, counter.id), (writeTimestamp, current) =>
          lists.put({ ...current!, title: String(Number(current!.title) + 1), updated: writeTimestamp })
        )
        yield* Effect.all(
          Array.from({ length: 20 }, () => increment),
          { concurrency: "unbounded" }
        )
        expect((yield* lists.get(owner, counter.id))?.title).toBe("20")
      })
    )

    it.effect("joins an outer transaction, with its writeTimestamp and its writes", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        const { id: owner } = yield* newAccount()
        const added = list(owner)
        yield* storage.transact(owner, (outer) =>
          Effect.gen(function* () {
            yield* lists.insert(added)
            yield* storage.transactWith(owner, lists.get(owner, added.id), (writeTimestamp, found) =>
              Effect.sync(() => expect([writeTimestamp, found]).toStrictEqual([outer, added]))
            )
          })
        )
      })
    )

    it.effect("fails with NotFound, without running the body, for an unknown account", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        for (const id of [freshId(), "no-id"]) {
          const owner = AccountId.make(id)
          const write = storage.transactWith(owner, lists.get(owner, freshId()), () => Effect.die("ran"))
          expect((yield* Effect.flip(write))._tag).toBe("NotFound")
        }
      })
    )
  })
}

import { NodeCrypto } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { asOwner, make } from "@lists-and-things/testing/AsOwner"
import { Interruption } from "@lists-and-things/testing/Interruption"
import { Effect, Layer } from "effect"
import { Lists } from "../../src/lists/Lists.ts"
import { ThingStore } from "../../src/ports/ThingStore.ts"
import { Search } from "../../src/search/Search.ts"
import { useCases } from "../../src/UseCases.ts"
import { tagOf } from "../caller/CallerLayer.ts"

const reading = new Interruption()

const disturbed = Layer.effect(
  ThingStore,
  Effect.map(ThingStore, (store) => {
    const listWithThings: typeof store.listWithThings = (...params) => reading.after(store.listWithThings(...params))
    return { ...store, listWithThings }
  })
)

const overDisturbed = useCases.pipe(
  Layer.provideMerge(Layer.provideMerge(disturbed, memory)),
  Layer.provideMerge(NodeCrypto.layer)
)

const meanwhile = Effect.fnUntraced(function* <A, E, R>(write: Effect.Effect<A, E, R>) {
  reading.next(Effect.orDie(Effect.provideContext(write, yield* Effect.context<R>())))
})

layer(overDisturbed)("a list that is too long for one read", (it) => {
  it.effect("is shown as it is at one moment", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const lists = yield* Lists
        const { listId } = yield* make({ text: "long", list: "today", note: "x".repeat(300_000) })
        yield* meanwhile(make({ text: "new", list_id: listId }))
        const { list, things } = yield* lists.view(listId)
        expect(things.map(({ text }) => text)).toStrictEqual(["long", "new"])
        expect(list.updated).toBe(things[1]!.updated)
      })
    )
  )

  it.effect("is unknown once it is deleted, and never shown empty", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const [lists, search] = [yield* Lists, yield* Search]
        const day = "2026-11-25"
        const deleted = Effect.fnUntraced(function* () {
          const { listId } = yield* make({ text: "long", list: day, note: "x".repeat(300_000) })
          yield* meanwhile(lists.remove(listId))
          return listId
        })
        expect(yield* tagOf(lists.view(yield* deleted()))).toBe("NotFound")
        expect(yield* tagOf(search.fetch(yield* deleted()))).toBe("NotFound")
        yield* deleted()
        expect((yield* lists.madeDay(day)).view).toBe(undefined)
        const former = yield* deleted()
        const { list, things } = yield* lists.day(day)
        expect(things).toStrictEqual([])
        expect(list.id).not.toBe(former)
      })
    )
  )
})

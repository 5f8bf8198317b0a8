import { NodeCrypto } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { asOwner, listNamed, make } from "@lists-and-things/testing/AsOwner"
import { makeCall, withCall } from "@lists-and-things/testing/Operations"
import { Effect, Layer } from "effect"
import { Undo } from "../../src/history/Undo.ts"
import { HistoryStore } from "../../src/ports/HistoryStore.ts"
import { useCases } from "../../src/UseCases.ts"

/** A history whose pages after the first cannot be asked for, since the store then passes over those before. */
const firstPages = Layer.effect(
  HistoryStore,
  Effect.map(HistoryStore, (store) => {
    const page: typeof store.page = (owner, filter, number, size) =>
      number === 0 ? store.page(owner, filter, number, size) : Effect.die(new Error(`asked for page ${number}`))
    return { ...store, page }
  })
)

const overFirstPages = useCases.pipe(
  Layer.provideMerge(Layer.provideMerge(firstPages, memory)),
  Layer.provideMerge(NodeCrypto.layer)
)

layer(overFirstPages)("a long history", (it) => {
  it.effect("is read without passing over what was read already", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const undo = yield* Undo
        const [making, adding] = [makeCall({ name: "createList" }), makeCall({ name: "createThing" })]
        yield* listNamed("home").pipe(withCall(making))
        const { id } = yield* undo.newest(making.by.id)
        const add = make({ text: "milk", list: "home" }).pipe(withCall(adding))
        yield* Effect.forEach(Array.from({ length: 501 }), () => add)
        expect((yield* undo.newest(making.by.id, { exceptName: adding.name })).id).toBe(id)
      })
    )
  )
})

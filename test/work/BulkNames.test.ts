import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { asOwner, bulk, listNamed } from "@lists-and-things/testing/AsOwner"
import { callsOf, countedUseCases } from "./Counted.ts"

layer(countedUseCases)("names of lists in a bulk call", (it) => {
  it.effect("are looked up together, however many there are, and unknown ones are compared with nothing", () =>
    asOwner(() =>
      Effect.gen(function* () {
        const lists = yield* Effect.forEach(["one", "two", "three"], listNamed)
        const items = Array.from({ length: 500 }, (_, at) => [
          { text: "by a name that no list has", list: `No list ${at}` },
          { text: "by a name", list: lists[at % 3]!.title },
          { text: "by an id", list_id: lists[at % 3]!.id }
        ])
        const calls = yield* callsOf(bulk({ items: items.flat().slice(0, 500) }))
        expect(calls["ListStore.byTitles"]).toBe(1)
        expect(calls["ListStore.getMany"]).toBe(1)
        expect(calls).not.toHaveProperty("ListStore.titles")
        expect(calls).not.toHaveProperty("ListStore.all")
      })
    )
  )

  it.effect("are compared with the titles only once when the call itself names an unknown list", () =>
    asOwner(() =>
      Effect.gen(function* () {
        yield* listNamed("one")
        const calls = yield* callsOf(Effect.flip(bulk({ items: [{ text: "a" }, { text: "b" }], list: "onee" })))
        expect(calls["ListStore.titles"]).toBe(1)
        expect(calls).not.toHaveProperty("ThingStore.insert")
      })
    )
  )
})

import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { Search } from "@lists-and-things/domain/search/Search"
import type { Tags } from "@lists-and-things/domain/tags/Tags"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Nesting } from "@lists-and-things/domain/things/Nesting"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, listNamed, make, shown, texts } from "./AsOwner.ts"

type UseCases = Lists | Things | Nesting | BulkThings | Reminders | Search | Tags | AccountStore

/** The use case that adds many things, over any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: adding many things`, (it) => {
    it.effect("bulk treats a list given by id and by name as one: items keep their order, duplicates count once", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const one = yield* listNamed("one")
          const items = [{ text: "a" }, { text: "b", list: "One" }, { text: "c" }, { text: "a", list: "one" }]
          const counts = yield* bulk({ list_id: one.id, skip_duplicates: true, items })
          expect(counts.byList).toStrictEqual([{ listId: one.id, created: 3, skipped: 1 }])
          expect(texts(yield* shown(one.id))).toStrictEqual(["a", "b", "c"])
        })
      )
    )

    it.effect("bulk counts by list, and skips blanks, duplicates and unknown targets", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two] = [yield* listNamed("one"), yield* listNamed("two")]
          yield* make({ text: "milk", list_id: one.id })
          const counts = yield* bulk({
            list_id: one.id,
            skip_duplicates: true,
            items: [
              { text: " milk " },
              { text: "bread" },
              { text: "bread" },
              { text: "" },
              { text: "milk", url: "https://milk.example" },
              { text: "other", url: "milk.example/" },
              { text: "milk", list_id: two.id },
              { text: "lost", list: "nowhere" }
            ]
          })
          expect(counts).toStrictEqual({
            created: 4,
            skipped: 4,
            byList: [
              { listId: one.id, created: 3, skipped: 3 },
              { listId: two.id, created: 1, skipped: 0 }
            ]
          })
        })
      )
    )

    it.effect("things without text and url are not duplicates of each other", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("photos")
          const items = [{ photos: ["https://e.example/1.png"] }, { photos: ["https://e.example/2.png"] }]
          const counts = yield* bulk({ list_id: list.id, skip_duplicates: true, items })
          expect([counts.created, counts.skipped]).toStrictEqual([2, 0])
        })
      )
    )

    it.effect("a live linked copy is a duplicate by the text or url of its original", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("copies")
          const milk = yield* make({ text: "milk" })
          const shop = yield* make({ text: "shop", url: "https://shop.example" })
          const copies = [{ clone_of: milk.id }, { clone_of: shop.id }]
          const call = { list_id: list.id, skip_duplicates: true }
          const first = yield* bulk({ ...call, items: [...copies, { clone_of: milk.id }, { text: "milk" }] })
          expect([first.created, first.skipped]).toStrictEqual([2, 2])
          const again = yield* bulk({ ...call, items: copies })
          expect([again.created, again.skipped]).toStrictEqual([0, 2])
          const wrong = yield* Effect.flip(bulk({ ...call, items: [{ clone_of: milk.id, text: "oats" }] }))
          expect(wrong.message).toContain("items[0].text")
        })
      )
    )

    it.effect("bulk writes nothing for an unknown default target, an invalid item or an invalid reference", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const errors = [
            yield* Effect.flip(bulk({ list: "nowhere", items: [{ text: "a", list_id: list.id }] })),
            yield* Effect.flip(bulk({ list_id: list.id, items: [{ text: "a" }, { text: "b", list_ref: "x" }] })),
            yield* Effect.flip(
              bulk({ list_id: list.id, items: [{ text: "a" }, { text: "b", quote: true, code: true }] })
            )
          ]
          expect(errors.map((error) => (error._tag === "InvalidInput" ? error.field : error._tag))).toStrictEqual([
            "list",
            "items[1].list_ref",
            "items[1].quote"
          ])
          expect(yield* shown(list.id)).toHaveLength(0)
        })
      )
    )
  })
}

import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Lists } from "../lists/Lists.ts"
import type { AccountStore } from "../ports/AccountStore.ts"
import type { Reminders } from "../reminders/Reminders.ts"
import type { Search } from "../search/Search.ts"
import type { Tags } from "../tags/Tags.ts"
import { BulkThings } from "../things/BulkThings.ts"
import { Things } from "../things/Things.ts"
import { asOwner, bulk, bulkSet, listNamed, make, patch, shown, texts } from "./AsOwner.ts"

type UseCases = Lists | Things | BulkThings | Reminders | Search | Tags | AccountStore

/** What the use cases of things promise, over any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true, timeout: "60 seconds" })(`${name}: things`, (it) => {
    it.effect("a backdated thing takes its place by created; a moved one goes to the end", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two] = [yield* listNamed("one"), yield* listNamed("two")]
          const first = yield* make({ text: "first", list_id: one.id })
          yield* make({ text: "second", list_id: one.id })
          yield* make({ text: "early", list_id: one.id, created: "2020-01-01" })
          yield* make({ text: "early too", list_id: one.id, created: "2020-01-01" })
          assert.deepStrictEqual(texts(yield* shown(one.id)), ["early", "early too", "first", "second"])
          yield* make({ text: "there", list_id: two.id })
          const moved = (yield* patch(first.id, { list: "two" })).thing
          assert.strictEqual(moved.created, first.created)
          assert.deepStrictEqual(texts(yield* shown(two.id)), ["there", "first"])
          assert.deepStrictEqual((yield* patch(first.id, { list_id: two.id, text: "1st" })).thing.place, moved.place)
        })
      )
    )

    it.effect("a bulk move keeps the order and nesting of the source", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two] = [yield* listNamed("one"), yield* listNamed("two")]
          yield* bulk({ list_id: one.id, items: [{ text: "a" }, { text: "b", tabs: 1 }, { text: "c" }] })
          const things = yield* shown(one.id)
          const ids = things.map((thing) => thing.id).toReversed()
          assert.deepStrictEqual(yield* bulkSet([...ids, "nobody's"], { list_id: two.id }), {
            updated: 3,
            skipped: 1
          })
          const after = yield* shown(two.id)
          assert.deepStrictEqual(texts(after), ["a", "b", "c"])
          assert.deepStrictEqual(
            after.map((thing) => thing.tabs),
            [0, 1, 0]
          )
        })
      )
    )

    it.effect("completed and canceled exclude each other, header bolds, and an empty patch touches nothing", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const thing = yield* make({ text: "a", completed: true })
          const canceled = (yield* patch(thing.id, { canceled: true })).thing
          assert.isTrue(canceled.canceled && !canceled.completed)
          const header = (yield* patch(thing.id, { header: true })).thing
          assert.isTrue(header.header && header.bold)
          const subheader = (yield* patch(thing.id, { subheader: true, bold: false })).thing
          assert.isTrue(subheader.subheader && !subheader.header && !subheader.bold)
          assert.deepStrictEqual((yield* patch(thing.id, {})).thing, subheader)
          const both = yield* Effect.flip(patch(thing.id, { completed: true, canceled: true }))
          assert.strictEqual(both._tag, "InvalidInput")
        })
      )
    )

    it.effect("clones share content, not their place; deleting the original makes the oldest clone the original", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two] = [yield* listNamed("one"), yield* listNamed("two")]
          const original = yield* make({ text: "a", list_id: one.id, tags: ["x"] })
          const clone = yield* make({ clone_of: original.id, list_id: two.id, tabs: 2 })
          const second = yield* make({ clone_of: clone.id, list_id: two.id })
          assert.deepStrictEqual([clone.cloneOf, second.cloneOf], [original.id, original.id])
          yield* patch(clone.id, { text: "b", completed: true, favorited: true })
          const things = yield* Things
          const read = (yield* things.get(original.id)).thing
          assert.deepStrictEqual([read.text, read.completed, read.favorited, read.tabs], ["b", true, false, 0])
          assert.isTrue(read.hasClones)
          yield* things.remove(original.id)
          const heir = (yield* things.get(clone.id)).thing
          assert.deepStrictEqual([heir.cloneOf, heir.hasClones], [null, true])
          assert.strictEqual((yield* things.get(second.id)).thing.cloneOf, clone.id)
          yield* (yield* BulkThings).remove([second.id])
          assert.isFalse((yield* things.get(clone.id)).thing.hasClones)
        })
      )
    )

    it.effect(
      "one list named in two ways is one list: its items keep the order of the call, duplicates count once",
      () =>
        asOwner(() =>
          Effect.gen(function* () {
            const one = yield* listNamed("one")
            const items = [{ text: "a" }, { text: "b", list: "One" }, { text: "c" }, { text: "a", list: "one" }]
            const counts = yield* bulk({ list_id: one.id, skip_duplicates: true, items })
            assert.deepStrictEqual(counts.byList, [{ listId: one.id, created: 3, skipped: 1 }])
            assert.deepStrictEqual(texts(yield* shown(one.id)), ["a", "b", "c"])
          })
        )
    )

    it.effect("bulk counts by list, skips blanks, duplicates and unknown targets", () =>
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
          assert.deepStrictEqual(counts, {
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

    it.effect("things without text and url are no duplicates of each other", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("photos")
          const items = [{ photos: ["https://e.example/1.png"] }, { photos: ["https://e.example/2.png"] }]
          const counts = yield* bulk({ list_id: list.id, skip_duplicates: true, items })
          assert.deepStrictEqual([counts.created, counts.skipped], [2, 0])
        })
      )
    )

    it.effect("an unknown default target, a wrong item or a wrong reference writes nothing at all", () =>
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
          assert.deepStrictEqual(
            errors.map((error) => (error._tag === "InvalidInput" ? error.field : error._tag)),
            ["list", "items[1].list_ref", "items[1].quote"]
          )
          assert.lengthOf(yield* shown(list.id), 0)
        })
      )
    )

    it.effect("every write has its own, later stamp, so that a poller by updated misses nothing", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const made = yield* Effect.all(
            Array.from({ length: 10 }, (_, index) => make({ text: String(index), list: "today" })),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(new Set(made.map((thing) => thing.updated)).size, 10)
        })
      )
    )
  })
}

import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type * as Crypto from "effect/Crypto"
import type { Account } from "../caller/Account.ts"
import { Caller } from "../caller/Caller.ts"
import { type Scope, scopes } from "../caller/Scope.ts"
import { decodeInput } from "../json/Decode.ts"
import { BulkCreateInput, BulkSetInput, CreateThingInput, UpdateThingInput } from "../json/ThingInput.ts"
import { Lists } from "../lists/Lists.ts"
import type { AccountStore } from "../ports/AccountStore.ts"
import { Search } from "../search/Search.ts"
import { Tags } from "../tags/Tags.ts"
import { BulkThings } from "../things/BulkThings.ts"
import type { Thing } from "../things/Thing.ts"
import { Things } from "../things/Things.ts"
import { at, newAccount, noon } from "./Fixtures.ts"

type UseCases = Lists | Things | BulkThings | Search | Tags | AccountStore

const callerOf = (account: Account, allowed: ReadonlyArray<Scope> = scopes): Caller["Service"] => ({
  account,
  scopes: new Set(allowed)
})

/** Runs a test as a new account, with the clock standing at `noon`. */
const asOwner = <A, E, R>(test: (account: Account) => Effect.Effect<A, E, R>, overrides: Partial<Account> = {}) =>
  Effect.gen(function* () {
    const account = yield* newAccount(overrides)
    return yield* test(account).pipe(Effect.provideService(Caller, callerOf(account)), at(noon))
  })

const make = (value: unknown) =>
  Effect.gen(function* () {
    return yield* (yield* Things).create(yield* decodeInput(CreateThingInput)(value))
  })

const patch = (id: string, value: unknown) =>
  Effect.gen(function* () {
    return yield* (yield* Things).update(id, yield* decodeInput(UpdateThingInput)(value))
  })

const bulk = (value: unknown) =>
  Effect.gen(function* () {
    return yield* (yield* BulkThings).create(yield* decodeInput(BulkCreateInput)(value))
  })

const bulkSet = (ids: ReadonlyArray<string>, value: unknown) =>
  Effect.gen(function* () {
    return yield* (yield* BulkThings).update({ ids, set: yield* decodeInput(BulkSetInput)(value) })
  })

const newList = (title: string) =>
  Effect.gen(function* () {
    return (yield* (yield* Lists).create({ title })).list
  })

const shown = (id: string) =>
  Effect.gen(function* () {
    return (yield* (yield* Lists).view(id)).things
  })

const texts = (things: ReadonlyArray<Thing>) => things.map((thing) => thing.text)

/** What the use cases promise, over any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases | Crypto.Crypto, E>): void => {
  withLayer(layer, { excludeTestServices: true, timeout: "60 seconds" })(`${name}: use cases`, (it) => {
    it.effect("a thing without a target goes to today's list in the owner's zone", () =>
      asOwner(
        () =>
          Effect.gen(function* () {
            const thing = yield* make({ text: "milk" })
            const day = yield* (yield* Lists).day()
            assert.strictEqual(day.date, "2026-11-22")
            assert.strictEqual(day.list.title, "2026-11-22")
            assert.deepStrictEqual(texts(day.things), ["milk"])
            assert.strictEqual(thing.listId, day.list.id)
          }),
        { timezone: "Pacific/Auckland" }
      )
    )

    it.effect("a name is exact first, then ignores case, and never half a title", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const upper = yield* newList("Groceries")
          const lower = yield* newList("groceries")
          assert.strictEqual((yield* make({ text: "a", list: " Groceries " })).listId, upper.id)
          assert.strictEqual((yield* make({ text: "a", list: "groceries" })).listId, lower.id)
          const ambiguous = yield* Effect.flip(make({ text: "a", list: "GROCERIES" }))
          assert.strictEqual(ambiguous._tag, "Ambiguous")
          assert.include(ambiguous.message, upper.id)
          const missing = yield* Effect.flip(make({ text: "a", list: "Grocer" }))
          assert.strictEqual(missing._tag, "NotFound")
        })
      )
    )

    it.effect("an archived list is not found by name, and the error says that it is there", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* newList("Old")
          yield* (yield* Lists).update(list.id, { archived: true })
          const error = yield* Effect.flip(make({ text: "a", list: "old" }))
          assert.strictEqual(error._tag, "NotFound")
          assert.include(error.message, list.id)
        })
      )
    )

    it.effect("a backdated thing takes its place by created; a moved one goes to the end", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two] = [yield* newList("one"), yield* newList("two")]
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
          const [one, two] = [yield* newList("one"), yield* newList("two")]
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
          const [one, two] = [yield* newList("one"), yield* newList("two")]
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

    it.effect("deleting a list sets references to it to null and keeps clones of its things", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two] = [yield* newList("one"), yield* newList("two")]
          const original = yield* make({ text: "a", list_id: one.id })
          const clone = yield* make({ clone_of: original.id, list_id: two.id })
          const pointer = yield* make({ list_id: two.id, list_ref: one.id })
          yield* (yield* Lists).remove(one.id)
          const things = yield* Things
          assert.strictEqual((yield* things.get(pointer.id)).thing.listRef, null)
          assert.deepStrictEqual((yield* things.get(clone.id)).thing.cloneOf, null)
          assert.strictEqual((yield* Effect.flip(things.get(original.id)))._tag, "NotFound")
        })
      )
    )

    it.effect(
      "one list named in two ways is one list: its items keep the order of the call, duplicates count once",
      () =>
        asOwner(() =>
          Effect.gen(function* () {
            const one = yield* newList("one")
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
          const [one, two] = [yield* newList("one"), yield* newList("two")]
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
          const list = yield* newList("photos")
          const items = [{ photos: ["https://e.example/1.png"] }, { photos: ["https://e.example/2.png"] }]
          const counts = yield* bulk({ list_id: list.id, skip_duplicates: true, items })
          assert.deepStrictEqual([counts.created, counts.skipped], [2, 0])
        })
      )
    )

    it.effect("an unknown default target, a wrong item or a wrong reference writes nothing at all", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* newList("one")
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

    it.effect("a looked-at day list stays out of the lists until it holds a thing", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const lists = yield* Lists
          const { list } = yield* lists.day("2027-01-01")
          assert.lengthOf((yield* lists.page(0)).items, 0)
          yield* make({ text: "a", list: "2027-01-01" })
          assert.deepStrictEqual(
            (yield* lists.page(0)).items.map((each) => each.id),
            [list.id]
          )
        })
      )
    )

    it.effect("racing requests for a day make one list", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const lists = yield* Lists
          const days = yield* Effect.all(
            Array.from({ length: 12 }, () => lists.day("2027-05-05")),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(new Set(days.map((day) => day.list.id)).size, 1)
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

    it.effect("a list's updated moves with its things; a rename leaves theirs alone", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const lists = yield* Lists
          const list = yield* newList("one")
          const thing = yield* make({ text: "a", list_id: list.id })
          const afterThing = (yield* lists.view(list.id)).list
          assert.isAbove(afterThing.updated, list.updated)
          const renamed = yield* lists.update(list.id, { title: "uno" })
          assert.isAbove(renamed.updated, afterThing.updated)
          assert.strictEqual((yield* shown(list.id))[0]?.updated, thing.updated)
          assert.deepStrictEqual(yield* lists.update(list.id, {}), renamed)
        })
      )
    )

    it.effect("markdown in and out: an import, its export, and an import of that are equal things", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const lists = yield* Lists
          const markdown =
            "# Trip\n\n## Pack\n\n- [ ] socks\n  - [x] **wool**\n- [-] skis\n1. first\n\n> quoted\n\nplain\n"
          const first = yield* lists.importMarkdown({ markdown })
          assert.strictEqual(first.list.title, "Trip")
          const again = yield* lists.importMarkdown({ markdown: yield* lists.markdown(first.list.id) })
          const essence = (things: ReadonlyArray<Thing>) =>
            things.map(({ text, type, tabs, completed, canceled, header, subheader, quote }) => ({
              text,
              type,
              tabs,
              completed,
              canceled,
              header,
              subheader,
              quote
            }))
          const imported = essence(yield* shown(first.list.id))
          assert.strictEqual(again.list.title, "Trip")
          assert.deepStrictEqual(essence(yield* shown(again.list.id)), imported)
          assert.deepStrictEqual(
            imported.map((thing) => thing.text),
            ["Pack", "socks", "**wool**", "skis", "first", "quoted", "plain"]
          )
        })
      )
    )

    it.effect("search finds texts with and without their markup; fetch answers lists and things", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const search = yield* Search
          const list = yield* newList("Groceries")
          const thing = yield* make({ text: "**bold** text", list_id: list.id, note: "why" })
          assert.deepStrictEqual(texts((yield* search.search("bold text")).things), ["**bold** text"])
          assert.deepStrictEqual(texts((yield* search.search("**BOLD**")).things), ["**bold** text"])
          assert.lengthOf((yield* search.search("groc")).lists, 1)
          assert.strictEqual((yield* search.fetch(list.id)).text, "[ ] **bold** text\n    why")
          assert.strictEqual((yield* search.fetch(thing.id)).title, "bold text")
          assert.strictEqual((yield* Effect.flip(search.search("  ")))._tag, "InvalidInput")
        })
      )
    )

    it.effect("in a list's document every thing has one line, but for notes and code below it", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* newList("Lines")
          const items = [
            { text: "one\n# two", type: "todo" },
            { text: "a\nb", code: true, type: "none", tabs: 1 },
            { photos: ["https://e.example/1.png"], type: "photo" },
            { url: "https://e.example/x", type: "todo" }
          ]
          yield* bulk({ list_id: list.id, items })
          assert.strictEqual(
            (yield* (yield* Search).fetch(list.id)).text,
            "[ ] one # two\n  a\n      b\nhttps://e.example/1.png\n[ ] https://e.example/x"
          )
        })
      )
    )

    it.effect("tags are counted ignoring case, in the most recent spelling", () =>
      asOwner(() =>
        Effect.gen(function* () {
          yield* make({ text: "a", tags: ["home", "x"] })
          yield* make({ text: "b", tags: ["#HOME"] })
          const tags = yield* (yield* Tags).list
          assert.deepStrictEqual(
            tags.map(({ name, count }) => [name, count]),
            [
              ["HOME", 2],
              ["x", 1]
            ]
          )
        })
      )
    )

    it.effect("nothing of another owner's can be read, changed or found", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const things = yield* Things
          const lists = yield* Lists
          const list = yield* newList("mine")
          const thing = yield* make({ text: "mine", list_id: list.id })
          const stranger = Effect.gen(function* () {
            assert.strictEqual((yield* Effect.flip(things.get(thing.id)))._tag, "NotFound")
            assert.strictEqual((yield* Effect.flip(lists.view(list.id)))._tag, "NotFound")
            assert.strictEqual((yield* Effect.flip(patch(thing.id, { text: "theirs" })))._tag, "NotFound")
            assert.strictEqual((yield* Effect.flip(make({ text: "x", list_id: list.id })))._tag, "NotFound")
            assert.strictEqual((yield* Effect.flip(make({ text: "x", list_ref: list.id })))._tag, "InvalidInput")
            assert.strictEqual((yield* Effect.flip(make({ clone_of: thing.id })))._tag, "InvalidInput")
            yield* things.remove(thing.id)
            yield* lists.remove(list.id)
            assert.strictEqual(yield* (yield* BulkThings).remove([thing.id]), 0)
            assert.deepStrictEqual(yield* bulkSet([thing.id], { completed: true }), { updated: 0, skipped: 1 })
            assert.lengthOf((yield* (yield* Search).search("mine")).things, 0)
            assert.lengthOf((yield* things.page({ listId: list.id })).items, 0)
          })
          yield* stranger.pipe(Effect.provideService(Caller, callerOf(yield* newAccount())))
          assert.deepStrictEqual((yield* things.get(thing.id)).thing, thing)
          assert.strictEqual(account.id, thing.owner)
        })
      )
    )

    it.effect("a caller without the scope is refused", () =>
      Effect.gen(function* () {
        const account = yield* newAccount()
        const refused = (yield* Lists)
          .create({ title: "x" })
          .pipe(Effect.flip, Effect.provideService(Caller, callerOf(account, ["read:lists"])))
        const error = yield* refused
        assert.strictEqual(error._tag, "Forbidden")
      })
    )
  })
}

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
import { asOwner, bulk, bulkSet, listNamed, make, patch, shown, texts } from "./AsOwner.ts"

type UseCases = Lists | Things | Nesting | BulkThings | Reminders | Search | Tags | AccountStore

/** Adds a thing to the list "Archived soon"; undefined if there is none or it is archived. */
const intoNamed = make({ text: "a", list: "Archived soon" }).pipe(
  Effect.catchTag("NotFound", () => Effect.succeed(undefined))
)

/** The contract of the use cases of things, over any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: things`, (it) => {
    it.effect("a backdated thing is placed by created; a moved one goes to the end", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two] = [yield* listNamed("one"), yield* listNamed("two")]
          const first = yield* make({ text: "first", list_id: one.id })
          yield* make({ text: "second", list_id: one.id })
          yield* make({ text: "early", list_id: one.id, created: "2020-01-01" })
          yield* make({ text: "early too", list_id: one.id, created: "2020-01-01" })
          expect(texts(yield* shown(one.id))).toStrictEqual(["early", "early too", "first", "second"])
          yield* make({ text: "there", list_id: two.id })
          const moved = (yield* patch(first.id, { list: "two" })).thing
          expect(moved.created).toBe(first.created)
          expect(texts(yield* shown(two.id))).toStrictEqual(["there", "first"])
          expect((yield* patch(first.id, { list_id: two.id, text: "1st" })).thing.position).toStrictEqual(
            moved.position
          )
        })
      )
    )

    it.effect("a thing is nested, moved and deleted with its descendants, each in one write", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const nesting = yield* Nesting
          const list = yield* listNamed("one")
          const copied = yield* make({ text: "elsewhere", list: "today" })
          const items = [
            { text: "a" },
            { text: "b" },
            { clone_of: copied.id, tabs: 2 },
            { text: "d", tabs: 1 },
            { text: "e" }
          ]
          yield* bulk({ list_id: list.id, items })
          const before = yield* shown(list.id)
          const original = (yield* (yield* Things).get(copied.id)).thing
          const [a, b] = before
          expect(yield* nesting.nest(a!.id, "deeper")).toBe(false)
          expect(yield* nesting.nest(b!.id, "shallower")).toBe(false)
          expect(yield* shown(list.id)).toStrictEqual(before)
          expect(yield* nesting.nest(b!.id, "deeper")).toBe(true)
          const after = yield* shown(list.id)
          expect(after.map(({ tabs }) => tabs)).toStrictEqual([0, 1, 3, 2, 0])
          const { list: now } = yield* (yield* Lists).view(list.id)
          const isMoved = [false, true, true, true, false]
          expect(after.map(({ updated }) => updated === now.updated)).toStrictEqual(isMoved)
          expect((yield* (yield* Things).get(copied.id)).thing).toStrictEqual(original)
          expect((yield* Effect.flip(nesting.nest("no such thing", "deeper")))._tag).toBe("NotFound")
          const other = yield* listNamed("other")
          yield* nesting.moveTo(b!.id, { list: "other" })
          const there = yield* (yield* Lists).view(other.id)
          yield* nesting.moveTo(b!.id, { listId: other.id })
          expect(yield* (yield* Lists).view(other.id)).toStrictEqual(there)
          expect((yield* shown(other.id)).map(({ tabs, text }) => [text, tabs])).toStrictEqual([
            ["b", 0],
            ["elsewhere", 2],
            ["d", 1]
          ])
          expect((yield* Effect.flip(nesting.moveTo(b!.id, { list: "nowhere" })))._tag).toBe("NotFound")
          yield* nesting.remove(b!.id)
          expect(yield* shown(other.id)).toHaveLength(0)
          expect(texts(yield* shown(list.id))).toStrictEqual(["a", "e"])
        })
      )
    )

    it.effect("a thing goes to a list by id, by name or of today, with the same kind of position and times", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const named = yield* listNamed("Named")
          const day = (yield* (yield* Lists).day()).list
          const targets = [{ list_id: named.id }, { list: "named" }, {}, { list: "today" }, { list_id: day.id }]
          const made = yield* Effect.forEach(targets, (target) => make({ text: "a", tags: ["t"], ...target }))
          expect(made.map((thing) => thing.listId)).toStrictEqual([named.id, named.id, day.id, day.id, day.id])
          for (const [index, thing] of made.entries()) {
            expect(thing.position).toStrictEqual({ sortTime: thing.created, sequence: 0 })
            expect(thing.updated).toBe(thing.created)
            expect(thing.created).toBeGreaterThan(made[index - 1]?.created ?? day.created)
          }
          for (const list of [named, day]) {
            const view = yield* (yield* Lists).view(list.id)
            expect(view.things).toStrictEqual(made.filter((thing) => thing.listId === list.id))
            expect(view.list.updated).toBe(view.things.at(-1)?.updated)
          }
        })
      )
    )

    it.effect("a thing is added while its day list is removed, but not to a list that is archived meanwhile", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const lists = yield* Lists
          for (let round = 0; round < 5; round++) {
            const { list } = yield* lists.day()
            const adding = Array.from({ length: 4 }, () => Effect.asVoid(make({ text: "a" })))
            yield* Effect.all([lists.remove(list.id), ...adding], { concurrency: "unbounded" })
          }
          const named = yield* listNamed("Archived soon")
          const [archived, ...added] = yield* Effect.all(
            [lists.update(named.id, { archived: true }), ...Array.from({ length: 8 }, () => intoNamed)],
            { concurrency: "unbounded" }
          )
          for (const thing of added) if (thing !== undefined) expect(thing.updated).toBeLessThan(archived.updated)
        })
      )
    )

    it.effect("a bulk move keeps the order and nesting of the source, whatever the ids and the times", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two] = [yield* listNamed("one"), yield* listNamed("two")]
          yield* bulk({ list_id: one.id, items: [{ text: "a" }, { text: "b", tabs: 1 }, { text: "c" }] })
          yield* make({ list_id: one.id, text: "early", created: "2020-01-01" })
          const things = yield* shown(one.id)
          const ids = things.map((thing) => thing.id).toReversed()
          expect(yield* bulkSet([...ids, "nobody's"], { list_id: two.id })).toStrictEqual({
            updated: 4,
            skipped: 1
          })
          const after = yield* shown(two.id)
          expect(texts(after)).toStrictEqual(["early", "a", "b", "c"])
          expect(after.map((thing) => thing.tabs)).toStrictEqual([0, 0, 1, 0])
          yield* bulkSet(ids, { list_id: one.id })
          expect(texts(yield* shown(one.id))).toStrictEqual(["early", "a", "b", "c"])
        })
      )
    )

    it.effect("a thing without a time goes to the end, behind a later thing of the same call", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const [later, early] = [
            { text: "later", created: "2099-01-01" },
            { text: "early", created: "2020-01-01" }
          ]
          yield* bulk({ list_id: list.id, items: [later, early, { text: "last" }] })
          expect(texts(yield* shown(list.id))).toStrictEqual(["early", "later", "last"])
        })
      )
    )

    it.effect("setting a flag clears those it excludes, a header is bold, and an empty patch changes nothing", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const thing = yield* make({ text: "a", completed: true })
          const canceled = (yield* patch(thing.id, { canceled: true })).thing
          expect(canceled.canceled && !canceled.completed).toBe(true)
          const header = (yield* patch(thing.id, { header: true })).thing
          expect(header.header && header.bold).toBe(true)
          const subheader = (yield* patch(thing.id, { subheader: true, bold: false })).thing
          expect(subheader.subheader && !subheader.header && !subheader.bold).toBe(true)
          expect((yield* patch(thing.id, {})).thing).toStrictEqual(subheader)
          const again = (yield* patch(thing.id, { header: true })).thing
          expect(again.header && !again.subheader && again.bold).toBe(true)
          const code = (yield* patch((yield* make({ text: "b", quote: true })).id, { code: true })).thing
          expect(code.code && !code.quote).toBe(true)
          const quote = (yield* patch(code.id, { quote: true })).thing
          expect(quote.quote && !quote.code).toBe(true)
          for (const field of ["header", "subheader"] as const) {
            const { id } = yield* make({ text: "c" })
            const bold = Effect.forEach([false, true, false], (value) => patch(id, { [field]: value }))
            expect((yield* bold).map(({ thing: each }) => each.bold)).toStrictEqual([false, true, true])
            const made = yield* make({ text: "d", [field]: true })
            const plain = yield* make({ text: "e", [field]: true, bold: false })
            expect([made.bold, plain.bold]).toStrictEqual([true, false])
          }
          const both = yield* Effect.flip(patch(thing.id, { completed: true, canceled: true }))
          expect(both._tag).toBe("InvalidInput")
        })
      )
    )

    it.effect("a text can be emptied only if a url or a photo stays; an empty one can be sent as it was read", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const bare = yield* make({ text: "a" })
          expect((yield* Effect.flip(patch(bare.id, { text: " " })))._tag).toBe("InvalidInput")
          expect((yield* patch(bare.id, { text: "", url: "https://a.example/" })).thing.text).toBe("")
          const photo = yield* make({ text: "", photos: ["https://a.example/b.jpg"] })
          expect((yield* patch(photo.id, { text: "", tabs: 1 })).thing.tabs).toBe(1)
          yield* patch(photo.id, { photos: [] })
          expect((yield* patch(photo.id, { text: "", tabs: 2 })).thing.tabs).toBe(2)
        })
      )
    )

    it.effect("clones share content, not position; deleting the original makes the oldest clone the original", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two] = [yield* listNamed("one"), yield* listNamed("two")]
          const original = yield* make({ text: "a", list_id: one.id, tags: ["x"] })
          const clone = yield* make({ clone_of: original.id, list_id: two.id, tabs: 2 })
          const second = yield* make({ clone_of: clone.id, list_id: two.id })
          expect([clone.cloneOf, second.cloneOf]).toStrictEqual([original.id, original.id])
          yield* patch(clone.id, { text: "b", completed: true, favorited: true })
          const things = yield* Things
          const read = (yield* things.get(original.id)).thing
          expect([read.text, read.completed, read.favorited, read.tabs]).toStrictEqual(["b", true, false, 0])
          expect(read.hasClones).toBe(true)
          yield* things.remove(original.id)
          const heir = (yield* things.get(clone.id)).thing
          expect([heir.cloneOf, heir.hasClones]).toStrictEqual([null, true])
          expect((yield* things.get(second.id)).thing.cloneOf).toBe(clone.id)
          yield* (yield* BulkThings).remove([second.id])
          expect((yield* things.get(clone.id)).thing.hasClones).toBe(false)
        })
      )
    )

    it.effect("an original stays the original beside an older copy when another copy is deleted", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const original = yield* make({ text: "a" })
          const older = yield* make({ clone_of: original.id, created: "2020-01-01" })
          const copy = yield* make({ clone_of: original.id })
          const things = yield* Things
          yield* things.remove(copy.id)
          const ofFamily = yield* Effect.forEach([original, older], ({ id }) => things.get(id))
          expect(ofFamily.map(({ thing }) => thing.cloneOf)).toStrictEqual([null, original.id])
        })
      )
    )

    it.effect("deleting one of several copies does not change the others and their lists", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two, three] = [yield* listNamed("one"), yield* listNamed("two"), yield* listNamed("three")]
          const original = yield* make({ text: "a", list_id: one.id })
          const [copy, gone] = [
            yield* make({ clone_of: original.id, list_id: two.id }),
            yield* make({ clone_of: original.id, list_id: three.id })
          ]
          const [things, lists] = [yield* Things, yield* Lists]
          const stayed = Effect.all([lists.view(one.id), lists.view(two.id)])
          const before = yield* stayed
          yield* things.remove(gone.id)
          expect(yield* stayed).toStrictEqual(before)
          yield* things.remove(copy.id)
          const last = (yield* things.get(original.id)).thing
          expect([
            last.hasClones,
            last.updated > original.updated && last.updated > before[0].list.updated
          ]).toStrictEqual([false, true])
        })
      )
    )

    it.effect("a copy with content other than its original's is refused with the differing field", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("one")
          const fields = { text: "a", tags: ["x"], note: "n", header: true, list_ref: list.id }
          const original = yield* make({ ...fields, list_id: list.id })
          const others = { type: "dash", url: "b.example", tags: ["x", "y"], note: "", photos: ["https://b.example/c"] }
          const flags = { completed: true, canceled: true, italic: true, header: false, code: true }
          for (const [field, value] of Object.entries({ text: "b", ...others, ...flags, list_ref: null })) {
            const refused = yield* Effect.flip(make({ clone_of: original.id, [field]: value }))
            expect([refused._tag, refused.message.split(" ")[0]]).toStrictEqual(["InvalidInput", field])
          }
          const told = yield* Effect.flip(bulk({ items: [{ text: "c" }, { clone_of: original.id, note: "m" }] }))
          expect(told.message).toBe(
            `items[1].note ("m") must be that of the original, with which a live linked copy shares it: leave it out beside clone_of, and change it afterwards. For example "clone_of": "${original.id}", "list": "today"`
          )
          const text = yield* Effect.flip(make({ clone_of: original.id, text: "b" }))
          expect(text.message).toContain("leave it empty beside clone_of")
          const copy = yield* make({ ...fields, clone_of: original.id, tabs: 1, favorited: true, list: "today" })
          expect([copy.cloneOf, copy.tabs, copy.favorited, copy.bold]).toStrictEqual([original.id, 1, true, true])
          expect((yield* make({ text: " ", clone_of: copy.id })).text).toBe("a")
        })
      )
    )

    it.effect("concurrent writes have different values of updated, so that a poller misses nothing", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const made = yield* Effect.all(
            Array.from({ length: 10 }, (_, index) => make({ text: String(index), list: "today" })),
            { concurrency: "unbounded" }
          )
          expect(new Set(made.map((thing) => thing.updated)).size).toBe(10)
        })
      )
    )
  })
}

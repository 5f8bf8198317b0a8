import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Search } from "@lists-and-things/domain/search/Search"
import { Tags } from "@lists-and-things/domain/tags/Tags"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { Things } from "@lists-and-things/domain/things/Things"
import { asOwner, bulk, bulkSet, callerOf, listNamed, make, patch, shown, texts } from "./AsOwner.ts"
import { newAccount } from "./Fixtures.ts"

type UseCases = Lists | Things | BulkThings | Reminders | Search | Tags | AccountStore

/** The contract of the use cases of lists, days, search and tags, over any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<UseCases, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: lists`, (it) => {
    it.effect("a thing without a target goes to today's list in the owner's time zone", () =>
      asOwner(
        () =>
          Effect.gen(function* () {
            const thing = yield* make({ text: "milk" })
            const day = yield* (yield* Lists).day()
            expect(day.date).toBe("2026-11-22")
            expect(day.list.title).toBe("2026-11-22")
            expect(texts(day.things)).toStrictEqual(["milk"])
            expect(thing.listId).toBe(day.list.id)
          }),
        { timezone: "Pacific/Auckland" }
      )
    )

    it.effect("a name matches exactly first, then ignoring case, and never a part of a title; a time is no day", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const upper = yield* listNamed("Groceries")
          const lower = yield* listNamed("groceries")
          expect((yield* make({ text: "a", list: " Groceries " })).listId).toBe(upper.id)
          expect((yield* make({ text: "a", list: "groceries" })).listId).toBe(lower.id)
          const ambiguous = yield* Effect.flip(make({ text: "a", list: "GROCERIES" }))
          expect(ambiguous._tag).toBe("Ambiguous")
          expect(ambiguous.message).toContain(upper.id)
          for (const list of ["Grocer", "2026-11-22T10:00"])
            expect((yield* Effect.flip(make({ text: "a", list })))._tag).toBe("NotFound")
        })
      )
    )

    it.effect("an unknown name is refused with the closest lists", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const trip = yield* listNamed("Trip to Lisbon")
          const near = yield* listNamed("Groceries")
          const closest = `No list is named 'trip'. Closest: 'Trip to Lisbon' (id ${trip.id}).`
          const [lists, things, many] = [yield* Lists, yield* Things, yield* BulkThings]
          const errors = [
            yield* Effect.flip(lists.byName("trip")),
            yield* Effect.flip(things.page({ list: "trip" })),
            yield* Effect.flip(make({ text: "a", list: "trip" })),
            yield* Effect.flip(patch((yield* make({ text: "b" })).id, { list: "trip" }))
          ]
          for (const error of errors)
            expect(error).toEqual(expect.objectContaining({ _tag: "NotFound", message: closest }))
          const ofCall = [
            yield* Effect.flip(bulk({ items: [{ text: "a" }], list: "trip" })),
            yield* Effect.flip(bulkSet([], { list: "trip" })),
            yield* Effect.flip(many.appendMarkdown({ markdown: "- a", list: "trip" }))
          ]
          for (const error of ofCall)
            expect(error).toEqual(
              expect.objectContaining({ _tag: "InvalidInput", message: `list must name a list. ${closest}` })
            )
          const mistyped = yield* Effect.flip(make({ text: "a", list: "Groceris" }))
          expect(mistyped.message).toBe(`No list is named 'Groceris'. Closest: 'Groceries' (id ${near.id}).`)
        })
      )
    )

    it.effect("an archived list is not found by name, and the error names its id", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("Old")
          yield* (yield* Lists).update(list.id, { archived: true })
          const error = yield* Effect.flip(make({ text: "a", list: "old" }))
          expect(error._tag).toBe("NotFound")
          expect(error.message).toContain(list.id)
        })
      )
    )

    it.effect("to bring a list back, its name means the archived one before others", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [lists, list, other] = [yield* Lists, yield* listNamed("Old"), yield* listNamed("Other")]
          yield* lists.update(list.id, { archived: true })
          const again = yield* listNamed("Old")
          expect((yield* lists.byName("old")).id).toBe(again.id)
          expect((yield* lists.byName("old", "archived")).id).toBe(list.id)
          expect((yield* lists.byName("other", "archived")).id).toBe(other.id)
        })
      )
    )

    it.effect("a name that fits more than five lists is refused with five of them", () =>
      asOwner(() =>
        Effect.gen(function* () {
          yield* Effect.replicateEffect(listNamed("Groceries"), 6)
          expect(yield* Effect.flip(make({ text: "a", list: "Groceries" }))).toMatchObject({
            _tag: "Ambiguous",
            message: expect.stringContaining("fits 6 lists"),
            candidates: Array.from({ length: 5 }, () => ({ id: expect.any(String), title: "Groceries" }))
          })
        })
      )
    )

    it.effect("a new list has the account's sort, also that of a day, and is as the request says", () =>
      asOwner(
        () =>
          Effect.gen(function* () {
            const lists = yield* Lists
            const made = yield* lists.create({ title: "a" })
            expect(made.list).toMatchObject({ sort: "modified", emoji: "", favorited: false, archived: false })
            expect((yield* lists.day()).list.sort).toBe("modified")
            const given = { title: "b", sort: "alphabetical", emoji: "🛒", favorited: true, archived: true } as const
            expect((yield* lists.create(given)).list).toMatchObject(given)
          }),
        { defaultListSort: "modified" }
      )
    )

    it.effect("deleting a list clears references to it and keeps clones of its things, whose lists are updated", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const [one, two, three] = [yield* listNamed("one"), yield* listNamed("two"), yield* listNamed("three")]
          const original = yield* make({ text: "a", list_id: one.id })
          const clone = yield* make({ clone_of: original.id, list_id: two.id })
          const pointer = yield* make({ list_id: three.id, list_ref: one.id })
          const lists = yield* Lists
          const updated = Effect.forEach([two, three], ({ id }) =>
            Effect.map(lists.view(id), ({ list }) => list.updated)
          )
          const before = yield* updated
          yield* lists.remove(one.id)
          const after = yield* updated
          expect(after.map((each, at) => each > before[at]!)).toStrictEqual([true, true])
          const things = yield* Things
          expect((yield* things.get(pointer.id)).thing.listRef).toBe(null)
          expect((yield* patch(pointer.id, { text: "b", list_ref: two.id })).thing.listRef).toBe(two.id)
          expect((yield* patch(pointer.id, { list_ref: "" })).thing.listRef).toBe(null)
          expect((yield* things.get(clone.id)).thing.cloneOf).toStrictEqual(null)
          expect((yield* Effect.flip(things.get(original.id)))._tag).toBe("NotFound")
        })
      )
    )

    it.effect("a day list that was only read is not among the lists until it holds a thing", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const lists = yield* Lists
          const { list } = yield* lists.day("2027-01-01")
          expect((yield* lists.page(0)).items).toHaveLength(0)
          yield* make({ text: "a", list: "2027-01-01" })
          expect((yield* lists.page(0)).items.map((each) => each.id)).toStrictEqual([list.id])
        })
      )
    )

    it.effect("concurrent requests for a day make one list", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const lists = yield* Lists
          const days = yield* Effect.all(
            Array.from({ length: 12 }, () => lists.day("2027-05-05")),
            { concurrency: "unbounded" }
          )
          expect(new Set(days.map((day) => day.list.id)).size).toBe(1)
        })
      )
    )

    it.effect("a list's `updated` changes with its things; a rename does not change theirs", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const lists = yield* Lists
          const list = yield* listNamed("one")
          const thing = yield* make({ text: "a", list_id: list.id })
          const afterThing = (yield* lists.view(list.id)).list
          expect(afterThing.updated).toBeGreaterThan(list.updated)
          const renamed = yield* lists.update(list.id, { title: "uno" })
          expect(renamed.updated).toBeGreaterThan(afterThing.updated)
          expect((yield* shown(list.id))[0]?.updated).toBe(thing.updated)
          expect(yield* lists.update(list.id, {})).toStrictEqual(renamed)
        })
      )
    )

    it.effect("an import of exported markdown has the same things", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const lists = yield* Lists
          const markdown =
            "# Trip\n\n## Pack\n\n- [ ] socks\n  - [x] **wool**\n- [-] skis\n1. first\n\n> quoted\n\nplain\n"
          const first = yield* lists.importMarkdown({ markdown })
          expect(first.list.title).toBe("Trip")
          const exported = yield* lists.markdown(first.list.id)
          const again = yield* lists.importMarkdown({ markdown: exported.toString() })
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
          expect(again.list.title).toBe("Trip")
          expect(essence(yield* shown(again.list.id))).toStrictEqual(imported)
          expect(imported.map((thing) => thing.text)).toStrictEqual([
            "Pack",
            "socks",
            "**wool**",
            "skis",
            "first",
            "quoted",
            "plain"
          ])
        })
      )
    )

    it.effect("search finds texts with and without their markup; fetch returns lists and things", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const search = yield* Search
          const list = yield* listNamed("Groceries")
          const thing = yield* make({ text: "**bold** text", list_id: list.id, note: "why" })
          expect(texts((yield* search.search("bold text")).things)).toStrictEqual(["**bold** text"])
          expect(texts((yield* search.search("**BOLD**")).things)).toStrictEqual(["**bold** text"])
          expect((yield* search.search("groc")).lists).toHaveLength(1)
          expect((yield* search.fetch(list.id)).text.toString()).toBe("[ ] **bold** text\n    why")
          expect((yield* search.fetch(thing.id)).title).toBe("bold text")
          expect((yield* Effect.flip(search.search("  ")))._tag).toBe("InvalidInput")
        })
      )
    )

    it.effect("every thing is one line of a list's document, except for notes and code below it", () =>
      asOwner(() =>
        Effect.gen(function* () {
          const list = yield* listNamed("Lines")
          const items = [
            { text: "one\n# two", type: "todo" },
            { text: "a\nb", code: true, type: "none", tabs: 1 },
            { photos: ["https://e.example/1.png"], type: "photo" },
            { url: "https://e.example/x", type: "todo" }
          ]
          yield* bulk({ list_id: list.id, items })
          expect((yield* (yield* Search).fetch(list.id)).text.toString()).toBe(
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
          expect(tags.map(({ name, count }) => [name, count])).toStrictEqual([
            ["HOME", 2],
            ["x", 1]
          ])
        })
      )
    )

    it.effect("data of another owner cannot be read, changed or found", () =>
      asOwner((account) =>
        Effect.gen(function* () {
          const things = yield* Things
          const lists = yield* Lists
          const list = yield* listNamed("mine")
          const thing = yield* make({ text: "mine", list_id: list.id })
          const stranger = Effect.gen(function* () {
            expect((yield* Effect.flip(things.get(thing.id)))._tag).toBe("NotFound")
            expect((yield* Effect.flip(lists.view(list.id)))._tag).toBe("NotFound")
            expect((yield* Effect.flip(patch(thing.id, { text: "theirs" })))._tag).toBe("NotFound")
            expect((yield* Effect.flip(make({ text: "x", list_id: list.id })))._tag).toBe("NotFound")
            expect((yield* Effect.flip(make({ text: "x", list_ref: list.id })))._tag).toBe("InvalidInput")
            expect((yield* Effect.flip(make({ clone_of: thing.id })))._tag).toBe("InvalidInput")
            yield* things.remove(thing.id)
            yield* lists.remove(list.id)
            expect(yield* (yield* BulkThings).remove([thing.id])).toBe(0)
            expect(yield* bulkSet([thing.id], { completed: true })).toStrictEqual({ updated: 0, skipped: 1 })
            expect((yield* (yield* Search).search("mine")).things).toHaveLength(0)
            expect((yield* things.page({ listId: list.id })).items).toHaveLength(0)
          })
          yield* stranger.pipe(Effect.provideService(Caller, callerOf(yield* newAccount())))
          expect((yield* things.get(thing.id)).thing).toStrictEqual(thing)
          expect(account.id).toBe(thing.owner)
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
        expect(error._tag).toBe("Forbidden")
      })
    )
  })
}

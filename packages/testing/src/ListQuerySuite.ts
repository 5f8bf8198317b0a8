import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { List } from "@lists-and-things/domain/model/List"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { type ListSelection, ListStore } from "@lists-and-things/domain/ports/ListStore"
import type { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import type { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { newAccount, newList, newThings, noon } from "./Fixtures.ts"

export type ListPorts = Storage | AccountStore | ListStore | ThingStore | ReminderStore

const idsOf = (lists: ReadonlyArray<List>): ReadonlyArray<string> => lists.map((found) => found.id)
const titlesOf = (lists: ReadonlyArray<List>): ReadonlyArray<string> => lists.map((found) => found.title)

/** An owner with a list per title, each updated later than the previous one. */
export const newLists = Effect.fnUntraced(function* (titles: ReadonlyArray<string>) {
  const { id: owner } = yield* newAccount()
  const made = yield* Effect.forEach(titles, (title, index) => newList(owner, { title, updated: noon + index }))
  return { owner, lists: yield* ListStore, made }
})

/** The contract of `ListStore` for pages and search, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<ListPorts, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ListStore queries`, (it) => {
    describe("page", () => {
      it.effect("is sorted by updated descending, then id descending", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          const made = yield* Effect.forEach([2, 0, 1, 1, 1, 3], (offset) =>
            newList(owner, { updated: noon + offset, created: noon - offset })
          )
          const expected = made.toSorted((a, b) => b.updated - a.updated || (a.id < b.id ? 1 : -1))
          expect((yield* lists.page(owner, 0, 50)).items).toStrictEqual(expected)
        })
      )

      it.effect("has the given size, and tells whether more follow", () =>
        Effect.gen(function* () {
          const { owner, lists, made } = yield* newLists(["a", "b", "c", "d"])
          const expected = made.toReversed()
          const read = (page: number, size: number) => lists.page(owner, page, size)
          expect(yield* read(0, 3)).toStrictEqual({ items: expected.slice(0, 3), hasMore: true })
          expect(yield* read(1, 3)).toStrictEqual({ items: expected.slice(3), hasMore: false })
          expect(yield* read(1, 2)).toStrictEqual({ items: expected.slice(2), hasMore: false })
          expect(yield* read(0, 4)).toStrictEqual({ items: expected, hasMore: false })
          expect(yield* read(2, 2)).toStrictEqual({ items: [], hasMore: false })
          expect(yield* read(40_000_000, 50)).toStrictEqual({ items: [], hasMore: false })
        })
      )

      it.effect("omits archived lists and empty day lists, and no others", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          const things = yield* ThingStore
          const plain = yield* newList(owner, { title: "empty, but no day" })
          yield* newList(owner, { title: "archived", archived: true })
          yield* newList(owner, { day: "2026-11-20" })
          const filled = yield* newList(owner, { day: "2026-11-21" })
          const [only] = yield* newThings(owner, filled.id, [{ completed: true }])
          const read = Effect.map(lists.page(owner, 0, 50), ({ items }) => idsOf(items))
          expect([...(yield* read)].toSorted()).toStrictEqual([plain.id, filled.id].toSorted())
          yield* things.remove(owner, [only!.id])
          expect(yield* read).toStrictEqual([plain.id])
        })
      )

      it.effect("selects favorited lists that are not archived, or archived ones", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          yield* newList(owner, { title: "plain" })
          const first = yield* newList(owner, { title: "starred", favorited: true, updated: noon })
          const second = yield* newList(owner, { title: "starred too", favorited: true, updated: noon + 1 })
          const gone = yield* newList(owner, { title: "archived", archived: true })
          const both = yield* newList(owner, { title: "both", archived: true, favorited: true })
          yield* newList(owner, { day: "2026-11-20", favorited: true })
          yield* newList(owner, { day: "2026-11-21", archived: true })
          expect(yield* lists.page(owner, 0, 50, "favorited")).toStrictEqual({ items: [second, first], hasMore: false })
          expect(yield* lists.page(owner, 0, 1, "favorited")).toStrictEqual({ items: [second], hasMore: true })
          expect(yield* lists.page(owner, 1, 1, "favorited")).toStrictEqual({ items: [first], hasMore: false })
          const archived = (yield* lists.page(owner, 0, 50, "archived")).items
          expect(idsOf(archived).toSorted()).toStrictEqual([gone.id, both.id].toSorted())
        })
      )

      it.effect("selects day lists, latest day first, or all others", () =>
        Effect.gen(function* () {
          const { owner, lists, made } = yield* newLists(["a", "b"])
          const read = (only: ListSelection) => Effect.map(lists.page(owner, 0, 50, only), ({ items }) => idsOf(items))
          const days: Array<string> = []
          for (const day of ["2026-11-20", "2026-11-22", "2026-11-21"]) {
            const list = yield* newList(owner, { day })
            days.push(list.id)
            yield* newThings(owner, list.id, [{}])
          }
          yield* newList(owner, { day: "2026-11-23" })
          yield* newThings(owner, (yield* newList(owner, { day: "2026-11-24", archived: true })).id, [{}])
          yield* newList(owner, { title: "archived", archived: true })
          expect(yield* read("days")).toStrictEqual([days[1], days[2], days[0]])
          expect((yield* read("ordinary")).toSorted()).toStrictEqual(idsOf(made).toSorted())
        })
      )

      it.effect("is filled although omitted lists come first", () =>
        Effect.gen(function* () {
          const { owner, lists, made } = yield* newLists(["a", "b"])
          for (let day = 10; day < 20; day++) yield* newList(owner, { day: `2026-11-${day}`, updated: noon + 1_000 })
          expect(yield* lists.page(owner, 0, 2)).toStrictEqual({ items: made.toReversed(), hasMore: false })
        })
      )
    })

    describe("search", () => {
      it.effect("ranks equal, prefix, word start, anywhere, and includes archived and hidden lists", () =>
        Effect.gen(function* () {
          const { owner, lists } = yield* newLists([
            "my milkman",
            "oatmilk",
            "Milk and honey",
            "milk",
            "buttermilk",
            "MILK",
            "almond-milk",
            "water"
          ])
          yield* newList(owner, { title: "milky", archived: true, updated: noon + 100 })
          yield* newList(owner, { title: "milk day", day: "2026-11-21", updated: noon + 99 })
          const { items, hasMore } = yield* lists.search(owner, " Milk ", 50)
          expect(titlesOf(items)).toStrictEqual([
            "MILK",
            "milk",
            "milky",
            "milk day",
            "Milk and honey",
            "almond-milk",
            "my milkman",
            "buttermilk",
            "oatmilk"
          ])
          expect(hasMore).toBe(false)
        })
      )

      it.effect("finds titles with and without their markup, and ranks by the better of the two", () =>
        Effect.gen(function* () {
          const { owner, lists } = yield* newLists(["my big plans", "**Big** plans", "2*3"])
          const found = (query: string) => Effect.map(lists.search(owner, query, 50), ({ items }) => titlesOf(items))
          expect(yield* found("big plans")).toStrictEqual(["**Big** plans", "my big plans"])
          expect(yield* found("**big**")).toStrictEqual(["**Big** plans"])
          expect(yield* found("2*3")).toStrictEqual(["2*3"])
        })
      )

      it.effect("finds texts with any number of combining marks, in any canonically equivalent order", () =>
        Effect.gen(function* () {
          const marks = (count: number) => "\u0345".repeat(count) + "\u0334".repeat(count)
          const { owner, lists, made } = yield* newLists([`Z${marks(40)}y`, `W${"\u0345\u0334"}`])
          const found = (query: string) => Effect.map(lists.search(owner, query, 50), ({ items }) => idsOf(items))
          expect(yield* found(`z${marks(40)}`)).toStrictEqual([made[0]!.id])
          expect(yield* found("w\u0334\u0345")).toStrictEqual([made[1]!.id])
          expect(yield* found(`z${marks(41)}`)).toStrictEqual([])
          expect(idsOf(yield* lists.byTitles(owner, [`z${marks(40)}Y`]))).toStrictEqual([made[0]!.id])
        })
      )

      it.effect("breaks ties by updated, then id, descending", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          const made = yield* Effect.forEach([1, 2, 1, 1], (offset) =>
            newList(owner, { title: "tie", updated: noon + offset })
          )
          const expected = made.toSorted((a, b) => b.updated - a.updated || (a.id < b.id ? 1 : -1))
          expect((yield* lists.search(owner, "tie", 50)).items).toStrictEqual(expected)
        })
      )

      it.effect("returns at most the given number, and tells whether more follow", () =>
        Effect.gen(function* () {
          const { owner, lists, made } = yield* newLists(["cap 1", "cap 2", "cap 3"])
          const expected = made.toReversed()
          expect(yield* lists.search(owner, "cap", 2)).toStrictEqual({ items: expected.slice(0, 2), hasMore: true })
          expect(yield* lists.search(owner, "cap", 3)).toStrictEqual({ items: expected, hasMore: false })
        })
      )

      it.effect("takes wildcards, quotes and regular expressions literally", () =>
        Effect.gen(function* () {
          const titles = ["100% sure", "under_score", "back\\slash", "a.b", "x*y", "(paren", "'quote'", "plain"]
          const { owner, lists } = yield* newLists(titles)
          const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
            ["%", ["100% sure"]],
            ["_", ["under_score"]],
            ["\\", ["back\\slash"]],
            ["0%", ["100% sure"]],
            ["a_b", []],
            ["a%b", []],
            ["a.b", ["a.b"]],
            ["x.y", []],
            ["*", ["x*y"]],
            ["(", ["(paren"]],
            ["'", ["'quote'"]],
            ["r_s", ["under_score"]],
            ["k\\s", ["back\\slash"]]
          ]
          for (const [query, expected] of cases)
            expect(titlesOf((yield* lists.search(owner, query, 50)).items)).toStrictEqual(expected)
        })
      )

      it.effect("folds Unicode, and finds texts of one character and of many", () =>
        Effect.gen(function* () {
          const long = `${"long ".repeat(190)}END`
          const { owner, lists } = yield* newLists(["Straße", "ΣΊΣΥΦΟΣ", "Cafe\u0301", "日本語の本", "🦊🦊 fox", long])
          const cases: ReadonlyArray<readonly [string, string]> = [
            ["STRASSE", "Straße"],
            ["σίσυφος", "ΣΊΣΥΦΟΣ"],
            ["CAFÉ", "Cafe\u0301"],
            ["本", "日本語の本"],
            ["🦊", "🦊🦊 fox"],
            ["g end", long]
          ]
          for (const [query, title] of cases)
            expect(titlesOf((yield* lists.search(owner, query, 50)).items)).toStrictEqual([title])
        })
      )
    })
  })
}

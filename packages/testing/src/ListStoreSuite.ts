import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { ListId } from "@lists-and-things/domain/model/Ids"
import { type List, listSorts } from "@lists-and-things/domain/model/List"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import {
  earliest,
  freshId,
  hostileTexts,
  latest,
  list,
  malformedIds,
  newAccount,
  newList,
  newThings,
  noon,
  reminder
} from "./Fixtures.ts"
import { type ListPorts, newLists } from "./ListQuerySuite.ts"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"

const byId = <A extends { readonly id: string }>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items.toSorted((a, b) => (a.id < b.id ? -1 : 1))

const idsOf = (lists: ReadonlyArray<List>): ReadonlyArray<string> => lists.map((found) => found.id)

/** The contract of `ListStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<ListPorts, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ListStore`, (it) => {
    describe("insert and get", () => {
      it.effect("keep every field", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          for (const sort of listSorts) {
            const made = list(owner, {
              title: "Title",
              emoji: "🏳️‍🌈",
              favorited: true,
              archived: true,
              sort,
              created: noon - 123,
              updated: noon + 456
            })
            expect(yield* lists.insert(made)).toStrictEqual(made)
            expect(yield* lists.get(owner, made.id)).toStrictEqual(made)
          }
        })
      )

      it.effect("keep any text and any time", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          for (const title of hostileTexts) {
            const made = yield* newList(owner, { title, emoji: "👩‍👩‍👧‍👦", created: earliest, updated: latest })
            expect(yield* lists.get(owner, made.id)).toStrictEqual(made)
          }
        })
      )
    })

    describe("another owner's or a malformed id", () => {
      it.effect("is unknown to every method", () =>
        Effect.gen(function* () {
          const { owner, lists, made } = yield* newLists(["mine"])
          const day = yield* newList(owner, { day: "2026-11-21", title: "2026-11-21" })
          const stranger = (yield* newAccount()).id
          expect(yield* lists.get(stranger, made[0]!.id)).toBeUndefined()
          expect(yield* lists.getMany(stranger, idsOf(made))).toHaveLength(0)
          expect(yield* lists.byDay(stranger, "2026-11-21")).toBeUndefined()
          expect(yield* lists.byTitles(stranger, ["mine"])).toHaveLength(0)
          expect((yield* lists.page(stranger, 0, 50)).items).toHaveLength(0)
          expect(yield* lists.all(stranger)).toHaveLength(0)
          expect(yield* lists.titles(stranger, 50)).toHaveLength(0)
          expect((yield* lists.search(stranger, "mine", 50)).items).toHaveLength(0)
          yield* lists.put({ ...made[0]!, owner: stranger, title: "taken" })
          yield* lists.touch(stranger, [made[0]!.id], addMillis(noon, 1_000))
          expect(yield* lists.remove(stranger, made[0]!.id)).toBe(false)
          expect(byId(yield* lists.all(owner))).toStrictEqual(byId([...made, day]))
        })
      )

      it.effect("of any form is not found, without an error", () =>
        Effect.gen(function* () {
          const { owner, lists, made } = yield* newLists(["mine"])
          for (const id of [...malformedIds, freshId()]) {
            expect(yield* lists.get(owner, id)).toBeUndefined()
            expect(yield* lists.remove(owner, id)).toBe(false)
          }
          expect(yield* lists.getMany(owner, [...malformedIds, made[0]!.id, freshId()])).toStrictEqual(made)
          expect(yield* lists.all(owner)).toStrictEqual(made)
        })
      )
    })

    it.effect("getMany returns each list once, and none for no ids", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists(["a", "b", "c"])
        expect(byId(yield* lists.getMany(owner, [...idsOf(made), made[1]!.id]))).toStrictEqual(byId(made))
        expect(yield* lists.getMany(owner, [])).toHaveLength(0)
      })
    )

    describe("day lists", () => {
      it.effect("are found by their date", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          for (const day of ["0001-01-01", "2024-02-29", "2026-11-21", "9999-12-31"]) {
            const made = yield* newList(owner, { day, title: day })
            expect(yield* lists.byDay(owner, day)).toStrictEqual(made)
            expect(yield* lists.get(owner, made.id)).toStrictEqual(made)
          }
          expect(yield* lists.byDay(owner, "2026-11-22")).toBeUndefined()
        })
      )

      it.effect("exist once per date and owner: a second insert returns the first", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const other = (yield* newAccount()).id
          const lists = yield* ListStore
          const first = yield* newList(owner, { day: "2026-11-21", title: "first" })
          const second = yield* newList(owner, { day: "2026-11-21", title: "second" })
          const others = yield* newList(other, { day: "2026-11-21", title: "others" })
          expect(second).toStrictEqual(first)
          expect(yield* lists.all(owner)).toStrictEqual([first])
          expect(yield* lists.all(other)).toStrictEqual([others])
        })
      )

      it.effect("exist once also after concurrent inserts, in transactions and outside of them", () =>
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          const insert = newList(owner, { day: "2026-11-21" })
          const race = Array.from({ length: 10 }, () => storage.transact(owner, () => insert))
          const answers = yield* Effect.all(race, { concurrency: "unbounded" })
          expect(new Set(idsOf(answers)).size).toBe(1)
          const again = yield* Effect.all([insert, insert, insert], { concurrency: "unbounded" })
          expect(new Set(idsOf(again))).toStrictEqual(new Set(idsOf(answers)))
          expect(yield* lists.all(owner)).toHaveLength(1)
        })
      )

      it.effect("do not collide with other lists of the same title", () =>
        Effect.gen(function* () {
          const { owner, lists } = yield* newLists(["2026-11-21", "2026-11-21"])
          yield* newList(owner, { day: "2026-11-21", title: "2026-11-21" })
          expect(yield* lists.all(owner)).toHaveLength(3)
        })
      )
    })

    describe("byTitles", () => {
      it.effect("ignores case, outer space and the normalization form, with Unicode folding", () =>
        Effect.gen(function* () {
          const cases: ReadonlyArray<readonly [string, string]> = [
            ["Groceries", "gROCERIES"],
            ["STRASSE", "Straße"],
            ["ΟΔΥΣΣΕΥΣ", "οδυσσευς"],
            ["Cafe\u0301", "CAFÉ"],
            ["trimmed", "  Trimmed\t"],
            ["🦊 Fox", "🦊 fox"]
          ]
          for (const [title, asked] of cases) {
            const { owner, lists, made } = yield* newLists([title, `${title} 2`])
            expect(yield* lists.byTitles(owner, [asked])).toStrictEqual([made[0]!])
          }
        })
      )

      it.effect("does not match substrings, wildcards or other accents", () =>
        Effect.gen(function* () {
          const { owner, lists } = yield* newLists(["Groceries", "a%b", "résumé"])
          for (const asked of ["Grocerie", "roceries", "G%", "_roceries", "a_b", "resume", ""])
            expect(yield* lists.byTitles(owner, [asked])).toHaveLength(0)
        })
      )

      it.effect("finds long and hostile titles", () =>
        Effect.gen(function* () {
          const { owner, lists, made } = yield* newLists(hostileTexts)
          for (const [index, title] of hostileTexts.entries())
            expect(yield* lists.byTitles(owner, [title])).toStrictEqual([made[index]!])
        })
      )

      it.effect("returns up to 50 lists per title, archived ones included", () =>
        Effect.gen(function* () {
          const { owner, lists } = yield* newLists(Array.from({ length: 51 }, (_, n) => (n % 2 ? "same" : "SAME")))
          expect(yield* lists.byTitles(owner, ["Same"])).toHaveLength(50)
          const archived = yield* newList(owner, { title: "put away", archived: true })
          expect(yield* lists.byTitles(owner, ["Put Away"])).toStrictEqual([archived])
        })
      )
    })

    it.effect("byTitles finds many titles at once, up to 50 lists each, by id", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists([
          ...Array.from({ length: 51 }, (_, n) => (n % 2 ? "same" : "SAME")),
          "other",
          "third"
        ])
        const found = yield* lists.byTitles(owner, ["same", "Same", " other", "unknown", "THIRD"])
        const same = made
          .slice(0, 51)
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .slice(0, 50)
        expect(byId(found)).toStrictEqual(byId([...same, ...made.slice(51)]))
        expect(found.filter((list) => list.title.toLowerCase() === "same")).toStrictEqual(same)
        expect(yield* lists.byTitles(owner, [])).toHaveLength(0)
      })
    )

    it.effect("titles returns ordinary, unarchived lists, last changed first, with long titles cut", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists(["a", "🦊".repeat(1_000), "c"])
        yield* newList(owner, { archived: true })
        yield* newList(owner, { day: "2026-11-21" })
        const named = [
          { id: made[2]!.id, title: "c" },
          { id: made[1]!.id, title: "🦊".repeat(100) },
          { id: made[0]!.id, title: "a" }
        ]
        expect(yield* lists.titles(owner, 50)).toStrictEqual(named)
        expect(yield* lists.titles(owner, 2)).toStrictEqual(named.slice(0, 2))
      })
    )

    it.effect("all returns every list by id, hidden ones included", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists(["a", "b", "c", "d", "e"])
        const archived = yield* newList(owner, { archived: true })
        const day = yield* newList(owner, { day: "2026-11-21" })
        const expected = [...made, archived, day].toSorted((a, b) => (a.id < b.id ? -1 : 1))
        expect(yield* lists.all(owner)).toStrictEqual(expected)
      })
    )

    describe("put", () => {
      it.effect("replaces every field", () =>
        Effect.gen(function* () {
          const { owner, lists, made } = yield* newLists(["before", "other"])
          const after: List = {
            ...made[0]!,
            title: "After",
            emoji: "🎉",
            favorited: true,
            archived: true,
            sort: "modified",
            created: addMillis(noon, -1),
            updated: addMillis(noon, 77)
          }
          yield* lists.put(after)
          expect(yield* lists.get(owner, after.id)).toStrictEqual(after)
          expect(yield* lists.get(owner, made[1]!.id)).toStrictEqual(made[1])
          expect(yield* lists.byTitles(owner, ["after"])).toStrictEqual([after])
          expect(yield* lists.byTitles(owner, ["before"])).toHaveLength(0)
          expect((yield* lists.search(owner, "after", 9)).items).toStrictEqual([after])
          expect((yield* lists.search(owner, "before", 9)).items).toHaveLength(0)
        })
      )

      it.effect("of a day list keeps its date", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          const made = yield* newList(owner, { day: "2026-11-21", title: "2026-11-21" })
          yield* lists.put({ ...made, title: "Renamed" })
          expect((yield* lists.byDay(owner, "2026-11-21"))?.title).toBe("Renamed")
        })
      )
    })

    it.effect("touch changes only updated, and only of the given lists", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists(["a", "b", "c"])
        const [a, b, c] = made
        yield* lists.touch(owner, [a!.id, c!.id, ListId.make(freshId())], addMillis(noon, 999))
        expect(yield* lists.get(owner, a!.id)).toStrictEqual({ ...a!, updated: noon + 999 })
        expect(yield* lists.get(owner, b!.id)).toStrictEqual(b)
        expect(yield* lists.get(owner, c!.id)).toStrictEqual({ ...c!, updated: noon + 999 })
        yield* lists.touch(owner, [], addMillis(noon, 2_000))
      })
    )

    it.effect("remove also removes the list's things and their reminders, and no others", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists(["goes", "stays"])
        const things = yield* ThingStore
        const reminders = yield* ReminderStore
        const gone = yield* newThings(owner, made[0]!.id, [{}, {}])
        const kept = yield* newThings(owner, made[1]!.id, [{}])
        yield* reminders.put(
          owner,
          [...gone, ...kept].map((of) => reminder(of))
        )
        expect(yield* lists.remove(owner, made[0]!.id)).toBe(true)
        expect(yield* lists.remove(owner, made[0]!.id)).toBe(false)
        expect(yield* lists.get(owner, made[0]!.id)).toBeUndefined()
        expect(yield* things.ofList(owner, made[0]!.id)).toHaveLength(0)
        expect(yield* things.get(owner, gone[0]!.id)).toBeUndefined()
        expect(yield* things.ofList(owner, made[1]!.id)).toStrictEqual(kept)
        expect((yield* reminders.all(owner)).map((left) => left.thingId)).toStrictEqual(kept.map((left) => left.id))
      })
    )
  })
}

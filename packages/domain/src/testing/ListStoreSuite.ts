import { assert, describe, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { ListId } from "../Ids.ts"
import { type List, listSorts } from "../lists/List.ts"
import { ListStore } from "../ports/ListStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { Storage } from "../ports/Storage.ts"
import { ThingStore } from "../ports/ThingStore.ts"
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

const idsOf = (lists: ReadonlyArray<List>): ReadonlyArray<string> => lists.map((found) => found.id)

/** What `ListStore` promises, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<ListPorts, E>): void => {
  withLayer(layer, { excludeTestServices: true, timeout: "60 seconds" })(`${name}: ListStore`, (it) => {
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
            assert.deepStrictEqual(yield* lists.insert(made), made)
            assert.deepStrictEqual(yield* lists.get(owner, made.id), made)
          }
        })
      )

      it.effect("keep any text and any time", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          for (const title of hostileTexts) {
            const made = yield* newList(owner, { title, emoji: "👩‍👩‍👧‍👦", created: earliest, updated: latest })
            assert.deepStrictEqual(yield* lists.get(owner, made.id), made)
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
          assert.isUndefined(yield* lists.get(stranger, made[0]!.id))
          assert.isEmpty(yield* lists.getMany(stranger, idsOf(made)))
          assert.isUndefined(yield* lists.byDay(stranger, "2026-11-21"))
          assert.isEmpty(yield* lists.byTitles(stranger, ["mine"]))
          assert.isEmpty((yield* lists.page(stranger, 0, 50)).items)
          assert.isEmpty(yield* lists.all(stranger))
          assert.isEmpty(yield* lists.titles(stranger, 50))
          assert.isEmpty((yield* lists.search(stranger, "mine", 50)).items)
          yield* lists.put({ ...made[0]!, owner: stranger, title: "taken" })
          yield* lists.touch(stranger, [made[0]!.id], noon + 1_000)
          assert.isFalse(yield* lists.remove(stranger, made[0]!.id))
          assert.sameDeepMembers([...(yield* lists.all(owner))], [...made, day])
        })
      )

      it.effect("of any form is not found, and nothing breaks", () =>
        Effect.gen(function* () {
          const { owner, lists, made } = yield* newLists(["mine"])
          for (const id of [...malformedIds, freshId()]) {
            assert.isUndefined(yield* lists.get(owner, id))
            assert.isFalse(yield* lists.remove(owner, id))
          }
          assert.deepStrictEqual(yield* lists.getMany(owner, [...malformedIds, made[0]!.id, freshId()]), made)
          assert.deepStrictEqual(yield* lists.all(owner), made)
        })
      )
    })

    it.effect("getMany answers each list once, and none for no ids", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists(["a", "b", "c"])
        assert.sameDeepMembers([...(yield* lists.getMany(owner, [...idsOf(made), made[1]!.id]))], [...made])
        assert.isEmpty(yield* lists.getMany(owner, []))
      })
    )

    describe("day lists", () => {
      it.effect("are found by their date", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          for (const day of ["0001-01-01", "2024-02-29", "2026-11-21", "9999-12-31"]) {
            const made = yield* newList(owner, { day, title: day })
            assert.deepStrictEqual(yield* lists.byDay(owner, day), made)
            assert.deepStrictEqual(yield* lists.get(owner, made.id), made)
          }
          assert.isUndefined(yield* lists.byDay(owner, "2026-11-22"))
        })
      )

      it.effect("are one per date and owner: a second insert answers the first", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const other = (yield* newAccount()).id
          const lists = yield* ListStore
          const first = yield* newList(owner, { day: "2026-11-21", title: "first" })
          const second = yield* newList(owner, { day: "2026-11-21", title: "second" })
          const others = yield* newList(other, { day: "2026-11-21", title: "others" })
          assert.deepStrictEqual(second, first)
          assert.deepStrictEqual(yield* lists.all(owner), [first])
          assert.deepStrictEqual(yield* lists.all(other), [others])
        })
      )

      it.effect("stay one when inserts race, in transactions and outside of them", () =>
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          const insert = newList(owner, { day: "2026-11-21" })
          const race = Array.from({ length: 10 }, () => storage.transact(owner, () => insert))
          const answers = yield* Effect.all(race, { concurrency: "unbounded" })
          assert.strictEqual(new Set(idsOf(answers)).size, 1)
          const again = yield* Effect.all([insert, insert, insert], { concurrency: "unbounded" })
          assert.deepStrictEqual(new Set(idsOf(again)), new Set(idsOf(answers)))
          assert.lengthOf(yield* lists.all(owner), 1)
        })
      )

      it.effect("of the same title but without a date do not collide", () =>
        Effect.gen(function* () {
          const { owner, lists } = yield* newLists(["2026-11-21", "2026-11-21"])
          yield* newList(owner, { day: "2026-11-21", title: "2026-11-21" })
          assert.lengthOf(yield* lists.all(owner), 3)
        })
      )
    })

    describe("byTitles", () => {
      it.effect("ignores case, outer space and normal form, under Unicode folding", () =>
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
            assert.deepStrictEqual(yield* lists.byTitles(owner, [asked]), [made[0]!])
          }
        })
      )

      it.effect("knows no substring, no wildcard and no accent folding", () =>
        Effect.gen(function* () {
          const { owner, lists } = yield* newLists(["Groceries", "a%b", "résumé"])
          for (const asked of ["Grocerie", "roceries", "G%", "_roceries", "a_b", "resume", ""])
            assert.isEmpty(yield* lists.byTitles(owner, [asked]))
        })
      )

      it.effect("takes long and hostile titles", () =>
        Effect.gen(function* () {
          const { owner, lists, made } = yield* newLists(hostileTexts)
          for (const [index, title] of hostileTexts.entries())
            assert.deepStrictEqual(yield* lists.byTitles(owner, [title]), [made[index]!])
        })
      )

      it.effect("answers archived ones too, all of them up to 50", () =>
        Effect.gen(function* () {
          const { owner, lists } = yield* newLists(Array.from({ length: 51 }, (_, n) => (n % 2 ? "same" : "SAME")))
          assert.lengthOf(yield* lists.byTitles(owner, ["Same"]), 50)
          const archived = yield* newList(owner, { title: "put away", archived: true })
          assert.deepStrictEqual(yield* lists.byTitles(owner, ["Put Away"]), [archived])
        })
      )
    })

    it.effect("byTitles looks for many at once, each up to 50 times, by id", () =>
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
        assert.sameDeepMembers([...found], [...same, ...made.slice(51)])
        assert.deepStrictEqual(
          found.filter((list) => list.title.toLowerCase() === "same"),
          same
        )
        assert.isEmpty(yield* lists.byTitles(owner, []))
      })
    )

    it.effect("titles answers what a name may mean, last changed first, long ones cut", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists(["a", "🦊".repeat(1_000), "c"])
        yield* newList(owner, { archived: true })
        yield* newList(owner, { day: "2026-11-21" })
        const named = [
          { id: made[2]!.id, title: "c" },
          { id: made[1]!.id, title: "🦊".repeat(100) },
          { id: made[0]!.id, title: "a" }
        ]
        assert.deepStrictEqual(yield* lists.titles(owner, 50), named)
        assert.deepStrictEqual(yield* lists.titles(owner, 2), named.slice(0, 2))
      })
    )

    it.effect("all answers every list by id, the hidden ones too", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists(["a", "b", "c", "d", "e"])
        const archived = yield* newList(owner, { archived: true })
        const day = yield* newList(owner, { day: "2026-11-21" })
        const expected = [...made, archived, day].toSorted((a, b) => (a.id < b.id ? -1 : 1))
        assert.deepStrictEqual(yield* lists.all(owner), expected)
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
            created: noon - 1,
            updated: noon + 77
          }
          yield* lists.put(after)
          assert.deepStrictEqual(yield* lists.get(owner, after.id), after)
          assert.deepStrictEqual(yield* lists.get(owner, made[1]!.id), made[1])
          assert.deepStrictEqual(yield* lists.byTitles(owner, ["after"]), [after])
          assert.isEmpty(yield* lists.byTitles(owner, ["before"]))
          assert.deepStrictEqual((yield* lists.search(owner, "after", 9)).items, [after])
          assert.isEmpty((yield* lists.search(owner, "before", 9)).items)
        })
      )

      it.effect("of a day list keeps its date", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const lists = yield* ListStore
          const made = yield* newList(owner, { day: "2026-11-21", title: "2026-11-21" })
          yield* lists.put({ ...made, title: "Renamed" })
          assert.strictEqual((yield* lists.byDay(owner, "2026-11-21"))?.title, "Renamed")
        })
      )
    })

    it.effect("touch moves updated of the named lists and nothing else", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists(["a", "b", "c"])
        const [a, b, c] = made
        yield* lists.touch(owner, [a!.id, c!.id, ListId.make(freshId())], noon + 999)
        assert.deepStrictEqual(yield* lists.get(owner, a!.id), { ...a!, updated: noon + 999 })
        assert.deepStrictEqual(yield* lists.get(owner, b!.id), b)
        assert.deepStrictEqual(yield* lists.get(owner, c!.id), { ...c!, updated: noon + 999 })
        yield* lists.touch(owner, [], noon + 2_000)
      })
    )

    it.effect("remove takes things and their reminders along, and only its own", () =>
      Effect.gen(function* () {
        const { owner, lists, made } = yield* newLists(["goes", "stays"])
        const things = yield* ThingStore
        const reminders = yield* ReminderStore
        const gone = yield* newThings(owner, made[0]!.id, [{}, {}])
        const kept = yield* newThings(owner, made[1]!.id, [{}])
        for (const of of [...gone, ...kept]) yield* reminders.put(reminder(of))
        assert.isTrue(yield* lists.remove(owner, made[0]!.id))
        assert.isFalse(yield* lists.remove(owner, made[0]!.id))
        assert.isUndefined(yield* lists.get(owner, made[0]!.id))
        assert.isEmpty(yield* things.ofList(owner, made[0]!.id))
        assert.isUndefined(yield* things.get(owner, gone[0]!.id))
        assert.deepStrictEqual(yield* things.ofList(owner, made[1]!.id), kept)
        assert.deepStrictEqual(
          (yield* reminders.all(owner)).map((left) => left.thingId),
          kept.map((left) => left.id)
        )
      })
    )
  })
}

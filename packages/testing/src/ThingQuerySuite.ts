import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import type { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import type { Storage } from "@lists-and-things/domain/ports/Storage"
import { type ThingFilter, ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { ThingId } from "@lists-and-things/domain/model/Ids"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { freshId, malformedIds, newAccount, newList, newThings, noon, type Plain } from "./Fixtures.ts"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"

export type ThingPorts = Storage | AccountStore | ListStore | ThingStore | ReminderStore

export const newestFirst =
  (field: "created" | "updated") =>
  (a: Thing, b: Thing): number =>
    b[field] - a[field] || (a.id < b.id ? 1 : -1)

export const textsOf = (things: ReadonlyArray<Thing>): ReadonlyArray<string> => things.map((found) => found.text)

export const setup = Effect.fnUntraced(function* (overrides: ReadonlyArray<Partial<Plain<Thing>>>) {
  const { id: owner } = yield* newAccount()
  const home = yield* newList(owner, { title: "home" })
  const things = yield* ThingStore
  return { owner, home, things, made: yield* newThings(owner, home.id, overrides) }
})

/** The contract of `ThingStore` for pages, parts of ids and tags, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<ThingPorts, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ThingStore queries`, (it) => {
    it.effect("referringTo returns the things that refer to lists, by id", () =>
      Effect.gen(function* () {
        const { things, owner, home } = yield* setup([{}])
        const [one, two] = [yield* newList(owner), yield* newList(owner)]
        const listRefs = [one, two, home, one].map(({ id }) => ({ listRef: id }))
        const made = yield* newThings(owner, home.id, listRefs)
        const found = yield* things.referringTo(owner, [one.id, two.id, ...malformedIds])
        expect(found).toStrictEqual([made[0]!, made[1]!, made[3]!].toSorted((a, b) => (a.id < b.id ? -1 : 1)))
        expect(yield* things.referringTo(owner, [])).toHaveLength(0)
        expect(yield* things.referringTo((yield* newAccount()).id, [home.id])).toHaveLength(0)
      })
    )

    it.effect("ends returns the last position of day lists too, and none of a day without a list", () =>
      Effect.gen(function* () {
        const { things, owner, home } = yield* setup([{ position: { sortTime: noon, sequence: 3 } }])
        const day = yield* newList(owner, { day: "2026-11-21" })
        const [, last] = yield* newThings(owner, day.id, [{}, {}])
        const ends = yield* things.ends(owner, [home.id, { day: "2026-11-21" }, { day: "2026-11-22" }])
        expect(new Map(ends)).toStrictEqual(
          new Map([
            [home.id, { sortTime: noon, sequence: 3 }],
            [day.id, last!.position]
          ])
        )
        const stranger = yield* newAccount()
        expect((yield* things.ends(stranger.id, [{ day: "2026-11-21" }])).size).toBe(0)
      })
    )

    it.effect("openCounts counts open things with a check box, and omits lists beyond the limit of things", () =>
      Effect.gen(function* () {
        const closed = [
          { completed: true },
          { canceled: true },
          { type: "bullet" },
          { header: true },
          { subheader: true }
        ]
        const { things, owner, home } = yield* setup([{}, { tabs: 1 }, ...closed] as ReadonlyArray<
          Partial<Plain<Thing>>
        >)
        const [done, none, long] = [yield* newList(owner), yield* newList(owner), yield* newList(owner)]
        yield* newThings(owner, done.id, [{ completed: true }])
        yield* newThings(
          owner,
          long.id,
          Array.from({ length: 8 }, () => ({}))
        )
        const lists = [home, done, none, long].map(({ id }) => id)
        expect([...(yield* things.openCounts(owner, lists, 7))].toSorted()).toStrictEqual(
          [[home.id, 2] as const, [done.id, 0] as const, [none.id, 0] as const].toSorted()
        )
        expect(yield* things.openCounts(owner, [long.id], 8)).toStrictEqual(new Map([[long.id, 8]]))
        expect((yield* things.openCounts(owner, [], 8)).size).toBe(0)
        const stranger = yield* newAccount()
        expect((yield* things.openCounts(stranger.id, [home.id], 7)).get(home.id) ?? 0).toBe(0)
      })
    )

    describe("page", () => {
      it.effect("is sorted by created or updated descending, then id descending", () =>
        Effect.gen(function* () {
          const times = [
            [1, 9],
            [2, 8],
            [2, 8],
            [2, 3],
            [3, 3],
            [0, 3]
          ] as const
          const { owner, things, made } = yield* setup(
            times.map(([created, updated]) => ({ created: noon + created, updated: noon + updated }))
          )
          for (const sort of ["created", "updated"] as const) {
            const expected = made.toSorted(newestFirst(sort))
            const page = yield* things.page(owner, { sort }, 0, 50)
            expect(page).toStrictEqual({ items: expected, hasMore: false })
          }
        })
      )

      it.effect("of a tag stays in order when a deleted list ends the references of some things to it", () =>
        Effect.gen(function* () {
          const { owner, home, things } = yield* setup([])
          const target = yield* newList(owner)
          const made = yield* newThings(
            owner,
            home.id,
            [9, 8, 7, 6, 5, 4].map((updated, n) => ({
              tags: ["t"],
              updated: noon + updated,
              listRef: n === 3 ? target.id : null
            }))
          )
          yield* things.clearListRef(owner, target.id, addMillis(noon, 42))
          const cleared = { ...made[3]!, listRef: null, updated: addMillis(noon, 42) }
          const expected = [cleared, ...made.filter((_, n) => n !== 3)]
          const filter = { sort: "updated", tag: "t" } as const
          expect((yield* things.page(owner, filter, 0, 50)).items).toStrictEqual(expected)
          const since = yield* things.page(owner, { ...filter, since: addMillis(noon, 10) }, 0, 50)
          expect(since.items).toStrictEqual([cleared])
        })
      )

      it.effect("has the given size, and tells whether more follow", () =>
        Effect.gen(function* () {
          const { owner, things, made } = yield* setup([0, 1, 2, 3].map((n) => ({ created: noon + n })))
          const expected = made.toReversed()
          const read = (page: number, size: number) => things.page(owner, { sort: "created" }, page, size)
          expect(yield* read(0, 3)).toStrictEqual({ items: expected.slice(0, 3), hasMore: true })
          expect(yield* read(1, 3)).toStrictEqual({ items: expected.slice(3), hasMore: false })
          expect(yield* read(1, 2)).toStrictEqual({ items: expected.slice(2), hasMore: false })
          expect(yield* read(2, 2)).toStrictEqual({ items: [], hasMore: false })
          expect(yield* read(40_000_000, 50)).toStrictEqual({ items: [], hasMore: false })
        })
      )

      it.effect("breaks ties by id, descending, across pages and with filters", () =>
        Effect.gen(function* () {
          const { owner, things, made } = yield* setup(Array.from({ length: 9 }, () => ({ tags: ["t"] })))
          for (const filter of [{}, { tag: "t" }, { type: "todo", completed: false }] as const) {
            const pages = yield* Effect.forEach([0, 1, 2], (page) =>
              things.page(owner, { sort: "created", ...filter }, page, 3)
            )
            expect(pages.flatMap(({ items }) => items)).toStrictEqual(made.toSorted(newestFirst("created")))
          }
        })
      )

      it.effect("spans all lists, archived and day lists included, or one", () =>
        Effect.gen(function* () {
          const { owner, home, things, made } = yield* setup([{}])
          const archived = yield* newList(owner, { archived: true })
          const day = yield* newList(owner, { day: "2026-11-21" })
          const elsewhere = [
            ...(yield* newThings(owner, archived.id, [{}])),
            ...(yield* newThings(owner, day.id, [{}]))
          ]
          const all = (yield* things.page(owner, { sort: "created" }, 0, 50)).items
          expect(all).toStrictEqual([...made, ...elsewhere].toSorted(newestFirst("created")))
          expect((yield* things.page(owner, { sort: "created", listId: home.id }, 0, 50)).items).toStrictEqual(made)
        })
      )

      it.effect("is filtered by every condition, alone and combined", () =>
        Effect.gen(function* () {
          const { owner, home, things } = yield* setup([
            { text: "a", completed: true, type: "todo", tags: ["Work"], created: noon + 1, updated: noon + 9 },
            { text: "b", completed: false, type: "todo", tags: ["work", "x"], created: noon + 2, updated: noon + 8 },
            { text: "c", completed: false, canceled: true, type: "none", tags: ["ΟΔΟΣ"], created: noon + 3 },
            { text: "d", completed: true, type: "dash", tags: ["a%b", "it's"], created: noon + 4 },
            { text: "e", completed: false, type: "none", created: noon + 5, updated: noon + 5 }
          ])
          const cases: ReadonlyArray<readonly [Omit<ThingFilter, "sort">, ReadonlyArray<string>]> = [
            [{}, ["e", "d", "c", "b", "a"]],
            [{ completed: true }, ["d", "a"]],
            [{ completed: false }, ["e", "c", "b"]],
            [{ type: "none" }, ["e", "c"]],
            [{ type: "photo" }, []],
            [{ tag: "WORK" }, ["b", "a"]],
            [{ tag: "οδος" }, ["c"]],
            [{ tag: "οδοσ" }, ["c"]],
            [{ tag: "a%b" }, ["d"]],
            [{ tag: "it's" }, ["d"]],
            [{ tag: "a_b" }, []],
            [{ tag: "wor" }, []],
            [{ since: addMillis(noon, 3) }, ["e", "d"]],
            [{ since: addMillis(noon, 5) }, []],
            [{ completed: true, type: "todo", tag: "work", since: noon, listId: home.id }, ["a"]],
            [{ completed: true, tag: "x" }, []]
          ]
          for (const [filter, expected] of cases) {
            const { items } = yield* things.page(owner, { sort: "created", ...filter }, 0, 50)
            expect(textsOf(items), JSON.stringify(filter)).toStrictEqual(expected)
          }
          const updated = yield* things.page(owner, { sort: "updated", since: addMillis(noon, 5) }, 0, 50)
          expect(textsOf(updated.items)).toStrictEqual(["a", "b"])
        })
      )

      it.effect("pages the filtered things", () =>
        Effect.gen(function* () {
          const { owner, things } = yield* setup(
            Array.from({ length: 12 }, (_, n) => ({ text: `${n}`, created: noon + n, completed: n % 2 === 0 }))
          )
          const page = yield* things.page(owner, { sort: "created", completed: true }, 1, 4)
          expect(textsOf(page.items)).toStrictEqual(["2", "0"])
          expect(page.hasMore).toBe(false)
        })
      )
    })

    describe("byIdPart", () => {
      const idOf = (block: string, beginning = "01a20280-199a-7979-bfe7") => ThingId.make(`${beginning}-${block}`)

      it.effect("finds the owner's things by the beginning of the last block, by id, up to a limit", () =>
        Effect.gen(function* () {
          const blocks = ["0afc843852f9", "0afc943852f9", "0afd00000000", "f0afc0000000"]
          const salt = freshId().slice(0, 8)
          const { owner, things } = yield* setup(
            blocks.map((block, n) => ({ id: idOf(block, `${salt}-199${n}-7979-bfe7`) }))
          )
          const found = (part: string, limit = 6) =>
            Effect.map(things.byIdPart(owner, part, limit), (all) => all.map(({ id }) => blocks.indexOf(id.slice(24))))
          expect(yield* found("0afc")).toStrictEqual([0, 1])
          expect(yield* found("0afc9")).toStrictEqual([1])
          expect(yield* found("0af0")).toStrictEqual([])
          expect(yield* found(blocks[3]!)).toStrictEqual([3])
          expect(yield* found("0afc", 1)).toStrictEqual([0])
          expect(yield* things.byIdPart((yield* newAccount()).id, "0afc", 6)).toHaveLength(0)
        })
      )

      it.effect("finds things by the beginning of the id if it has a dash", () =>
        Effect.gen(function* () {
          const salt = freshId().slice(0, 8)
          const beginnings = [`${salt}-199a-7979-bfe7`, `${salt}-199a-7a00-8000`, `${salt}-199b-7979-bfe7`]
          const { owner, made, things } = yield* setup(beginnings.map((each) => ({ id: idOf("0afc843852f9", each) })))
          const found = (part: string) => Effect.map(things.byIdPart(owner, part, 6), (all) => all.map(({ id }) => id))
          const ids = made.map(({ id }) => id)
          expect(yield* found(`${salt}-`)).toStrictEqual(ids)
          expect(yield* found(`${salt}-199a`)).toStrictEqual(ids.slice(0, 2))
          expect(yield* found(`${salt}-199a-7a`)).toStrictEqual([ids[1]])
          expect(yield* found(`${salt}-199c`)).toStrictEqual([])
        })
      )
    })

    it.effect("recentTexts returns cut texts of things of one state among the last changed, newest first", () =>
      Effect.gen(function* () {
        const { owner, made, things } = yield* setup([
          { text: "a", updated: noon + 1 },
          { text: "b", updated: noon + 4, completed: true },
          { text: "🦊".repeat(150), updated: noon + 3, code: true },
          { text: "d", updated: noon + 2, canceled: true },
          { text: "e", updated: noon + 2 }
        ])
        const long = { id: made[2]!.id, text: "🦊".repeat(100), code: true }
        const plain = (at: number) => ({ id: made[at]!.id, text: made[at]!.text, code: false })
        expect(yield* things.recentTexts(owner, "open", 9)).toStrictEqual([long, plain(4), plain(0)])
        expect(yield* things.recentTexts(owner, "closed", 9)).toStrictEqual([plain(1), plain(3)])
        expect(yield* things.recentTexts(owner, "open", 2)).toStrictEqual([long])
      })
    )

    describe("tagCounts", () => {
      it.effect("counts ignoring case, with the latest spelling, by count and then name", () =>
        Effect.gen(function* () {
          const { owner, things } = yield* setup([
            { tags: ["work", "zebra"], updated: noon + 1 },
            { tags: ["WORK", "apple"], updated: noon + 3 },
            { tags: ["Work", "Äpfel", "banana"], updated: noon + 2 },
            { tags: ["ZEBRA"], updated: noon }
          ])
          expect(yield* things.tagCounts(owner)).toStrictEqual([
            { name: "WORK", count: 3 },
            { name: "zebra", count: 2 },
            { name: "Äpfel", count: 1 },
            { name: "apple", count: 1 },
            { name: "banana", count: 1 }
          ])
        })
      )

      it.effect("has the spelling of the highest id among equally recent things", () =>
        Effect.gen(function* () {
          const { owner, things, made } = yield* setup(["tag", "TAG", "Tag", "tAg"].map((tag) => ({ tags: [tag] })))
          const highest = made.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0]
          expect(yield* things.tagCounts(owner)).toStrictEqual([{ name: highest!.tags[0]!, count: 4 }])
        })
      )

      it.effect("counts each member of a family of clones", () =>
        Effect.gen(function* () {
          const { owner, home, things, made } = yield* setup([{ tags: ["t"], hasClones: true }])
          yield* newThings(owner, home.id, [{ tags: ["t"], cloneOf: made[0]!.id }])
          expect(yield* things.tagCounts(owner)).toStrictEqual([{ name: "t", count: 2 }])
        })
      )

      it.effect("distinguishes hostile names, and is empty without tags", () =>
        Effect.gen(function* () {
          const names = ["a,b", "a", "b", '"a"', "{a}", "NULL", "it's", "\\", "🦊", "x".repeat(100)]
          const { owner, things, made } = yield* setup([{ tags: names }, {}])
          expect(new Set((yield* things.tagCounts(owner)).map(({ name }) => name))).toStrictEqual(new Set(names))
          yield* things.remove(owner, [made[0]!.id])
          expect(yield* things.tagCounts(owner)).toHaveLength(0)
        })
      )
    })
  })
}

import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { type ListId, ThingId } from "@lists-and-things/domain/model/Ids"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { type Thing, thingTypes } from "@lists-and-things/domain/model/Thing"
import {
  earliest,
  freshId,
  hostileTexts,
  latest,
  malformedIds,
  newAccount,
  newList,
  newThings,
  noon,
  reminder,
  thing,
  type Plain
} from "./Fixtures.ts"
import type { ThingPorts } from "./ThingQuerySuite.ts"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"

const idsOf = (things: ReadonlyArray<Thing>): ReadonlyArray<ThingId> => things.map((found) => found.id)
export const byId = (a: Thing, b: Thing): number => (a.id < b.id ? -1 : 1)

export const setup = Effect.fnUntraced(function* (overrides: ReadonlyArray<Partial<Plain<Thing>>> = []) {
  const { id: owner } = yield* newAccount()
  const home = yield* newList(owner, { title: "home" })
  const things = yield* ThingStore
  return { owner, home, things, made: yield* newThings(owner, home.id, overrides) }
})

/** Every field of a thing with a value other than its default, except references. */
const fullFields: Omit<Thing, "id" | "owner" | "listId" | "listRef" | "cloneOf" | "hasClones"> = {
  position: { sortTime: addMillis(noon, -5), sequence: 77 },
  tabs: 3,
  favorited: true,
  text: "**bold** [label](https://example.com)",
  type: "number",
  url: "https://example.com/ä?q='\"",
  tags: ["Work", "büro 🦊", "a,b", '"q"', "{}", "NULL"],
  photos: ["https://example.com/1.jpg", "https://example.com/2.jpg?a={b},c"],
  completed: true,
  canceled: true,
  bold: true,
  italic: true,
  underline: true,
  header: true,
  subheader: true,
  quote: true,
  code: true,
  note: '# Note\n\nwith "quotes"',
  markup: 'js title="a"',
  created: addMillis(noon, -5),
  updated: addMillis(noon, 5)
}

export const full = (of: Thing, listRef: ListId, cloneOf: ThingId | null): Thing => ({
  ...of,
  ...fullFields,
  listRef,
  cloneOf
})

/** The contract of `ThingStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<ThingPorts, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ThingStore`, (it) => {
    describe("insert, get and put", () => {
      it.effect("keep every field", () =>
        Effect.gen(function* () {
          const { owner, home, things, made } = yield* setup([{}])
          const other = yield* newList(owner)
          const inserted = full(thing(owner, home.id), other.id, made[0]!.id)
          const changed = { ...full(made[0]!, home.id, null), listId: other.id }
          yield* things.put(owner, [{ ...made[0]!, hasClones: true }])
          yield* things.insert(owner, [inserted])
          yield* things.put(owner, [{ ...changed, hasClones: true }])
          expect(yield* things.get(owner, inserted.id)).toStrictEqual(inserted)
          expect(yield* things.get(owner, changed.id)).toStrictEqual({ ...changed, hasClones: true })
          expect(yield* things.ofList(owner, home.id)).toStrictEqual([inserted])
          yield* things.put(owner, [{ ...made[0]!, hasClones: true }])
          expect(yield* things.get(owner, made[0]!.id)).toStrictEqual({ ...made[0]!, hasClones: true })
        })
      )

      it.effect("keep every type", () =>
        Effect.gen(function* () {
          const { things, owner, made } = yield* setup(thingTypes.map((type) => ({ type })))
          expect(yield* things.getMany(owner, idsOf(made))).toStrictEqual(made.toSorted(byId))
        })
      )

      it.effect("keep any text, note, tag and address, and any time", () =>
        Effect.gen(function* () {
          const { things, owner, home, made } = yield* setup([
            ...hostileTexts.map((text) => ({ text, note: text, url: text, tags: [text, "b"], photos: [text] })),
            { text: "", note: "n".repeat(1_000_000) },
            { created: earliest, updated: earliest, position: { sortTime: earliest, sequence: 0 } },
            { created: latest, updated: latest, position: { sortTime: latest, sequence: 1_000_000 } }
          ])
          for (const one of made) expect(yield* things.get(owner, one.id)).toStrictEqual(one)
          yield* things.put(
            owner,
            made.map((one) => ({ ...one, favorited: true }))
          )
          expect((yield* things.ofList(owner, home.id)).every((one) => one.favorited)).toBe(true)
        })
      )

      it.effect("accept many things at once, and none", () =>
        Effect.gen(function* () {
          const { things, owner, home } = yield* setup()
          const made = yield* newThings(
            owner,
            home.id,
            Array.from({ length: 2_000 }, (_, n) => ({ text: `${n}` }))
          )
          expect(yield* things.ofList(owner, home.id)).toStrictEqual(made)
          yield* things.put(
            owner,
            made.map((one) => ({ ...one, text: `${one.text}!` }))
          )
          expect((yield* things.ofList(owner, home.id)).at(-1)?.text).toStrictEqual("1999!")
          yield* things.insert(owner, [])
          yield* things.put(owner, [])
        })
      )

      it.effect("insert all things or none", () =>
        Effect.gen(function* () {
          const { things, owner, home } = yield* setup()
          const nowhere = thing(owner, freshId() as ListId)
          expect(Exit.isFailure(yield* Effect.exit(things.insert(owner, [thing(owner, home.id), nowhere])))).toBe(true)
          expect(yield* things.ofList(owner, home.id)).toHaveLength(0)
        })
      )

      it.effect("refuse a list of another owner", () =>
        Effect.gen(function* () {
          const { things, home } = yield* setup()
          const stranger = (yield* newAccount()).id
          expect(Exit.isFailure(yield* Effect.exit(things.insert(stranger, [thing(stranger, home.id)])))).toBe(true)
          expect(yield* things.ofList(stranger, home.id)).toHaveLength(0)
        })
      )
    })

    describe("another owner's or a malformed id", () => {
      it.effect("is unknown to every method", () =>
        Effect.gen(function* () {
          const { things, owner, home, made } = yield* setup([{ text: "mine", tags: ["t"], url: "https://a.example" }])
          const [mine] = made
          const clone = { ...thing(owner, home.id), cloneOf: mine!.id, listRef: home.id }
          yield* things.put(owner, [{ ...mine!, hasClones: true }])
          yield* things.insert(owner, [clone])
          const before = yield* things.ofList(owner, home.id)
          const stranger = (yield* newAccount()).id
          expect(yield* things.get(stranger, mine!.id)).toBeUndefined()
          expect(yield* things.getMany(stranger, [mine!.id])).toHaveLength(0)
          expect(yield* things.ofList(stranger, home.id)).toHaveLength(0)
          expect((yield* things.page(stranger, { sort: "created", listId: home.id }, 0, 50)).items).toHaveLength(0)
          expect((yield* things.search(stranger, "mine", 50)).items).toHaveLength(0)
          expect(yield* things.tagCounts(stranger)).toHaveLength(0)
          expect((yield* things.ends(stranger, [home.id])).size).toBe(0)
          const last = yield* things.lastAt(stranger, new Map([[home.id, [noon]]]))
          expect(last.get(home.id) ?? []).toHaveLength(0)
          expect(yield* things.clonesOf(stranger, [mine!.id])).toHaveLength(0)
          const keys = { urls: ["https://a.example"], texts: ["mine"] }
          const duplicates = (yield* things.duplicates(stranger, new Map([[home.id, keys]]))).get(home.id)
          expect([...(duplicates?.urls ?? []), ...(duplicates?.texts ?? [])]).toHaveLength(0)
          yield* things.openGaps(stranger, home.id, [{ sortTime: noon, sequence: -1 }])
          yield* things.put(stranger, [{ ...mine!, owner: stranger, text: "taken" }])
          expect(yield* things.remove(stranger, [mine!.id])).toBe(0)
          expect(yield* things.clearListRef(stranger, home.id, addMillis(noon, 9))).toHaveLength(0)
          expect(yield* things.ofList(owner, home.id)).toStrictEqual(before)
        })
      )

      it.effect("of any form is not found, without an error", () =>
        Effect.gen(function* () {
          const { things, owner, made } = yield* setup([{}])
          for (const id of [...malformedIds, freshId()]) {
            expect(yield* things.get(owner, id)).toBeUndefined()
            expect(yield* things.ofList(owner, id)).toHaveLength(0)
            expect(yield* things.page(owner, { sort: "updated", listId: id }, 0, 50)).toStrictEqual({
              items: [],
              hasMore: false
            })
          }
          expect(yield* things.getMany(owner, [...malformedIds, freshId(), made[0]!.id])).toStrictEqual(made)
          expect(yield* things.remove(owner, [...malformedIds, freshId()])).toBe(0)
          expect(yield* things.get(owner, made[0]!.id)).toStrictEqual(made[0])
        })
      )
    })

    it.effect("getMany returns each thing once, by id ascending", () =>
      Effect.gen(function* () {
        const { things, owner, made } = yield* setup([{}, {}, {}, {}])
        const asked = [...idsOf(made), made[0]!.id].toReversed()
        expect(yield* things.getMany(owner, asked)).toStrictEqual(made.toSorted(byId))
        expect(yield* things.getMany(owner, [])).toHaveLength(0)
      })
    )

    it.effect("clonesOf returns the copies, oldest first", () =>
      Effect.gen(function* () {
        const { things, owner, home, made } = yield* setup([{ hasClones: true }, {}])
        const original = made[0]!.id
        const other = yield* newList(owner)
        const here = yield* newThings(owner, home.id, [
          { cloneOf: original, created: noon + 5 },
          { cloneOf: original, created: noon + 1 }
        ])
        const there = yield* newThings(owner, other.id, [{ cloneOf: original, created: noon + 1 }])
        const expected = [...here, ...there].toSorted((a, b) => a.created - b.created || byId(a, b))
        expect(yield* things.clonesOf(owner, [original, made[1]!.id])).toStrictEqual(expected)
        expect(yield* things.clonesOf(owner, [made[1]!.id])).toHaveLength(0)
      })
    )

    it.effect("duplicates returns which of the urls and trimmed texts a list has", () =>
      Effect.gen(function* () {
        const { things, owner, home } = yield* setup([
          { text: "  spaced\t" },
          { text: "Case" },
          { text: "100%" },
          { url: "https://a.example/%41", text: "with a url" },
          ...hostileTexts.map((text) => ({ text }))
        ])
        const elsewhere = yield* newList(owner)
        yield* newThings(owner, elsewhere.id, [{ text: "elsewhere", url: "https://b.example" }])
        const trimmed = hostileTexts.map((text) => text.trim())
        const keys = {
          urls: ["https://a.example/%41", "https://b.example", "https://a.example"],
          texts: ["spaced", "case", "Case", "100_", "elsewhere", "with a url", "unknown", ...trimmed]
        }
        const found = yield* things.duplicates(
          owner,
          new Map([
            [home.id, keys],
            [elsewhere.id, keys]
          ])
        )
        expect(new Set(found.get(home.id)?.urls)).toStrictEqual(new Set(["https://a.example/%41"]))
        expect(new Set(found.get(home.id)?.texts)).toStrictEqual(new Set(["spaced", "Case", "with a url", ...trimmed]))
        expect(new Set(found.get(elsewhere.id)?.urls)).toStrictEqual(new Set(["https://b.example"]))
        expect(new Set(found.get(elsewhere.id)?.texts)).toStrictEqual(new Set(["elsewhere"]))
        const none = (yield* things.duplicates(owner, new Map([[home.id, { urls: [], texts: [] }]]))).get(home.id)
        expect([...(none?.urls ?? []), ...(none?.texts ?? [])]).toHaveLength(0)
      })
    )

    it.effect("duplicates does not compare texts with urls", () =>
      Effect.gen(function* () {
        const { things, owner, home } = yield* setup([
          { text: "https://a.example", url: "" },
          { text: "elsewhere", url: "https://b.example" }
        ])
        const both = ["https://a.example", "https://b.example"]
        const found = yield* things.duplicates(owner, new Map([[home.id, { urls: both, texts: both }]]))
        expect(new Set(found.get(home.id)?.urls)).toStrictEqual(new Set(["https://b.example"]))
        expect(new Set(found.get(home.id)?.texts)).toStrictEqual(new Set(["https://a.example"]))
      })
    )

    it.effect("remove also removes reminders, and counts each thing that existed once", () =>
      Effect.gen(function* () {
        const { things, owner, home, made } = yield* setup([{}, {}, {}])
        const reminders = yield* ReminderStore
        for (const of of made) yield* reminders.put(owner, [reminder(of)])
        const [a, b, c] = made
        expect(yield* things.remove(owner, [a!.id, b!.id, a!.id, freshId()])).toBe(2)
        expect(yield* things.remove(owner, [a!.id])).toBe(0)
        expect(yield* things.remove(owner, [])).toBe(0)
        expect(yield* things.ofList(owner, home.id)).toStrictEqual([c!])
        expect(yield* reminders.findByThing(owner, a!.id)).toBeUndefined()
        expect((yield* reminders.all(owner)).length).toBe(1)
      })
    )

    it.effect("clearListRef clears the references to a list, and returns the lists of the changed things", () =>
      Effect.gen(function* () {
        const { things, owner, home, made } = yield* setup([{}])
        const target = yield* newList(owner)
        const other = yield* newList(owner)
        const linked = yield* newThings(owner, home.id, [{ listRef: target.id }, { listRef: target.id }])
        const away = yield* newThings(owner, other.id, [{ listRef: target.id }, { listRef: home.id }])
        const changed = yield* things.clearListRef(owner, target.id, addMillis(noon, 42))
        expect([...changed].toSorted()).toStrictEqual([home.id, other.id].toSorted())
        for (const before of [...linked, away[0]!])
          expect(yield* things.get(owner, before.id)).toStrictEqual({
            ...before,
            listRef: null,
            updated: noon + 42
          })
        expect(yield* things.get(owner, away[1]!.id)).toStrictEqual(away[1])
        expect(yield* things.get(owner, made[0]!.id)).toStrictEqual(made[0])
        expect(yield* things.clearListRef(owner, target.id, addMillis(noon, 43))).toHaveLength(0)
        expect(yield* Effect.flatMap(ListStore, (lists) => lists.remove(owner, target.id))).toBe(true)
      })
    )
  })
}

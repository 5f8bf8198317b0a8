import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { newList, newThings, noon } from "./Fixtures.ts"
import { newestFirst, setup, textsOf, type ThingPorts } from "./ThingQuerySuite.ts"
import type { ThingState } from "@lists-and-things/domain/ports/ThingStore"

const setupTexts = (texts: ReadonlyArray<string>) =>
  Effect.map(setup(texts.map((text, index) => ({ text, updated: noon + index }))), ({ owner, things }) => ({
    owner,
    things,
    find: (query: string) => Effect.map(things.search(owner, query, 50), ({ items }) => textsOf(items))
  }))

/** The contract of `ThingStore.search`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<ThingPorts, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: ThingStore search`, (it) => {
    it.effect("ranks equal, prefix, word start, anywhere, over all lists", () =>
      Effect.gen(function* () {
        const { owner, find } = yield* setupTexts([
          "oatmilk",
          "buy milk",
          "Milk and honey",
          "milk",
          "MILK",
          "oat-milk",
          "water"
        ])
        const archived = yield* newList(owner, { archived: true })
        yield* newThings(owner, archived.id, [{ text: "milkshake", updated: noon + 50 }])
        expect(yield* find(" MILK ")).toStrictEqual([
          "MILK",
          "milk",
          "milkshake",
          "Milk and honey",
          "oat-milk",
          "buy milk",
          "oatmilk"
        ])
      })
    )

    it.effect("matches text with and without markup", () =>
      Effect.gen(function* () {
        const { find } = yield* setupTexts([
          "**bold** text",
          "read [the docs](https://example.com/guide)",
          "~~gone~~",
          "a**b**c"
        ])
        expect(yield* find("bold text")).toStrictEqual(["**bold** text"])
        expect(yield* find("**bold**")).toStrictEqual(["**bold** text"])
        expect(yield* find("read the docs")).toStrictEqual(["read [the docs](https://example.com/guide)"])
        expect(yield* find("example.com/guide")).toStrictEqual(["read [the docs](https://example.com/guide)"])
        expect(yield* find("gone")).toStrictEqual(["~~gone~~"])
        expect(yield* find("abc")).toStrictEqual(["a**b**c"])
      })
    )

    it.effect("does not strip the markup of code", () =>
      Effect.gen(function* () {
        const { owner, things } = yield* setup([{ text: "a **b** c", code: true }])
        expect((yield* things.search(owner, "a b c", 50)).items).toHaveLength(0)
        expect((yield* things.search(owner, "a **b** c", 50)).items).toHaveLength(1)
      })
    )

    it.effect("does not match across the two forms of a text", () =>
      Effect.gen(function* () {
        const { owner, things } = yield* setup([{ text: "**start** end" }])
        for (const query of ["endstart", "end start", "end\nstart", "end\n**start"])
          expect((yield* things.search(owner, query, 50)).items, JSON.stringify(query)).toHaveLength(0)
      })
    )

    it.effect("searches only texts: no notes, urls or tags", () =>
      Effect.gen(function* () {
        const { owner, things } = yield* setup([
          { text: "plain", note: "needle", url: "https://needle.example", tags: ["needle"] }
        ])
        expect((yield* things.search(owner, "needle", 50)).items).toHaveLength(0)
      })
    )

    it.effect("takes wildcards literally", () =>
      Effect.gen(function* () {
        const { find } = yield* setupTexts(["100% sure", "snake_case", "back\\slash", "plain"])
        expect(yield* find("%")).toStrictEqual(["100% sure"])
        expect(yield* find("_")).toStrictEqual(["snake_case"])
        expect(yield* find("\\")).toStrictEqual(["back\\slash"])
        expect(yield* find("%sure")).toStrictEqual([])
        expect(yield* find("p_ain")).toStrictEqual([])
        expect(yield* find("p%n")).toStrictEqual([])
        expect(yield* find("k\\\\s")).toStrictEqual([])
      })
    )

    it.effect("folds Unicode, and finds words in any script", () =>
      Effect.gen(function* () {
        const { find } = yield* setupTexts([
          "große Straße",
          "ΟΔΟΣ ΑΘΗΝΑΣ",
          "İstanbul",
          "東京の本",
          "🦊fox",
          "e\u0301te"
        ])
        expect(yield* find("GROSSE STRASSE")).toStrictEqual(["große Straße"])
        expect(yield* find("οδοσ")).toStrictEqual(["ΟΔΟΣ ΑΘΗΝΑΣ"])
        expect(yield* find("οδος")).toStrictEqual(["ΟΔΟΣ ΑΘΗΝΑΣ"])
        expect(yield* find("本")).toStrictEqual(["東京の本"])
        expect(yield* find("fox")).toStrictEqual(["🦊fox"])
        expect(yield* find("ÉTE")).toStrictEqual(["e\u0301te"])
      })
    )

    it.effect("finds the end of a long text", () =>
      Effect.gen(function* () {
        const long = `${"lorem ipsum ".repeat(830)}needle`
        const { find } = yield* setupTexts([long, "x".repeat(10_000)])
        expect(yield* find("needle")).toStrictEqual([long])
        expect(yield* find("x".repeat(10_000))).toStrictEqual(["x".repeat(10_000)])
        expect(yield* find("y".repeat(10_000))).toStrictEqual([])
      })
    )

    it.effect("breaks ties by updated, then id, descending, and tells whether more follow", () =>
      Effect.gen(function* () {
        const { owner, things, made } = yield* setup([1, 2, 1, 1, 3].map((n) => ({ text: "tie", updated: noon + n })))
        const expected = made.toSorted(newestFirst("updated"))
        expect(yield* things.search(owner, "tie", 5)).toStrictEqual({ items: expected, hasMore: false })
        expect(yield* things.search(owner, "tie", 4)).toStrictEqual({
          items: expected.slice(0, 4),
          hasMore: true
        })
      })
    )

    it.effect("finds only things of one state, with the same ranks", () =>
      Effect.gen(function* () {
        const { owner, things } = yield* setup([
          { text: "buy milk", updated: noon + 1 },
          { text: "milk", completed: true },
          { text: "oat milk", canceled: true, updated: noon + 2 },
          { text: "milk", updated: noon + 3 },
          { text: "water" }
        ])
        const found = (state: ThingState, limit = 50, query = "milk") =>
          Effect.map(things.search(owner, query, limit, state), ({ items, hasMore }) => [textsOf(items), hasMore])
        expect(yield* found("open")).toStrictEqual([["milk", "buy milk"], false])
        expect(yield* found("closed")).toStrictEqual([["milk", "oat milk"], false])
        expect(yield* found("open", 1)).toStrictEqual([["milk"], true])
        expect(yield* found("closed", 50, "water")).toStrictEqual([[], false])
      })
    )

    it.effect("finds things by their current text", () =>
      Effect.gen(function* () {
        const { owner, things, made } = yield* setup([{ text: "before" }])
        yield* things.put(owner, [{ ...made[0]!, text: "after" }])
        expect((yield* things.search(owner, "before", 50)).items).toHaveLength(0)
        expect((yield* things.search(owner, "after", 50)).items).toHaveLength(1)
      })
    )
  })
}

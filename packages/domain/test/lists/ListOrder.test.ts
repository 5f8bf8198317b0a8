import { describe, expect, it, vi } from "@effect/vitest"
import * as fc from "fast-check"
import type { ThingId } from "../../src/model/Ids.ts"
import { listSorts } from "../../src/model/List.ts"
import { displayOrder } from "../../src/lists/ListOrder.ts"
import { deeperThan, shallowerThan, treeOf, withNested } from "../../src/lists/Outline.ts"
import { account, list, thing } from "@lists-and-things/testing/Fixtures"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"

const home = list(account().id)

const things = (rows: ReadonlyArray<readonly [text: string, tabs: number, updated?: number]>) =>
  rows.map(([text, tabs, updated], index) =>
    thing(home.owner, home.id, {
      id: String(index).padStart(4, "0") as ThingId,
      text,
      tabs,
      updated: updated ?? 0,
      position: { sortTime: index, sequence: 0 }
    })
  )

const texts = (rows: ReturnType<typeof things>, sort: (typeof listSorts)[number]) =>
  runStepsSync(displayOrder(rows, sort)).map((each) => `${"-".repeat(each.tabs)}${each.text}`)

describe("the display order of a list", () => {
  const rows = things([
    ["pear", 0, 3],
    ["seed", 1, 9],
    ["core", 1, 8],
    ["apple", 0, 5],
    ["**Banana**", 0, 4],
    ["deep", 3, 1]
  ])

  it("is the order of positions when chronological", () => {
    expect(texts(rows, "chronological")).toStrictEqual(["pear", "-seed", "-core", "apple", "**Banana**", "---deep"])
  })

  it("compares no run of more than 30 combining marks, since that takes quadratic time", () => {
    const given: Array<string> = []
    vi.spyOn(Intl.Collator.prototype, "compare", "get").mockReturnValue((a: string, b: string) => given.push(a, b))
    texts(
      things([12, 34, 50].map((length) => [`a${"\u0345".repeat(length)}${"\u0334".repeat(length)}`, 0])),
      "alphabetical"
    )
    vi.restoreAllMocks()
    expect(given).not.toStrictEqual([])
    expect(given.filter((text) => /[\u0345\u0334]{31}/.test(text))).toStrictEqual([])
  })

  it("is sorted among siblings, with children under their parent", () => {
    expect(texts(rows, "alphabetical")).toStrictEqual(["apple", "**Banana**", "---deep", "pear", "-core", "-seed"])
    expect(texts(rows, "reverse-alphabetical")).toStrictEqual([
      "pear",
      "-seed",
      "-core",
      "**Banana**",
      "---deep",
      "apple"
    ])
    expect(texts(rows, "reverse-chronological")).toStrictEqual([
      "**Banana**",
      "---deep",
      "apple",
      "pear",
      "-core",
      "-seed"
    ])
    expect(texts(rows, "modified")).toStrictEqual(["apple", "**Banana**", "---deep", "pear", "-seed", "-core"])
  })

  it("is that of positions among things that were modified by one write", () => {
    const rows = things(["b", "a", "c"].map((text) => [text, 0, 7]))
    expect(texts(rows, "modified")).toStrictEqual(["b", "a", "c"])
  })

  it("is by Unicode collation when alphabetical: accents count, case does not, ties are by position", () => {
    const words = things(["résumé", "RESUME", "resume", "Éclair", "eclair"].map((text) => [text, 0]))
    expect(texts(words, "alphabetical")).toStrictEqual(["eclair", "Éclair", "RESUME", "resume", "résumé"])
    expect(texts(words, "reverse-alphabetical")).toStrictEqual(["résumé", "RESUME", "resume", "Éclair", "eclair"])
  })

  it("has every thing once and every child behind its parent, whatever the tabs", () => {
    const parentOf = (ordered: ReadonlyArray<{ readonly id: string; readonly tabs: number }>) =>
      new Map(
        ordered.map((each, at) => [each.id, ordered.slice(0, at).findLast((before) => before.tabs < each.tabs)?.id])
      )
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.string({ maxLength: 3 }), fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 3 })),
          { maxLength: 30 }
        ),
        fc.constantFrom(...listSorts),
        (given, sort) => {
          const before = things(given)
          const after = runStepsSync(displayOrder(before, sort))
          expect(after.map((each) => each.id).toSorted()).toStrictEqual(before.map((each) => each.id).toSorted())
          const at = new Map(after.map((each, index) => [each.id as string, index]))
          for (const [child, parent] of parentOf(before))
            if (parent !== undefined) expect(at.get(parent)!).toBeLessThan(at.get(child)!)
        }
      )
    )
  })

  it("can be computed for 100,000 siblings", () => {
    expect(
      runStepsSync(
        displayOrder(
          things(Array.from({ length: 100_000 }, (_, at) => [String(at), 0] as const)),
          "reverse-chronological"
        )
      ).length
    ).toBe(100_000)
  })
})

describe("the nesting of a list", () => {
  const rowsOf = (tabs: ReadonlyArray<number>) => things(tabs.map((depth, at) => [String(at), depth]))
  const placed = (rows: ReturnType<typeof rowsOf>) => runStepsSync(treeOf(rows))
  const tree = (rows: ReturnType<typeof rowsOf>) =>
    [...placed(rows)].map(([id, { before, height, parent }]) => [id, parent?.id, before?.id, height]).toSorted()

  it("follows the positions, in whatever order the things are given", () => {
    const rows = rowsOf([0, 3, 2, 1, 4, 0])
    expect(tree(rows)).toStrictEqual([
      ["0000", undefined, undefined, 4],
      ["0001", "0000", undefined, 0],
      ["0002", "0000", "0001", 0],
      ["0003", "0000", "0002", 3],
      ["0004", "0003", undefined, 0],
      ["0005", undefined, "0000", 0]
    ])
    expect(tree(rows.toReversed())).toStrictEqual(tree(rows))
  })

  it("puts a thing that is indented under its previous sibling, and one that is outdented beside its parent", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 20 }), fc.nat(), (tabs, pick) => {
        const at = pick % tabs.length
        const rows = rowsOf(tabs)
        const { id } = rows[at]!
        const place = placed(rows).get(id)!
        const after = (changed: number) => placed(rowsOf(tabs.with(at, changed))).get(id)!
        const [deeper, shallower] = [deeperThan(place), shallowerThan(place)]
        expect([deeper === undefined, shallower === undefined]).toStrictEqual([
          place.before === undefined,
          place.parent === undefined
        ])
        if (deeper !== undefined) expect(after(deeper).parent?.id).toBe(place.before?.id)
        if (shallower !== undefined) {
          expect(after(shallower).parent?.id).toBe(placed(rows).get(place.parent!.id)!.parent?.id)
          expect(after(shallower).before?.id).toBe(place.parent!.id)
        }
      })
    )
  })

  it("is kept below a thing that is indented or outdented with its descendants", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 20 }), fc.nat(), (tabs, pick) => {
        const at = pick % tabs.length
        const rows = rowsOf(tabs)
        const place = placed(rows).get(rows[at]!.id)!
        const moved = withNested(rows.toReversed(), rows[at]!)
        expect(place.height).toBe(Math.max(...moved.map((each) => each.tabs)) - tabs[at]!)
        expect(moved).toStrictEqual(rows.slice(at, at + moved.length))
        for (const level of [deeperThan(place), shallowerThan(place)]) {
          if (level === undefined) continue
          const isMoved = (index: number) => index >= at && index < at + moved.length
          const changed = tabs.map((depth, index) => (isMoved(index) ? depth + level - tabs[at]! : depth))
          const [before, after] = [placed(rows), placed(rowsOf(changed))]
          const parents = (places: typeof before) => moved.slice(1).map(({ id }) => places.get(id)!.parent?.id)
          expect(parents(after)).toStrictEqual(parents(before))
        }
      })
    )
  })

  it("does not allow an indent beyond the deepest level, descendants included", () => {
    const places = placed(rowsOf([0, 1000, 1000]))
    expect(places.get("0002")?.before?.id).toBe("0001")
    expect(deeperThan(places.get("0002")!)).toBeUndefined()
    const parents = placed(rowsOf([0, 0, 999, 0, 1000]))
    expect([deeperThan(parents.get("0001")!), deeperThan(parents.get("0003")!)]).toStrictEqual([1, undefined])
  })
})

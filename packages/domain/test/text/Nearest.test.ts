import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { editsWithin, nearestOf } from "../../src/text/Nearest.ts"

describe("the nearest names", () => {
  it("differ by few edits, ignoring case and separators", () => {
    expect(nearestOf("listId", ["list", "list_id", "text"], 2)).toStrictEqual(["list_id", "list"])
    expect(nearestOf("groceris", ["Work", "Groceries"], 3)).toStrictEqual(["Groceries"])
  })

  it("are none if every name differs too much, also a long one", () => {
    expect(nearestOf("Today", ["Work", "x".repeat(1_000)], 3)).toStrictEqual([])
  })
})

/** Levenshtein distance, computed with the full table. */
const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substituted = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(substituted, previous[column]! + 1, current[column - 1]! + 1))
    }
    previous = current
  }
  return previous[b.length]!
}

describe("edits within a limit", () => {
  it("equal those of the full table, or are undefined above the limit", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 })
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 13 }), (a, b, most) => {
        const edits = distance(a, b)
        expect(editsWithin(a, b, most)).toBe(edits > most ? undefined : edits)
      }),
      { numRuns: 2_000 }
    )
  })
})

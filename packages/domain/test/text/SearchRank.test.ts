import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { occurrences, searchKey, searchRank } from "../../src/text/SearchRank.ts"
import { fold } from "../../src/text/TextFold.ts"

const rank = (text: string, query: string) => searchRank([fold(text)], searchKey(query))

describe("the rank of a search match", () => {
  it.each([
    ["Milk", "milk", 0],
    ["Milk and honey", "MILK", 1],
    ["Buy milk", "milk", 2],
    ["Buttermilk", "milk", 3],
    ["buttermilk, milk", "milk", 2],
    ["100% sure", "%", 3],
    ["snake_case", "_", 3],
    ["Straße", "STRASSE", 0],
    ["Straße", "STRAẞE", 0],
    ["STRAẞE", "straße", 0],
    ["ΟΔΟΣ", "οδος", 0],
    ["Οδοσήμανση", "ΟΔΟΣ", 1],
    ["(milk)", "milk", 2],
    ["\u{10330}milk", "milk", 3],
    ["bread", "milk", undefined]
  ] as const)("%s for %s", (text, query, expected) => {
    expect(rank(text, query)).toBe(expected)
  })

  it("is the best among the forms of an item, in whatever order", () => {
    for (const forms of [
      ["**milk** and honey", "milk and honey"],
      ["milk and honey", "**milk** and honey"]
    ])
      expect(searchRank(forms, "milk")).toBe(1)
  })
})

describe("the occurrences of a query", () => {
  it("include overlapping ones", () => {
    const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength })
    fc.assert(
      fc.property(letters(30), letters(5), fc.nat(5), (text, query, from) => {
        const expected = Array.from({ length: text.length }, (_, at) => at).filter(
          (at) => at >= from && text.startsWith(query, at)
        )
        expect([...occurrences(text, query, from)]).toStrictEqual(expected)
      })
    )
  })

  it("rank a long repetitive text by its words", () => {
    expect(rank(`x${"ab".repeat(5_000)}`, "ab".repeat(2_000))).toBe(3)
    expect(rank(`x${"ab".repeat(3_000)} ${"ab".repeat(2_000)}`, "ab".repeat(2_000))).toBe(2)
  })
})

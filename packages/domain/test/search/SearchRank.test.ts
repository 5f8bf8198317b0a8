import { assert, describe, it } from "@effect/vitest"
import { searchKey, searchRank } from "../../src/search/SearchRank.ts"
import { fold } from "../../src/TextFold.ts"

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
    ["ΟΔΟΣ", "οδος", 0],
    ["(milk)", "milk", 2],
    ["bread", "milk", undefined]
  ] as const)("%s for %s", (text, query, expected) => {
    assert.strictEqual(rank(text, query), expected)
  })
})

import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { brokenAt } from "../../src/json/JsonLines.ts"

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("the position at which a text stops being JSON", () => {
  it.each([
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ["[1 2]", 3],
    ['["a\nb"]', 1],
    ["[1, x]", 4],
    ["[1]]", 3],
    ["[}", 1],
    ['{"a": [1, 2', 11],
    ["", 0],
    ["[01]", 2]
  ])("%j: at %d", (text, at) => {
    expect(parses(text)).toBe(false)
    expect(brokenAt(text)).toBe(at)
  })

  it("is at the end of truncated JSON, or inside its last token", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(), (value, cut) => {
        const json = JSON.stringify(value)
        const part = json.slice(0, cut % json.length)
        fc.pre(!parses(part))
        expect(brokenAt(part)).toBeLessThanOrEqual(part.length)
        // The text before the break is a prefix of the complete JSON.
        expect(json.startsWith(part.slice(0, brokenAt(part)))).toBe(true)
      })
    )
  })

  it("is found in text that is nested 100,000 levels deep", () => {
    expect(parses("[".repeat(100_000))).toBe(false)
    expect(brokenAt("[".repeat(100_000))).toBeGreaterThan(64)
  })

  it("is behind complete JSON that other text follows", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(brokenAt(`${json} %`)).toBe(json.trimEnd().length + 1)
      })
    )
  })
})

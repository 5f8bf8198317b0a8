import { describe, expect, it } from "@effect/vitest"
import { cleanTags, tagColor } from "../../src/text/TagNames.ts"

describe("tags", () => {
  it("are trimmed, without #, blanks and duplicates; the first spelling is kept", () => {
    expect(cleanTags(["#Home", "home ", "", " # ", "Ümlaut", "ümlaut", "a b"])).toStrictEqual(["Home", "Ümlaut", "a b"])
  })

  it("have a colour that depends only on the name, ignoring case", () => {
    expect(tagColor("home")).toMatch(/^#[0-9a-f]{6}$/)
    expect(tagColor("Home")).toBe(tagColor("home"))
    expect(new Set(["a", "b", "c", "d", "e", "f"].map(tagColor)).size).toBeGreaterThan(1)
  })
})

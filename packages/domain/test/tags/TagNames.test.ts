import { assert, describe, it } from "@effect/vitest"
import { cleanTags, tagColor } from "../../src/tags/TagNames.ts"

describe("tags", () => {
  it("are trimmed, without #, without blanks and repeats; the first spelling stays", () => {
    assert.deepStrictEqual(cleanTags(["#Home", "home ", "", " # ", "Ümlaut", "ümlaut", "a b"]), [
      "Home",
      "Ümlaut",
      "a b"
    ])
  })

  it("have a colour that depends on the name alone, ignoring case", () => {
    assert.match(tagColor("home"), /^#[0-9a-f]{6}$/)
    assert.strictEqual(tagColor("Home"), tagColor("home"))
    assert.isAbove(new Set(["a", "b", "c", "d", "e", "f"].map(tagColor)).size, 1)
  })
})

import { describe, expect, it } from "@effect/vitest"
import { cleanTags, tagColor } from "../../src/text/TagNames.ts"

describe("tags", () => {
  it("are trimmed, without #, blanks and duplicates; the first spelling is kept", () => {
    expect(cleanTags(["#Home", "home ", "", " # ", "Ümlaut", "ümlaut", "a b"])).toStrictEqual(["Home", "Ümlaut", "a b"])
  })

  it("stay as they are when they are sent back", () => {
    const tags = cleanTags(["##twice", "# #apart", " ## ", "c#"])
    expect(tags).toStrictEqual(["twice", "apart", "c#"])
    expect(cleanTags([...tags])).toStrictEqual(tags)
  })

  it("have the color that they have always had, which depends only on the name, ignoring case", () => {
    expect(["home", "Home", "work", "Straße", "日本"].map(tagColor)).toStrictEqual([
      "#c9a227",
      "#c9a227",
      "#d94f4f",
      "#2f9e79",
      "#9a4fc4"
    ])
  })
})

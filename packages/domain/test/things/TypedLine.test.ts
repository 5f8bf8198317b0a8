import { describe, expect, it } from "@effect/vitest"
import { takeTags } from "../../src/things/TypedLine.ts"

describe("the tags at the end of a line that a person typed", () => {
  it("are its last words that start with # and a letter", () => {
    expect(takeTags("Buy milk  #shop #Öl #shop #to-do_2")).toStrictEqual({
      text: "Buy milk",
      tags: ["shop", "Öl", "to-do_2"]
    })
    expect(takeTags("קנה חלב #בית")).toStrictEqual({ text: "קנה חלב", tags: ["בית"] })
  })

  it("may have any white space between them, and text keeps its own", () => {
    for (const line of ["Two  words  #a  #b", "Two  words\t#a\u00a0#b ", "Two  words #a #b"])
      expect(takeTags(line)).toStrictEqual({ text: "Two  words", tags: ["a", "b"] })
  })

  it("do not include any other words", () => {
    for (const line of [
      "Fix issue #12",
      "Learn C#",
      "Put #shop first",
      "# shop",
      "#shop",
      "#shop #home",
      "Say #hello!",
      `Long #${"a".repeat(100)}`,
      ""
    ])
      expect(takeTags(line)).toStrictEqual({ text: line, tags: [] })
  })

  it("are at most as many as a thing can have", () => {
    const words = Array.from({ length: 60 }, (_, at) => `#t${at}`)
    const { tags, text } = takeTags(`Milk ${words.join(" ")}`)
    expect(tags).toHaveLength(50)
    expect(text).toBe(`Milk ${words.slice(0, 10).join(" ")}`)
  })
})

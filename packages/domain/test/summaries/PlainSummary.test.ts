import { describe, expect, it } from "@effect/vitest"
import { addedThings, shortText } from "../../src/summaries/OperationSummaries.ts"
import { plainName, plainSummary } from "../../src/summaries/PlainSummary.ts"

describe("a summary in plain words", () => {
  it.each([
    [
      "Completed “Call **Ann** *today*”; it returns on 2026-12-05",
      "Completed “Call Ann today”; it returns on 2026-12-05"
    ],
    ["Added “See [the docs](https://example.com/a) and `code`” to “Work”", "Added “See the docs and code” to “Work”"],
    ["Changed the text of “2*3” to “3*2”", "Changed the text of “2*3” to “3*2”"],
    ["Deleted “Read “**War** and peace””", "Deleted “Read “War and peace””"],
    ["Undid 3 operations of “~~Old~~ key”", "Undid 3 operations of “Old key”"],
    ["Changed the time zone of the account", "Changed the time zone of the account"]
  ])("is made of %s", (summary, plain) => {
    expect(plainSummary(summary)).toBe(plain)
  })

  it("has the label of a link that was cut", () => {
    const text = `[How caches work](https://example.com/${"a".repeat(80)})`
    expect(plainSummary(addedThings([{ text, url: "" }], ["Study"]))).toBe("Added “How caches work…” to “Study”")
  })

  it("names a thing as it is displayed", () => {
    expect(plainName({ text: "Call **Ann**", url: "", code: false })).toBe("“Call Ann”")
    expect(plainName({ text: "rm **/*.ts **", url: "", code: true })).toBe(shortText("rm **/*.ts **"))
    expect(plainName({ text: "", url: "https://e.example", code: false })).toBe("“https://e.example”")
  })
})

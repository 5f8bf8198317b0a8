import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { AccountId } from "../../src/model/Ids.ts"
import { listDocument } from "../../src/markdown/Document.ts"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"
import * as Fixtures from "@lists-and-things/testing/Fixtures"

const owner = AccountId.make(Fixtures.freshId())
const list = Fixtures.list(owner)

describe("a list as a document", () => {
  it("has one thing a line with its marker, two spaces per tab, and notes below", () => {
    const things = [
      { text: "Trip", type: "none", header: true },
      { text: "Packing", type: "number", subheader: true, completed: true },
      { text: "clothes", type: "todo", note: "warm ones\n\nand a hat" },
      { text: "socks", type: "todo", tabs: 1, completed: true },
      { text: "ties", type: "todo", tabs: 2, canceled: true },
      { text: "wash them", type: "number" },
      { text: "a dash", type: "dash", url: "https://example.com/" },
      { text: "a bullet", type: "bullet" },
      { text: "", type: "photo", photos: ["https://example.com/a.jpg", "https://example.com/b.jpg"] },
      { text: "a line", type: "none" }
    ] as const
    const { text } = runStepsSync(
      listDocument(
        list,
        things.map((each) => Fixtures.thing(owner, list.id, each))
      )
    )
    expect(text.split("\n")).toStrictEqual([
      "# Trip",
      "[x] ## Packing",
      "[ ] clothes",
      "    warm ones",
      "",
      "    and a hat",
      "  [x] socks",
      "    [-] ties",
      "1. wash them",
      "- a dash https://example.com/",
      "- a bullet",
      "https://example.com/a.jpg https://example.com/b.jpg",
      "a line"
    ])
  })

  it("tells a text of several lines on one", () => {
    const texts = fc.array(fc.constantFrom("a", " ", "\n", "\r\n", "\t", "b", "\u2028"), { maxLength: 40 })
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join("")
        const lines = text.split("\n").map((each) => each.trim())
        const { text: told } = runStepsSync(
          listDocument(list, [Fixtures.thing(owner, list.id, { text, type: "none" })])
        )
        expect(told).toBe(lines.filter((each) => each !== "").join(" "))
      }),
      { seed: 11, numRuns: 500 }
    )
  })
})

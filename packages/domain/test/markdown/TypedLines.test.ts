import { describe, expect, it } from "@effect/vitest"
import { parseMarkdown } from "./ParseMarkdown.ts"
import { typedLines } from "../../src/markdown/TypedLines.ts"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"

const read = (lines: ReadonlyArray<string>, lineEnd = "\n") =>
  parseMarkdown(runStepsSync(typedLines(lines.join(lineEnd))), { title: "none" }).items.map(
    ({ code, completed, tabs, text, type }) => [code ? "code" : completed ? "done" : type, text, tabs]
  )

describe("lines that a person typed or pasted", () => {
  it("are separate things at the left margin, also below an item", () => {
    const lines = [
      "Milk",
      "- Bread",
      "Salt",
      "Oil",
      "1. Rice",
      "  of the better kind",
      "Tea",
      "- [ ] Pack",
      "  - Passports",
      "Go"
    ]
    for (const lineEnd of ["\n", "\r\n"])
      expect(read(lines, lineEnd)).toStrictEqual([
        ["none", "Milk", 0],
        ["bullet", "Bread", 0],
        ["none", "Salt", 0],
        ["none", "Oil", 0],
        ["number", "Rice of the better kind", 0],
        ["none", "Tea", 0],
        ["todo", "Pack", 0],
        ["bullet", "Passports", 1],
        ["none", "Go", 0]
      ])
  })

  it("may have the bullets and boxes of other programs", () => {
    expect(
      read(["• Milk", "\t◦ Oat", "– Bread", "☐ Salt", "⬜️ Oil", "[ ] Rice", "[] Tea", "☑ Jam", "✅ Nuts", "[x] Figs"])
    ).toStrictEqual([
      ["bullet", "Milk", 0],
      ["bullet", "Oat", 1],
      ["bullet", "Bread", 0],
      ["todo", "Salt", 0],
      ["todo", "Oil", 0],
      ["todo", "Rice", 0],
      ["todo", "Tea", 0],
      ["done", "Jam", 0],
      ["done", "Nuts", 0],
      ["done", "Figs", 0]
    ])
    expect(read(["–5 degrees", "[x](https://example.com) y", "•", "10 – 12 h"]).map(([, text]) => text)).toStrictEqual([
      "–5 degrees",
      "[x](https://example.com) y",
      "•",
      "10 – 12 h"
    ])
  })

  it("keep code unchanged, and continue after a backslash at the end", () => {
    expect(read(["- a", "```", "- b", "• c", "```", "• d\\", "e", "f"])).toStrictEqual([
      ["bullet", "a", 0],
      ["code", "- b\n• c", 0],
      ["bullet", "d\ne", 0],
      ["none", "f", 0]
    ])
  })
})

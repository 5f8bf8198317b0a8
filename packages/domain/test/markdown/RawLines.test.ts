import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { renderMarkdown } from "../../src/markdown/MarkdownExport.ts"
import { parseMarkdown } from "./ParseMarkdown.ts"
import { stored } from "./ThingArbitrary.ts"

const read = (markdown: string) => parseMarkdown(markdown, { title: "first-heading" })
const again = (markdown: string): string => {
  const { title, items } = read(markdown)
  return renderMarkdown({ title: title ?? "" }, items.map(stored))
}

const blocks = [
  "```js\nlet a = `1`\n```",
  "``` lat: todo\na\n```",
  "```c++ lat: todo\na\n```",
  "~~~ a`b\nx\n~~~",
  "| a | b |\n|---|:-:|\n| `x` | \\| _y_ &amp; |\n| 1 |",
  "a | b\n- | -\nc | d",
  "a | b\n:-- | --:\nc | d",
  "> | a |\n> |---|\n> | b |",
  "- item\n\n  | a |\n  |---|\n  | b |",
  '<div align="center">\n  <b>_x_</b>\n    &amp; more\n</div>',
  "<details>\n<summary>a</summary>\n\ntext\n\n</details>",
  "<pre>\na\n\n\n  b *c*\n</pre>",
  "<!-- a comment\n\n- of several lines -->",
  "- item\n\n  <p>\n   a\n  </p>",
  "> <p>\n> a\n> </p>",
  "1. item\n\n  <p>\n  a\n  </p>"
]

describe("a block that is kept as raw lines", () => {
  for (const block of blocks)
    if (!block.includes("- | -"))
      it(`is written as it was read: ${JSON.stringify(block)}`, () =>
        expect(again(`# title\n\n${block}\n\nend\n`)).toBe(`# title\n\n${block}\n\nend\n`))

  it("is written and read again as the same things, in any order and within lists", () => {
    const piece = fc.constantFrom(
      ...blocks,
      "text",
      "- a\n  - b",
      "<!-- open",
      "<pre>",
      "<p>",
      "|---|",
      " - a\n  <p",
      "a | b",
      "## h"
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.constantFrom("\n", "\n\n")), { maxLength: 8 }), (parts) => {
        const { items } = read(`# title\n\n${parts.flat().join("")}`)
        const written = renderMarkdown({ title: "title" }, items.map(stored))
        const kept = (all: typeof items) => all.map((thing) => ({ ...thing, markup: "" }))
        expect(kept(read(written).items), written).toStrictEqual(kept(items))
        expect(again(written)).toBe(written)
      }),
      { seed: 11, numRuns: 300 }
    )
  })

  it("is written as text if one of its lines was changed", () => {
    const { items } = read("| a |\n|---|\n| b |")
    const changed = items.map((item, index) => stored({ ...item, ...(index === 2 ? { text: "- b" } : {}) }))
    const texts = read(renderMarkdown({ title: "a" }, changed)).items.map(({ text, type }) => [text, type])
    expect(texts).toStrictEqual([
      ["| a |", "none"],
      ["|---|", "none"],
      ["- b", "none"]
    ])
  })

  it("is written as text if its indentation would nest it in the previous item", () => {
    const { items } = read(" - a\n  <p>\n\n1) b\n\n   <i>")
    expect(items.map(({ text, tabs }) => [text, tabs])).toStrictEqual([
      ["a", 0],
      ["  <p>", 0],
      ["b", 0],
      ["<i>", 1]
    ])
    const written = renderMarkdown({ title: "a" }, items.map(stored))
    const kept = read(written).items.map(({ text, tabs }) => [text, tabs])
    expect(kept, written).toStrictEqual(items.map(({ text, tabs }) => [text, tabs]))
  })

  it("keeps its note", () => {
    const things = read("<p>\na\n</p>").items.map((item, index) => stored({ ...item, note: index === 2 ? "n" : "" }))
    expect(read(renderMarkdown({ title: "a" }, things)).items.map(({ note }) => note)).toStrictEqual(["", "", "n"])
  })
})

import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { caps } from "../../src/model/Caps.ts"
import { renderMarkdown } from "../../src/markdown/MarkdownExport.ts"
import { parseMarkdown } from "./ParseMarkdown.ts"
import type { ParsedThing } from "../../src/markdown/ParsedThing.ts"
import { stored } from "./ThingArbitrary.ts"

const read = (markdown: string) => parseMarkdown(markdown, { title: "first-heading" })
const write = ({ title, items }: ReturnType<typeof read>) => renderMarkdown({ title: title ?? "" }, items.map(stored))
const textsOf = (markdown: string) => read(markdown).items.map(({ text }) => text)

describe("the text that references add to a document", () => {
  const long = `https://e.org/${"x".repeat(7_000)}`
  const size = (items: ReadonlyArray<ParsedThing>) =>
    items.reduce((sum, { text, url }) => sum + text.length + url.length, 0)

  for (const [name, line] of [
    ["lines", "[a]\n"],
    ["words", "[a] "],
    ["paragraphs", "b [a]\n\n"],
    ["items", "- b [c][a]\n"],
    ["rows", "|[a]|\n|-|\n|[a]|\n\n"],
    ["headings", "## b [a]\n"]
  ] as const)
    it(`is bounded: ${name}`, () => {
      const markdown = `[a]: ${long}\n\n${line.repeat(10_000)}`
      expect(size(read(markdown).items)).toBeLessThanOrEqual(markdown.length + caps.markdown)
    })

  it("does not exceed the cap of a text", () => {
    const texts = textsOf(`[a]: ${long}\n\nb [a]\n\nb [a] [a]`)
    expect(texts).toStrictEqual([`[a]: ${long}`, `b [a](${long})`, "b [a] [a]"])
  })
  it("does not exceed the cap of a title", () => {
    const url = `https://e.org/${"x".repeat(1_000)}`
    expect(read(`# [a]\n\n[a]: ${url}`)).toMatchObject({ title: "[a]", items: [{ text: `[a]: ${url}` }] })
  })
  it("is nothing if the address is too long for a thing", () =>
    expect(textsOf(`[a]\n\n[a]: https://e.org/${"x".repeat(8_192)}`)[0]).toBe("[a]"))

  it("is resolved from 10,000 definitions", () => {
    const count = 10_000
    const of = (line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at)).join("\n")
    const { items } = read(`${of((at) => `- [a ${at}][r ${at}]`)}\n\n${of((at) => `[R  ${at}]: https://e.org/${at}`)}`)
    expect(items.length).toBe(count)
    expect(items.every(({ text, url }, at) => text === `a ${at}` && url === `https://e.org/${at}`)).toBeTruthy()
  })
})

describe("references in a table", () => {
  it("are written with their address in the row", () => {
    const table = "| a | b |\n|---|---|\n| [c][d] | `[d]` |\n\n[d]: <https://e.org/x|y>"
    expect(write(read(`# t\n\n${table}`))).toBe("# t\n\n| a | b |\n|---|---|\n| [c](https://e.org/x%7Cy) | `[d]` |\n")
  })
  it("are left unchanged in HTML", () =>
    expect(textsOf("<p>\n[a]\n</p>\n\n[a]: https://e.org")).toStrictEqual(["<p>", "[a]", "</p>", "[a]: https://e.org"]))
})

/** Constructs of a document beside plain lines, for any order, with definitions anywhere. */
const construct = fc.constantFrom(
  "[text][a]",
  "see [a], [b][] and [the c][C C]",
  "![image][a]",
  "[![badge][b]][a]",
  "- [ ] [a]\n  - [x] done [b]\n    1. [c c][]",
  "> quoted [text][b]",
  "## heading [a]",
  "| x | [a] |\n|---|:-:|\n| [y][b] | `[a]` |",
  "- item\n\n  | [a] |\n  |-----|\n  | z |",
  "[a]: https://e.org/a",
  '[b]: <https://e.org/b c> "title"',
  "[c c]: https://e.org/_c_?d=1&amp;e",
  "> [a]: https://e.org/other",
  "- [b]: https://e.org/other",
  "[^1]: a footnote\n\ntext[^1]",
  "[^2]: https://e.org",
  'see [d](https://e.org/d "title") and [e](<https://e.org/e f>)',
  "- [ ] [d](<https://e.org/(d> (title))",
  '```ts title="a.ts"\nconst a = [b]\n```',
  "~~~\n[a]\n~~~",
  "- item\n  ```sh\n  [a]\n  ```",
  "<details>\n<summary>[a]</summary>\n</details>",
  "<div>\n\n[a]\n\n</div>",
  "`[a]` \\[a] [a\\]] [missing]",
  "plain text",
  "---"
)

const matter = fc.constantFrom("", "", "---\ntags: [a]\ntitle: other\n---\n\n")

describe("a document of any constructs", () => {
  it("has the same things after it is written and read again", () => {
    fc.assert(
      fc.property(matter, fc.array(construct, { minLength: 1, maxLength: 12 }), (before, parts) => {
        const first = read(`${before}# list\n\n${parts.join("\n\n")}\n`)
        const written = write(first)
        const again = read(written)
        expect(again, written).toStrictEqual(first)
        expect(write(again)).toBe(written)
      }),
      { seed: 15, numRuns: Number(process.env["LAT_PROPERTY_RUNS"] ?? 400) }
    )
  })
})

import { describe, expect, it } from "@effect/vitest"
import { parseSteps } from "../../src/markdown/MarkdownImport.ts"
import { parseMarkdown } from "./ParseMarkdown.ts"
import type { ParsedThing } from "../../src/markdown/ParsedThing.ts"

const plain: ParsedThing = {
  text: "",
  type: "none",
  url: "",
  photos: [],
  tabs: 0,
  completed: false,
  canceled: false,
  header: false,
  subheader: false,
  bold: false,
  quote: false,
  code: false,
  note: "",
  markup: ""
}
const thing = (text: string, rest: Partial<ParsedThing> = {}): ParsedThing => ({ ...plain, text, ...rest })
const todo = (text: string, rest: Partial<ParsedThing> = {}) => thing(text, { type: "todo", ...rest })
const bullet = (text: string, rest: Partial<ParsedThing> = {}) => thing(text, { type: "bullet", ...rest })
const header = (text: string, rest: Partial<ParsedThing> = {}) => thing(text, { header: true, bold: true, ...rest })
const subheader = (text: string, rest: Partial<ParsedThing> = {}) =>
  thing(text, { subheader: true, bold: true, ...rest })

const reads = (name: string, markdown: string, ...expected: ReadonlyArray<ParsedThing>): void => {
  it(name, () => expect(parseMarkdown(markdown, { title: "none" }).items).toStrictEqual(expected))
}

describe("blocks", () => {
  reads(
    "open, done and canceled boxes",
    "- [ ] a\n- [x] b\n* [X] c\n+ [-] d",
    todo("a"),
    todo("b", { completed: true }),
    todo("c", { completed: true }),
    todo("d", { canceled: true })
  )
  reads("a box on a numbered item", "1. [x] a", todo("a", { completed: true }))
  reads("a box needs white space behind it", "- [x]a\n- [x](b)", bullet("[x]a"), bullet("[x](b)"))
  reads(
    "numbers with a point or a parenthesis",
    "1. a\n2. b\n\n1) c",
    thing("a", { type: "number" }),
    thing("b", { type: "number" }),
    thing("c", { type: "number" })
  )
  reads("all three bullets", "- a\n\n* b\n\n+ c", bullet("a"), bullet("b"), bullet("c"))
  reads(
    "headings of every depth",
    "# a\n## b\n### c\n###### d ##\n\ne\n===",
    header("a"),
    header("b"),
    subheader("c"),
    subheader("d"),
    header("e")
  )
  reads(
    "one thing per line of a quote",
    "> a\n> b\nc\n\n> > d",
    thing("a", { quote: true }),
    thing("b", { quote: true }),
    thing("c", { quote: true }),
    thing("d", { quote: true })
  )
  reads("many quote marks", ">>>>>>>> a", thing("a", { quote: true }))
  reads("a list in a quote", "> - [ ] a\n>   - b", todo("a", { quote: true }), bullet("b", { quote: true, tabs: 1 }))
  reads(
    "fenced and indented code",
    "```js\na *b*\n\n- c\n```\n\n    d\n     e",
    thing("a *b*\n\n- c", { code: true, markup: "js" }),
    thing("d\n e", { code: true })
  )
  reads("one thing per line of a paragraph", "a\nb  \nc", thing("a"), thing("b"), thing("c"))
  reads("a backslash before a line end keeps one thing", "a\\\nb\nc", thing("a\nb"), thing("c"))
  reads("no rules", "a\n\n---\n\n***\n\nb", thing("a"), thing("b"))
  reads(
    "a table as its lines",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    thing("| a | b |", { markup: "raw" }),
    thing("|---|---|", { markup: "raw+" }),
    thing("| 1 | 2 |", { markup: "raw+" })
  )
  reads(
    "HTML as its lines",
    "<details>\n<p>a_b_c</p>\n\n</details>",
    thing("<details>", { markup: "raw" }),
    thing("<p>a_b_c</p>", { markup: "raw+" }),
    thing("</details>", { markup: "raw" })
  )
  reads(
    "definitions without a reference as lines",
    "[a]: https://example.org\n'title'\n\nb\n\n- [c]: d",
    thing("[a]: https://example.org"),
    thing("'title'"),
    thing("b"),
    bullet("[c]: d")
  )
  reads("a wrapped item as one line", "- [ ] a\n  b\nc\n- d", todo("a b c"), bullet("d"))
  reads("BOM, CR LF and CR", "\uFEFF- a\r\n- b\r- c", bullet("a"), bullet("b"), bullet("c"))
  reads("a blank item as a thing without text", "- [ ]\n- a\n-", todo(""), bullet("a"), bullet(""))
  reads("nothing", "")
})

describe("nesting", () => {
  for (const indent of ["  ", "    ", "\t"])
    reads(
      `by ${JSON.stringify(indent)}`,
      `- a\n${indent}- [ ] b\n${indent}${indent}1. c\n${indent}- d\n- e`,
      bullet("a"),
      todo("b", { tabs: 1 }),
      thing("c", { type: "number", tabs: 2 }),
      bullet("d", { tabs: 1 }),
      bullet("e")
    )
  reads(
    "under numbers",
    "1. a\n   - b\n2. c",
    thing("a", { type: "number" }),
    bullet("b", { tabs: 1 }),
    thing("c", { type: "number" })
  )
  for (const [below, marker] of [
    ["1. a", "- b"],
    ["10) a", "* b"],
    ["-    a", "1. b"],
    ["1. a", "1. b"]
  ] as const)
    it(`by two spaces below ${below}`, () => {
      const { items } = parseMarkdown(`${below}\n  ${marker}\n    - c\n  ${marker}\n${below}`, { title: "none" })
      expect(items.map((item) => item.tabs)).toStrictEqual([0, 1, 2, 1, 0])
    })
  it("by two spaces below a number, on every level, with blank lines between", () => {
    const { items } = parseMarkdown("1. a\n\n  - b\n\n    1. c\n\n  - d\n\n2. e", { title: "none" })
    expect(items.map((item) => item.tabs)).toStrictEqual([0, 1, 2, 1, 0])
  })
  reads(
    "not under a number in wrapped text",
    "- a\n  2. b\n\n1. c\n  1. d\n    1. e\n    2. f",
    bullet("a 2. b"),
    thing("c", { type: "number" }),
    thing("d", { type: "number", tabs: 1 }),
    thing("e", { type: "number", tabs: 2 }),
    thing("f", { type: "number", tabs: 2 })
  )
  it("not by one space, and not across another block", () => {
    const { items } = parseMarkdown("1. a\n 2. b\n\nc\n\n  - d", { title: "none" })
    expect(items.map((item) => item.tabs)).toStrictEqual([0, 0, 0, 0])
  })
  reads(
    "of other blocks in an item",
    "- a\n\n  b\n\n  > c\n\n  ```\n  d\n  ```\n\n  ## e",
    bullet("a"),
    thing("b", { tabs: 1 }),
    thing("c", { tabs: 1, quote: true }),
    thing("d", { tabs: 1, code: true }),
    header("e", { tabs: 1 })
  )
  reads(
    "of an item that begins with another block",
    "- ## a\n  - b\n- > c\n- ```\n  d\n  ```",
    header("a", { type: "bullet" }),
    bullet("b", { tabs: 1 }),
    bullet("c", { quote: true }),
    bullet("d", { code: true })
  )
  reads(
    "begins again at the margin below a heading",
    "- a\n  - b\n\n## c\n\n- d",
    bullet("a"),
    bullet("b", { tabs: 1 }),
    header("c"),
    bullet("d")
  )
  reads(
    "of items indented too far for CommonMark",
    "- a\n        - [ ] b\n            1. c\n          d\n        - e\n- f - g\n  - h\n\ni\n     * j",
    bullet("a"),
    todo("b", { tabs: 1 }),
    thing("c d", { type: "number", tabs: 2 }),
    bullet("e", { tabs: 1 }),
    bullet("f - g"),
    bullet("h", { tabs: 1 }),
    thing("i"),
    bullet("j", { tabs: 1 })
  )
  it("is exact up to 150 levels", () => {
    const lines = Array.from({ length: 150 }, (_, depth) => `${"  ".repeat(depth)}- ${depth}`)
    const { items } = parseMarkdown(lines.join("\n"), { title: "none" })
    expect(items.map((item) => [item.text, item.tabs])).toStrictEqual(lines.map((_, depth) => [`${depth}`, depth]))
  })
  it("loses no text beyond that", () => {
    for (const markers of ["- ", "> ", "> - ", "1. "]) {
      const { items } = parseMarkdown(`${markers.repeat(3_000)}end`, { title: "none" })
      expect(items.at(-1)?.text ?? "").toMatch(/end$/)
    }
  })
})

describe("the title", () => {
  const titled = (markdown: string) => {
    const { title, items } = parseMarkdown(markdown, { title: "first-heading" })
    return [title, items.map((item) => `${item.header ? "# " : ""}${item.text}`)]
  }
  it("is the first heading of the first level", () =>
    expect(titled("a\n\n## b\n\n# c\n\n# d")).toStrictEqual(["c", ["a", "# b", "# d"]]))
  it("is not taken from a heading in a list or a quote", () =>
    expect(titled("> # a\n\n- # b")).toStrictEqual([undefined, ["# a", "# b"]]))
  it("is absent without a heading of the first level", () => expect(titled("## a")).toStrictEqual([undefined, ["# a"]]))
  it("is read with inline markup", () => expect(titled("__a__ \\# b\n===")).toStrictEqual(["**a** # b", []]))
})

describe("front matter", () => {
  const yaml = (text: string) => thing(text, { code: true, markup: "yaml" })
  reads(
    "is one piece of code",
    "---\ntags: [a, b]\naliases:\n  - c\n\n# comment\n---\n\n- d",
    yaml("tags: [a, b]\naliases:\n  - c\n\n# comment"),
    bullet("d")
  )
  reads("may have CR LF and a BOM, and end with dots", "\uFEFF---\r\na: 1\r\n...\r\nb", yaml("a: 1"), thing("b"))
  reads("is not recognized in the middle of a document", "a\n\n---\n\nb: c\n\n---", thing("a"), thing("b: c"))
  reads("is not text between two rules", "---\n\nb: c\n\n---", thing("b: c"))
  reads("is not a heading below a rule", "---\nSome words\n---", header("Some words"))
  reads("is not recognized without an end", "---\na: 1\n\n- b", thing("a: 1"), bullet("b"))
  const titleOf = (markdown: string) => parseMarkdown(markdown, { title: "first-heading" }).title
  it("gives the title of a document without a title heading", () => {
    expect(titleOf("---\ntitle: A b\n---\n- c")).toBe("A b")
    expect(titleOf('---\ntitle: "A: b"\n---\n- c')).toBe("A: b")
    expect(titleOf("---\ntitle: A\n---\n# B")).toBe("B")
    for (const other of ["|", "[a]", "'a", '"\\u0041"', "a: b", "*a", ""])
      expect(titleOf(`---\ntitle: ${other}\nb: c\n---\n- c`)).toBeUndefined()
  })
})

describe("links and images", () => {
  reads(
    "a link as the only content",
    "- [a **b**](https://example.org/?a=1&amp;b=2)\n- [ ] [c](<https://example.org/a b>)\n\n[d](mailto:a@b.c)",
    bullet("a **b**", { url: "https://example.org/?a=1&b=2" }),
    todo("c", { url: "https://example.org/a b" }),
    thing("d", { url: "mailto:a@b.c" })
  )
  reads(
    "an address in angle brackets as the only content",
    "- <https://example.org>",
    bullet("https://example.org", { url: "https://example.org" })
  )
  reads("a link among text", "- [a](https://example.org) - b", bullet("[a](https://example.org) - b"))
  reads(
    "an address with a title, or in angle brackets",
    `- [a](https://e.org "b \\" c")\n- see [a](<https://e.org/x y> 'b'), [c](<d e.md>) and [f](g_h (i))`,
    bullet("a", { url: "https://e.org" }),
    bullet("see [a](https://e.org/x%20y), [c](d%20e.md) and [f](g_h)")
  )
  reads(
    "malformed titles as text",
    '[a](b "c) [a](b c) [a](b "c" d) [a](b"c") [a](b "`c") [a](b (c(d))',
    thing('[a](b "c) [a](b c) [a](b "c" d) [a](b"c") [a](b "`c") [a](b (c(d))')
  )
  reads(
    "an image with a title",
    '![a](https://e.org/a.png "b")\n\nc ![a](https://e.org/a.png "b")',
    thing("a", { type: "photo", photos: ["https://e.org/a.png"] }),
    thing('c ![a](https://e.org/a.png "b")')
  )
  reads(
    "a relative or refused link",
    "- [a](#b)\n- [c](javascript:d)\n- [e](docs/f.md)",
    bullet("[a](#b)"),
    bullet("[c](javascript:d)"),
    bullet("[e](docs/f.md)")
  )
  reads(
    "an image as the only content",
    "![a](https://e.org/a.png)\n\n- [ ] ![b](https://e.org/b.png)",
    thing("a", { type: "photo", photos: ["https://e.org/a.png"] }),
    todo("b", { photos: ["https://e.org/b.png"] })
  )
  reads(
    "images as the only content",
    "![a](https://e.org/a) ![](https://e.org/b) ![c](https://e.org/c)",
    thing("a", { type: "photo", photos: ["https://e.org/a", "https://e.org/b"] }),
    thing("c", { type: "photo", photos: ["https://e.org/c"] })
  )
  reads(
    "an image among text, or a relative one",
    "a ![b](https://e.org/b)\n\n![c](c.png)",
    thing("a ![b](https://e.org/b)"),
    thing("![c](c.png)")
  )
})

describe("reference links", () => {
  reads(
    "full, collapsed and shortcut, before and behind their definitions",
    "a [b][C d] [c D][] [c d]!\n\n[c d]: <https://e.org/_x_> 'title'\n\n[c  D]",
    thing("a [b](https://e.org/_x_) [c D](https://e.org/_x_) [c d](https://e.org/_x_)!"),
    thing("c  D", { url: "https://e.org/_x_" })
  )
  reads(
    "in items, boxes, headings and quotes",
    "- [ ] [a][x]\n- [x] b [a]\n\n## c [a]\n\n> d [a]\n\n[a]: https://e.org\n[x]: https://e.net",
    todo("a", { url: "https://e.net" }),
    todo("b [a](https://e.org)", { completed: true }),
    header("c [a](https://e.org)"),
    thing("d [a](https://e.org)", { quote: true })
  )
  reads(
    "of images",
    "![a][p]\n\nb ![p] [![c][p]][p]\n\n[p]: https://e.org/p.png",
    thing("a", { type: "photo", photos: ["https://e.org/p.png"] }),
    thing("b ![p](https://e.org/p.png) [![c](https://e.org/p.png)](https://e.org/p.png)")
  )
  reads(
    "whose address must be encoded inside a text",
    "a [b] [c]\n\n[b]: <https://e.org/a b(c>\n[c]: https://e.org/a_(b)?c&amp=1",
    thing("a [b](https://e.org/a%20b%28c) [c](https://e.org/a_(b)?c&amp=1)")
  )
  reads(
    "not in code, escaped, without a definition or of footnotes",
    "`[a]` \\[a] [b] [c][b] [^1]\n\n[a]: https://e.org\n[^1]: https://e.org",
    thing("`[a]` [a] [b] [c][b] [^1]"),
    thing("[a]: https://e.org"),
    thing("[^1]: https://e.org")
  )
  reads(
    "not of footnotes, which are text",
    "a[^1] b[^n]\n\n[^1]: https://e.org\n[^n]: more",
    thing("a[^1] b[^n]"),
    thing("[^1]: https://e.org"),
    thing("[^n]: more")
  )
  reads("without an item that is only a definition", "- [a]: https://e.org\n- b [a]", bullet("b [a](https://e.org)"))
})

describe("inline markup", () => {
  reads("underscores", "__a__ _b_ __*c*__", thing("**a** *b* ***c***"))
  reads(
    "underscores that are not markup",
    'snake_case_name _ a_ https://e.org/_a_ `_b_` <i class="_c_">',
    thing('snake_case_name _ a_ https://e.org/_a_ `_b_` <i class="_c_">')
  )
  reads("underscores in an address", "see [_a_](https://e.org/_b_) now", thing("see [*a*](https://e.org/_b_) now"))
  reads(
    "the dialect of things unchanged",
    "**a** *b* ~~c~~ `d` [e](https://e.org) **f",
    thing("**a** *b* ~~c~~ `d` [e](https://e.org) **f")
  )
  reads(
    "escapes and references",
    "1\\. a \\_b\\_ &copy; &#35; &amp;lt; `\\_ &amp;` C:\\dir",
    thing("1. a _b_ © # &lt; `\\_ &amp;` C:\\dir")
  )
  reads("tags as text", "- [ ] a #tag", todo("a #tag"))
})

describe("notes and annotations", () => {
  reads(
    "a note fence below an item",
    "- [ ] a\n  ```note\n  b\n\n  - c\n  ```\n- d",
    todo("a", { note: "b\n\n- c" }),
    bullet("d")
  )
  reads("a note fence without an item as code", "```note\na\n```", thing("a", { code: true }))
  reads(
    "annotations in a comment",
    "- a <!-- lat: dash tabs=3 -->\n  - b\n\n### c <!-- lat: todo completed -->",
    bullet("a", { type: "dash", tabs: 3 }),
    bullet("b", { tabs: 4 }),
    subheader("c", { type: "todo", completed: true })
  )
  reads(
    "any other comment as text",
    "a <!-- lat: unknown -->\n\nb <!-- c -->",
    thing("a <!-- lat: unknown -->"),
    thing("b <!-- c -->")
  )
})

describe("pauses", () => {
  const pauses = (markdown: string) => [...parseSteps(markdown, { title: "none", max: 20_000 })].length
  it("come while lines are read, even if all of them are blank", () => {
    expect(pauses("\n".repeat(1_000_000))).toBeGreaterThan(25)
  })
  it("do not change the result: sections end between lines", () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `- item ${index}\r\n\t continued\r\n   \r\n`)
    const { items } = parseMarkdown(`${lines.join("")}last`, { title: "none" })
    expect(items).toStrictEqual([...lines.map((_, index) => bullet(`item ${index} continued`)), thing("last")])
  })
})

/** Documents that are designed to be slow to read, each of about `size` characters. */
export type Family = (size: number) => string

const repeat =
  (piece: string, before = "", after = ""): Family =>
  (size) =>
    before + piece.repeat(Math.ceil(size / piece.length)) + after

const counted =
  (piece: (at: number) => string): Family =>
  (size) => {
    const parts: Array<string> = []
    for (let length = 0; length < size; length += parts.at(-1)!.length) parts.push(piece(parts.length))
    return `${parts.join("")}\n`
  }

const stairs =
  (step: string, share = 1): Family =>
  (size) => {
    const lines: Array<string> = []
    for (let length = 0; length < size * share;) {
      const line = `${step.repeat(lines.length)}- a\n`
      lines.push(line)
      length += line.length
    }
    return lines.join("")
  }

const mixed =
  (...parts: ReadonlyArray<Family>): Family =>
  (size) =>
    parts.map((part) => part(size / parts.length)).join("")

export const documents: Readonly<Record<string, Family>> = {
  "quotes in quotes": repeat(">"),
  "spaced quotes in quotes": repeat("> "),
  "deep quote with lazy lines": repeat("b\n", `${">".repeat(2_000)}a\n`),
  "quotes and lists in turn": repeat("> - "),
  "bullets in bullets on one line": repeat("- ", "", "a"),
  "numbers in numbers on one line": repeat("1. ", "", "a"),
  "many nested lines": repeat(`${"- ".repeat(50)}a\n`),
  "lines nested as deep as can be": repeat(`${"- ".repeat(200)}a\n`),
  "numbers with bullets below": repeat("1. a\n  - b\n"),
  "bullets in one bullet": repeat("  - b\n", "- a\n"),
  "bullets in a quote": repeat("> - a\n"),
  "definitions in quotes": repeat("> [a]: b\n"),
  "an open title": repeat("x\n", '[a]: b\n"'),
  "open titles": repeat('[a]: b\n"x\n'),
  "references to one definition": repeat("[a] [b][a] ![a][] ", "[a]: b\n\n"),
  "references to a long address": repeat("[a] ", `[a]: ${"b".repeat(2_000)}\n\n`),
  "lines of references to a long address": repeat("[a]\n", `[a]: ${"b".repeat(2_000)}\n\n`),
  "rows of references to a long address": repeat("|[a]|\n", `[a]: ${"b".repeat(2_000)}\n\n|a|\n|-|\n`),
  "references to as many definitions": mixed(
    counted((at) => `- [a][${at}]\n`),
    counted((at) => `[${at}]: b\n`)
  ),

  "labels that never end": repeat(`[${"x".repeat(1_500)}`, "[a]: b\n\n"),
  "labels that never begin": repeat(`${"x".repeat(1_500)}]`, "[a]: b\n\n"),
  "labels in labels": mixed(() => "[a]: b\n\n", repeat("["), repeat("]")),
  "labels behind labels": repeat("[a][", "[a]: b\n\n"),
  "a table": repeat("| c | d |\n", "| a | b |\n|---|---|\n"),
  pipes: repeat("-|", "|\n"),
  "rows that divide": repeat("-|-\n"),
  "items that are indented too far": repeat("      - b\n", "- a\n"),
  "open processing instructions": repeat("<?\n"),
  "open CDATA": repeat("<![CDATA[\n"),
  "attributes of HTML": repeat(" b=", "<a"),
  stairs: stairs("  "),
  "stairs and blank lines": mixed(stairs("  "), repeat("\n"), () => "end"),
  "stairs and lazy lines": mixed(stairs("  "), repeat("b\n")),
  "stairs by tabs": stairs("\t"),
  "short bullets": repeat("- a\n"),
  "loose bullets": repeat("- a\n\n"),
  tasks: repeat("- [ ] buy milk\n"),
  "blank lines": repeat("\n", "- a\n", "end"),
  "lazy lines": repeat("a\n", "> a\n"),
  "one paragraph": repeat("word word\n"),
  paragraphs: repeat("word word\n\n"),
  "one word": repeat("a"),
  spaces: repeat(" ", "a", "b"),
  tabs: repeat("\t", "- a\n", "b"),
  "open fences": repeat("- ```\n"),
  fences: repeat("```\n"),
  "html lines": repeat("<a\n"),
  comments: repeat("<!--\n\n"),
  "setext headings": repeat("a\n=\n"),
  headings: repeat("## a\n"),
  rules: repeat("---\n"),
  definitions: repeat("[a]: b\n"),
  "hard breaks": repeat("a\\\n"),
  "backslash lines": repeat("\\\n"),
  annotations: repeat("- a <!-- lat: dash -->\n"),
  "half annotations": repeat("<!-- lat: ", "x ", " -->"),
  "images on one line": repeat("![](https://e.org) "),
  "images with texts": repeat("![a](https://e.org) "),
  references: repeat("&amp;"),
  "open references": repeat("&a"),
  "wrapped item": repeat("  b\n", "- a\n"),
  notes: repeat("- a\n  ```note\n  b\n  ```\n")
}

export const texts: Readonly<Record<string, Family>> = {
  "open brackets": repeat("["),
  "closed brackets": repeat("]"),
  "brackets in brackets": mixed(repeat("["), repeat("]")),
  "open links": repeat("[a]("),
  "open parentheses": repeat("(", "[a]"),
  "half links": repeat("]("),
  "half angle links": repeat("[a](<b"),
  "titles that never end": repeat('[a](b "c '),
  "titles of three kinds that never end": repeat("[a](b \"c [a](b 'c [a](b (c "),
  "links with titles": repeat('[a](b "c") '),
  "angle links with titles": repeat("[a](<b> 'c')"),
  "white space for titles": repeat(" ", "[a](b", '"c"'),
  links: repeat("[a](b)"),
  "image openers": repeat("![", "", "[a](b)"),
  "link in images": repeat("[a](b)", "![".repeat(2_000)),
  stars: repeat("*", "", "a"),
  "stars around a word": mixed(repeat("*"), () => "a", repeat("*")),
  "open italics": repeat("*a "),
  "closed italics": repeat("a* "),
  "open, then closed": mixed(repeat("*a "), repeat("a* ")),
  "open and closed in words": repeat("a**b"),
  "stars by threes": repeat("*a **b "),
  "mixed markers": repeat("*_"),
  "mixed markers in words": repeat("a*_~~ "),
  underscores: repeat("_", "", "a"),
  "underscored words": repeat("_a_ "),
  tildes: repeat("~~a"),
  backticks: repeat("`", "", "a"),
  "backtick runs that grow": (size) => {
    const runs: Array<string> = []
    for (let length = 0; length < size; length += runs.length + 2) runs.push("`".repeat(runs.length + 1))
    return runs.join("a")
  },
  code: repeat("`a` "),
  "code of two": repeat("``a` "),
  backslashes: repeat("\\"),
  "escaped markers": repeat("\\*"),
  "open tags": repeat("<a "),
  addresses: repeat("http://"),
  schemes: repeat("h"),
  emoji: repeat("😀*")
}

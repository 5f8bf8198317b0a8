import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { renderMarkdown } from "../../src/markdown/MarkdownExport.ts"
import { parseMarkdown } from "./ParseMarkdown.ts"
import { stored } from "./ThingArbitrary.ts"

const folder = new URL("../fixtures/documents/", import.meta.url)
const file = (name: string) => new URL(name, folder)

/** Lines that begin with a bullet, as a person would find the items of a list. */
const bulletLines = (markdown: string) => markdown.split("\n").filter((line) => /^\s*[-*] /.test(line))

describe("real documents", () => {
  for (const name of ["coding-interview-university.md", "awesome.md"]) {
    it(`${name} is the same after it is written and read again`, () => {
      const first = parseMarkdown(readFileSync(file(name), "utf8"), { title: "none" })
      const again = parseMarkdown(renderMarkdown({ title: "List" }, first.items.map(stored)), {
        title: "first-heading"
      })
      expect(again.items).toStrictEqual(first.items)
    })
  }

  it("the study plan is read with all of its boxes and bullets, in order", () => {
    const markdown = readFileSync(file("coding-interview-university.md"), "utf8")
    const { title, items } = parseMarkdown(markdown, { title: "first-heading" })
    const todos = items.filter((item) => item.type === "todo")
    expect(title).toBe("Coding Interview University")
    expect(todos.length).toBe(463)
    expect(todos.filter((item) => item.completed).length).toBe(0)
    const listed = items.filter((item) => item.type === "todo" || item.type === "bullet")
    const lines = bulletLines(markdown)
    expect(listed.length).toBe(lines.length)
    const bare = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "")
    for (const [index, line] of lines.entries()) {
      const item = listed[index]
      const source = bare(line.replace(/^\s*[-*] (?:\[ \] )?/, "").replaceAll("&ndash;", ""))
      expect(bare(`${item?.text}${item?.url}`).startsWith(source.slice(0, 15)), `${line} is ${item?.text}`).toBeTruthy()
    }
  })

  it("the curated list is read with every nested bullet at its depth", () => {
    const markdown = readFileSync(file("awesome.md"), "utf8")
    const { items } = parseMarkdown(markdown, { title: "none" })
    const depths = items.filter((item) => item.type === "bullet").map((item) => item.tabs)
    expect(depths).toStrictEqual(bulletLines(markdown).map((line) => (/^\s/.test(line) ? 1 : 0)))
  })
})

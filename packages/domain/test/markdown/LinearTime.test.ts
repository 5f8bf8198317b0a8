import { afterAll, describe, expect, it } from "@effect/vitest"
import { renderMarkdown } from "../../src/markdown/MarkdownExport.ts"
import { parseMarkdown } from "../../src/markdown/MarkdownImport.ts"
import { parseInline, plainText } from "../../src/markdown/TextMarkup.ts"
import { documents, type Family, texts } from "./Families.ts"
import { stored } from "./ThingArbitrary.ts"
import { makeWork } from "./Work.ts"

const work = makeWork()
afterAll(work.end)

/** Characters of the larger document; of a text that is hardly over its cap. */
const size = 16_000
/** What grows with the size takes 4 times the work of a quarter, what grows with its square 16 times. */
const limit = 5
/** Work that is done once a document. */
const once = 3_000

const isLinear = <A>(make: (size: number) => A, run: (input: A) => unknown): void => {
  const [quarter, whole] = [make(size / 4), make(size)]
  run(quarter)
  const [one, four] = [work.of(() => run(quarter)), work.of(() => run(whole))]
  expect(one).toBeGreaterThan(0)
  expect(four).toBeLessThanOrEqual(limit * one + once)
}

const parse = (markdown: string) => parseMarkdown(markdown, { title: "none" })
const things = (family: Family) => (length: number) => parse(family(length)).items.map(stored)

describe("work in proportion to the size", () => {
  it("is what is counted: the square of the size is not", () => {
    const squares = (length: number) => "- \n".repeat(length / 1_000)
    expect(() => isLinear(squares, (text) => Array.from(text, () => parse(text)))).toThrow()
  })
  for (const [name, family] of Object.entries({ ...documents, ...texts })) {
    it(`reads ${name}`, () => isLinear(family, parse))
    it(`writes ${name}`, () => isLinear(things(family), (items) => renderMarkdown({ title: "a" }, items)))
  }
  for (const [name, family] of Object.entries(texts)) {
    it(`strips ${name}`, () => isLinear(family, (text) => plainText(text, false)))
    it(`takes ${name} apart`, () => isLinear(family, parseInline))
    const one = (length: number) => [stored({ text: family(length), note: family(length), type: "todo" })]
    it(`writes a text of ${name}`, () => isLinear(one, (items) => renderMarkdown({ title: "a" }, items)))
  }
  it("writes things as deep as can be", () => {
    const deep = (length: number) =>
      Array.from({ length: length / 20 }, (_, index) => stored({ text: "a", tabs: index % 1_001 }))
    isLinear(deep, (items) => renderMarkdown({ title: "a" }, items))
  })
})

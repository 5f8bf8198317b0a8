import { afterAll, describe, expect, it } from "@effect/vitest"
import { renderMarkdown } from "../../src/markdown/MarkdownExport.ts"
import { parseMarkdown } from "./ParseMarkdown.ts"
import { parseInline, plainText } from "../../src/markdown/TextMarkup.ts"
import { documents, type Family, texts } from "./Families.ts"
import { stored } from "./ThingArbitrary.ts"
import { makeWork } from "./Work.ts"

const work = makeWork()
afterAll(work.end)

/** Characters of the larger document, or of a text, which is then slightly over its cap. */
const size = 16_000
/** Linear work is 4 times that of a quarter of the size, quadratic work 16 times. */
const limit = 5
/** Work that is done once per document. */
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
  it("is told apart from quadratic work by the count", () => {
    const squares = (length: number) => "- \n".repeat(length / 1_000)
    expect(() => isLinear(squares, (text) => Array.from(text, () => parse(text)))).toThrow()
  })
  for (const [name, family] of Object.entries({ ...documents, ...texts })) {
    it(`reads ${name}`, () => isLinear(family, parse))
    it(`writes ${name}`, () => isLinear(things(family), (items) => renderMarkdown({ title: "a" }, items)))
  }
  for (const [name, family] of Object.entries(texts)) {
    it(`strips ${name}`, () => isLinear(family, (text) => plainText(text, false)))
    it(`parses ${name}`, () => isLinear(family, parseInline))
    const one = (length: number) => [stored({ text: family(length), note: family(length), type: "todo" })]
    it(`writes a text of ${name}`, () => isLinear(one, (items) => renderMarkdown({ title: "a" }, items)))
  }
  it("writes things up to the deepest level", () => {
    const deep = (length: number) =>
      Array.from({ length: length / 20 }, (_, index) => stored({ text: "a", tabs: index % 1_001 }))
    isLinear(deep, (items) => renderMarkdown({ title: "a" }, items))
  })
})

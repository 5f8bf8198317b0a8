import { assert, describe, it } from "@effect/vitest"
import { renderMarkdown } from "../../src/markdown/MarkdownExport.ts"
import { parseMarkdown } from "../../src/markdown/MarkdownImport.ts"
import { parseInline, plainText } from "../../src/markdown/TextMarkup.ts"
import { documents, type Family, texts } from "./Families.ts"
import { stored } from "./ThingArbitrary.ts"

/** Characters of the larger document; LAT_LINEAR_SIZE=1000000 measures up to a megabyte. */
const size = Number(process.env["LAT_LINEAR_SIZE"] ?? 200_000)
/**
 * A document is measured against four of a quarter of its size, which make as much garbage. 2.5 times for every
 * doubling allows 6.25 / 4; on a machine that does other things at the same time it takes some more to tell it from
 * the 4 of what grows with the square.
 */
const limit = process.env["LAT_LINEAR_SIZE"] === undefined ? 2.5 : 2.5 ** 2 / 4
/** Below this many milliseconds a measurement says nothing: what grows with the square is far above. */
const noise = 60

const time = (run: () => unknown): number => {
  const start = performance.now()
  run()
  return performance.now() - start
}

/** The shortest of several attempts counts, since others may use the machine. */
const isLinear = <A>(make: (size: number) => A, run: (input: A) => unknown): void => {
  const [quarter, whole] = [make(size / 4), make(size)]
  let [four, one] = [Infinity, Infinity]
  for (let attempt = 0; attempt < 10; attempt++) {
    one = Math.min(
      one,
      time(() => run(whole))
    )
    if (one < noise) return
    four = Math.min(
      four,
      time(() => Array.from({ length: 4 }, () => run(quarter)))
    )
    if (one <= limit * four) return
  }
  assert.fail(`${four.toFixed(1)} ms for four quarters, ${one.toFixed(1)} ms for all of it at once`)
}

const parse = (markdown: string) => parseMarkdown(markdown, { title: "none" })
const things = (family: Family) => (length: number) => parse(family(length)).items.map(stored)

describe("linear time", { timeout: 60_000 }, () => {
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

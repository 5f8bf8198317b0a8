import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { renderSteps } from "../../src/markdown/MarkdownExport.ts"
import { parseSteps } from "../../src/markdown/MarkdownImport.ts"
import { markdownDrafts } from "../../src/things/MarkdownDrafts.ts"
import type { Steps } from "../../src/scheduling/Yielding.ts"
import { stored } from "./ThingArbitrary.ts"

const lines = (count: number, line = "- a\n") => line.repeat(count)
const refusal = (markdown: string) => Effect.flip(markdownDrafts(markdown, { title: "none" }))

describe("the things of one document", () => {
  it.effect("can be 20,000, not counting blank ones", () =>
    Effect.gen(function* () {
      const { drafts } = yield* markdownDrafts(`${lines(20_000)}-\n- [ ]\n`, { title: "none" })
      expect(drafts.length).toBe(20_002)
    })
  )
  for (const [name, markdown, said] of [
    ["with one item too many", lines(20_001), "20,001"],
    ["with one line of a paragraph too many", lines(20_001, "a\n"), "20,001"],
    ["with almost twice as many", lines(39_999), "39,999"],
    ["with more items than are counted", lines(200_000), "more than 40,000"],
    ["with too many below one item", `- a\n${lines(99_999, "  - b\n")}`, "more than 40,000"]
  ] as const)
    it.effect(`are refused in a document ${name}, with their number in the message`, () =>
      Effect.gen(function* () {
        const { field, reason } = yield* refusal(markdown)
        expect(field).toBe("markdown")
        expect(reason).toBe(`must bring at most 20,000 things, and this document brings ${said}`)
      })
    )
  it.effect("do not include a heading that repeats the given title", () =>
    Effect.gen(function* () {
      const { drafts } = yield* markdownDrafts(`# b\n${lines(20_000)}`, { title: "none", given: "b" })
      expect(drafts.length).toBe(20_000)
    })
  )
})

const stepsOf = (steps: Steps<unknown>): number => {
  let count = 0
  while (steps.next().done !== true) count++
  return count
}

describe("steps at which a conversion can yield", () => {
  const parse = (markdown: string) => stepsOf(parseSteps(markdown, { title: "none", max: 40_000 }))
  for (const [name, markdown, least] of [
    ["an item", lines(20_000), 20_000],
    ["a line", lines(20_000, "a\n"), 20_000],
    ["a line of HTML", `<p>\n${lines(20_000, "a\n")}`, 20_000],
    ["a paragraph", lines(20_000, "a\n\n"), 20_000],
    ["an item of a quote", lines(20_000, "> - a\n"), 20_000],
    ["a blank item", lines(1_000, `${"- ".repeat(200)}\n`), 20]
  ] as const)
    it(`reading: ${name}`, () => expect(parse(markdown)).toBeGreaterThanOrEqual(least))
  it("writing: a thing", () => {
    const things = Array.from({ length: 1_000 }, () => stored({ text: "a" }))
    expect(stepsOf(renderSteps({ title: "a" }, things))).toBe(1_000)
  })
})

import { expect, it } from "@effect/vitest"
import { tagCloud } from "../../src/pages/TagsHtml.ts"

it("the page of all tags takes one step per tag, and is in pieces when it is long", () => {
  const tags = Array.from({ length: 3_000 }, (_, at) => ({ name: `a & b ${at}`, count: at, color: "#2f9e79" }))
  const steps = tagCloud(tags)
  let [taken, step] = [0, steps.next()]
  for (; step.done !== true; step = steps.next()) taken++
  expect(taken).toBe(tags.length)
  expect(step.value.pieces.length).toBeGreaterThan(3)
  for (const piece of step.value.pieces) expect(piece.length).toBeLessThan(70_000)
  expect(step.value.text.split("<li>")).toHaveLength(tags.length + 1)
  expect(step.value.text).toContain('<a href="/tags?tag=a%20%26%20b%202999">')
  expect(step.value.text).toContain("<span>a &#38; b 2999</span>")
})

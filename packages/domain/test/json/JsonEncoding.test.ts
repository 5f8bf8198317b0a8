import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { jsonPieces, Shown } from "../../src/json/JsonEncoding.ts"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"

const written = (value: object) => runStepsSync(jsonPieces(value)).join("")

describe("JSON in pieces", () => {
  it("equals the result of JSON.stringify", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(written(value)).toBe(JSON.stringify(value))
      }),
      { seed: 11, numRuns: 500 }
    )
    expect(written({ left: undefined, out: 1 })).toBe('{"out":1}')
  })

  it("takes a step per item, and limits the length of a piece", () => {
    const items = Array.from({ length: 1_000 }, (_, at) => ({ at, text: "x".repeat(1_000) }))
    const work = jsonPieces({ items, whole: true })
    let steps = 0
    let step = work.next()
    for (; step.done !== true; step = work.next()) steps++
    expect(steps).toBe(1_000)
    expect(step.value.length).toBeGreaterThan(10)
    for (const piece of step.value) expect(piece.length).toBeLessThan(70_000)
    expect(step.value.join("")).toBe(JSON.stringify({ items, whole: true }))
  })

  it("converts an item only when it is written", () => {
    const shown: Array<number> = []
    const items = Shown.as([1, 2, 3], (item) => {
      shown.push(item)
      return { item, text: "x".repeat(item) }
    })
    const work = jsonPieces({ items, none: Shown.as([], () => 1) })
    work.next()
    expect(shown).toStrictEqual([1])
    const whole = '{"items":[{"item":1,"text":"x"},{"item":2,"text":"xx"},{"item":3,"text":"xxx"}],"none":[]}'
    let step = work.next()
    while (step.done !== true) step = work.next()
    expect(step.value.join("")).toBe(whole)
    expect(JSON.stringify({ items, none: Shown.as([], () => 1) })).toBe(whole)
  })
})

it("a long string is written in pieces, correct at any boundary, with yields in between", () => {
  for (const shift of ["", "a"]) {
    const text = `${shift}${'🦊\u0001"é'.repeat(100_000)}`
    const thing = { text: "b", note: text, tags: ["c"], url: undefined, photos: [] }
    const value = { title: "a", text, more: [1, thing, text, null], thing, states: [{ before: thing, after: {} }] }
    expect(written(value)).toBe(JSON.stringify(value))
  }
  const note = "n".repeat(1_000_000)
  for (const value of [{ note }, { thing: { note } }, { things: [{ note }] }, { entities: [{ before: { note } }] }])
    expect([...jsonPieces(value)].length, Object.keys(value)[0]).toBeGreaterThan(10)
})

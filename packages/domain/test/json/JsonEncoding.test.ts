import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { jsonPieces } from "../../src/json/JsonEncoding.ts"
import { runStepsSync } from "../../src/Yielding.ts"

const written = (value: object) => runStepsSync(jsonPieces(value)).join("")

describe("JSON in pieces", () => {
  it("is what JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        assert.strictEqual(written(value), JSON.stringify(value))
      }),
      { seed: 11, numRuns: 500 }
    )
    assert.strictEqual(written({ left: undefined, out: 1 }), '{"out":1}')
  })

  it("takes a step for each item, and cuts its pieces where they are long", () => {
    const items = Array.from({ length: 1_000 }, (_, at) => ({ at, text: "x".repeat(1_000) }))
    const work = jsonPieces({ items, whole: true })
    let steps = 0
    let step = work.next()
    for (; step.done !== true; step = work.next()) steps++
    assert.strictEqual(steps, 1_000)
    assert.isAbove(step.value.length, 10)
    for (const piece of step.value) assert.isBelow(piece.length, 70_000)
    assert.strictEqual(step.value.join(""), JSON.stringify({ items, whole: true }))
  })
})

import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { AccountId } from "../../src/model/Ids.ts"
import { listDocument } from "../../src/markdown/Document.ts"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"
import * as Fixtures from "@lists-and-things/testing/Fixtures"

const owner = AccountId.make(Fixtures.freshId())
const list = Fixtures.list(owner)

describe("a list as a document", () => {
  it("tells a text of several lines on one", () => {
    const texts = fc.array(fc.constantFrom("a", " ", "\n", "\r\n", "\t", "b", "\u2028"), { maxLength: 40 })
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join("")
        const lines = text.split("\n").map((each) => each.trim())
        const { text: told } = runStepsSync(
          listDocument(list, [Fixtures.thing(owner, list.id, { text, type: "none" })])
        )
        expect(told).toBe(lines.filter((each) => each !== "").join(" "))
      }),
      { seed: 11, numRuns: 500 }
    )
  })
})

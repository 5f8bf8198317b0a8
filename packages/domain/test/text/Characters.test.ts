import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { firstCharacters, truncate } from "../../src/text/Characters.ts"

const texts = fc.string({ unit: "binary", maxLength: 12 })
const counts = fc.integer({ min: 0, max: 14 })

describe("the first characters of a text", () => {
  it("are counted in code points", () =>
    fc.assert(
      fc.property(texts, counts, (text, most) => {
        const all = [...text]
        expect(firstCharacters(text, most)).toBe(all.slice(0, most).join(""))
        expect(truncate(text, most)).toBe(all.length <= most ? text : `${all.slice(0, most).join("")}…`)
      })
    ))
})

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasPart, idPart, idsFrom, shortId, shortLength } from "../../src/targets/ShortId.ts"

const id = "01a20280-199a-7979-bfe7-0afc843852f9"
const withBlock = (block: string): string => `${id.slice(0, 24)}${block}`

describe("a part of an id", () => {
  it("is the beginning of its last block, or its own with a dash", () => {
    for (const part of ["0afc", " 0AFC8 ", "0afc843852f9"]) {
      expect(hasPart(id, idPart(part)!)).toBe(true)
    }
    for (const part of ["01a20280-", "01A20280-199a", id.slice(0, 24), id.slice(0, 35)]) {
      expect(hasPart(id, idPart(part)!)).toBe(true)
    }
    expect(hasPart(id, "01a2")).toBe(false)
    expect(hasPart(id, "52f9")).toBe(false)
  })

  it("is nothing else", () => {
    for (const text of ["", "0af", "milk", "0afc 843", "0afc843852f90", "01a2-0280", "01a20280--", id])
      expect(idPart(text), text).toBeUndefined()
  })

  it("spans the ids that begin with it", () => {
    expect(idsFrom("01a20280-199a-7")).toStrictEqual([
      "01a20280-199a-7000-0000-000000000000",
      "01a20280-199a-7fff-ffff-ffffffffffff"
    ])
  })
})

describe("the length of short ids", () => {
  const lengthOf = (blocks: ReadonlyArray<string>, things = 0) => shortLength(blocks.map(withBlock), things)

  it.effect("is the least at which they differ, from 4 to 12", () =>
    Effect.gen(function* () {
      expect(yield* lengthOf([])).toBe(4)
      expect(yield* lengthOf(["0afc843852f9", "1afc843852f9"])).toBe(4)
      expect(yield* lengthOf(["0afc843852f9", "ffff00000000", "0afc853852f9"])).toBe(6)
      expect(yield* lengthOf(["0afc843852f9", "0afc843852f9"])).toBe(4)
      expect(yield* shortLength([id, `11a20280${id.slice(8)}`], 0)).toBe(12)
      expect(shortId(id, 6)).toBe("0afc84")
    })
  )

  it.effect("grows with the account", () =>
    Effect.gen(function* () {
      const lengths = yield* Effect.forEach([1, 256, 257, 4_096, 65_536, 1_000_000], (things) => lengthOf([], things))
      expect(lengths).toStrictEqual([4, 4, 5, 5, 6, 7])
    })
  )
})

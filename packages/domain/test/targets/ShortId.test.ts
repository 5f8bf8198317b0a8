import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasPart, idPart, idsFrom, isShorterThanShown, shortIdsOf } from "../../src/targets/ShortId.ts"

const id = "01a20280-199a-7979-bfe7-0afc843852f9"
const withBlock = (block: string): string => `${id.slice(0, 24)}${block}`

describe("a part of an id", () => {
  it("is the beginning of its last block, or of the whole id if it has a dash", () => {
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

it("a part is too short where the account's short ids are longer, unless it has a dash", () => {
  expect([256, 257].map((things) => isShorterThanShown("face", things))).toStrictEqual([false, true])
  expect(isShorterThanShown("faces", 257)).toBe(false)
  expect(isShorterThanShown("1a-", 257)).toBe(false)
})

describe("short ids", () => {
  const shortOf = (blocks: ReadonlyArray<string>, things = 0) =>
    Effect.map(shortIdsOf(blocks.map(withBlock), things), (short) => blocks.map((block) => short.get(withBlock(block))))

  it.effect("are the shortest that differ, with at least 4 characters", () =>
    Effect.gen(function* () {
      expect(yield* shortOf([])).toStrictEqual([])
      expect(yield* shortOf(["1afc843852f9", "0afc843852f9"])).toStrictEqual(["1afc", "0afc"])
      const alike = ["0afc853852f9", "ffff00000000", "0afc843852f9", "ffff00000000"]
      expect(yield* shortOf(alike)).toStrictEqual(["0afc85", "ffff", "0afc84", "ffff"])
    })
  )

  it.effect("are the whole last block if ids have the same one", () =>
    Effect.gen(function* () {
      const other = `11a20280${id.slice(8)}`
      expect([...(yield* shortIdsOf([id, other], 0)).values()]).toStrictEqual(["0afc843852f9", "0afc843852f9"])
    })
  )

  it.effect("grow with the number of things of the account", () =>
    Effect.gen(function* () {
      const sizes = [1, 256, 257, 4_096, 65_536, 1_000_000]
      const lengths = yield* Effect.forEach(sizes, (things) => shortOf(["0afc843852f9"], things))
      expect(lengths.map(([short]) => short!.length)).toStrictEqual([4, 4, 5, 5, 6, 7])
    })
  )
})

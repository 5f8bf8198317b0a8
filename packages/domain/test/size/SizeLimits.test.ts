import { describe, expect, it } from "@effect/vitest"
import { fitsWithin, overLimit } from "../../src/size/SizeLimits.ts"

const one = { things: 1, bytes: 1 }

describe("the refusal of a write that does not fit", () => {
  it.each([
    [one, { things: 1, bytes: 0 }, "This list can hold at most 1 thing: it has 1, and this would add 1"],
    [
      { things: 2, bytes: 2048 },
      { things: 0, bytes: 3000 },
      "This list can hold at most 2,048 bytes of texts, notes and addresses: it has 1 byte, and this would add 3,000"
    ],
    [
      one,
      { things: 0, bytes: 1 },
      "This list can hold at most 1 byte of texts, notes and addresses: it has 1 byte, and this would add 1"
    ]
  ])("counts one as one: %j, %j", (limit, growth, message) => {
    expect(overLimit("This list", limit, one, growth)?.message).toBe(message)
  })
})

describe("a write fits", () => {
  const limit = { things: 10, bytes: 100 }

  it("up to the limit, inclusive, of things and of bytes each", () => {
    const there = { things: 9, bytes: 99 }
    expect(fitsWithin(limit, there, one)).toBe(true)
    expect(fitsWithin(limit, there, { things: 2, bytes: 0 })).toBe(false)
    expect(fitsWithin(limit, there, { things: 0, bytes: 2 })).toBe(false)
  })

  it("where the list is over the limit already, if it does not grow in what is over", () => {
    const there = { things: 11, bytes: 50 }
    expect(fitsWithin(limit, there, { things: 0, bytes: 50 })).toBe(true)
    expect(fitsWithin(limit, there, { things: -1, bytes: 1 })).toBe(true)
    expect(fitsWithin(limit, there, { things: 1, bytes: 0 })).toBe(false)
  })
})

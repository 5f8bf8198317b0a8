import { describe, expect, it } from "@effect/vitest"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { overLimit } from "@lists-and-things/domain/size/SizeLimits"
import { exitCodeOf } from "../src/Failure.ts"

describe("the exit code", () => {
  it("is 2, wrong usage, for an invalid value", () =>
    expect(exitCodeOf(new InvalidInput({ field: "--tabs", reason: "must be a number" }))).toBe(2))

  it("is 1, a failure, for a full list", () => {
    const full = overLimit("The list", { things: 5, bytes: 100 }, { things: 5, bytes: 9 }, { things: 1, bytes: 1 })
    expect(full?._tag).toBe("InvalidInput")
    expect(exitCodeOf(full)).toBe(1)
  })
})

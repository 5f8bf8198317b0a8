import { describe, expect, it } from "@effect/vitest"
import { isIdForm } from "../../src/model/Ids.ts"
import { operationIdAt, writeTimestampOf } from "../../src/model/Operation.ts"
import { epoch, EpochMillis } from "../../src/model/EpochMillis.ts"

describe("the id of an operation", () => {
  const zeros = new Uint8Array(10)
  const ones = new Uint8Array(10).fill(255)

  it("is a UUIDv7 with the time of its write", () => {
    const at = EpochMillis(Date.UTC(2026, 10, 21, 12))
    expect(operationIdAt(at, zeros)).toBe("01a1fdfa-4600-7000-8000-000000000000")
    expect(operationIdAt(at, ones)).toBe("01a1fdfa-4600-7fff-bfff-ffffffffffff")
    expect(operationIdAt(epoch, ones)).toBe("00000000-0000-7fff-bfff-ffffffffffff")
  })

  it("can be parsed to the time of its write", () => {
    for (const at of [0, 1, 65_535, 65_536, Date.UTC(2026, 10, 21), 253_402_300_799_999].map((each) =>
      EpochMillis(each)
    )) {
      const id = operationIdAt(at, ones)
      expect(isIdForm(id)).toBe(true)
      expect(writeTimestampOf(id)).toBe(at)
    }
    for (const malformed of ["", "no-id", "019AA667-9600-7000-8000-000000000000"])
      expect(writeTimestampOf(malformed)).toBeUndefined()
  })

  it("sorts by the time of its write", () => {
    expect(operationIdAt(EpochMillis(1_000), ones) < operationIdAt(EpochMillis(1_001), zeros)).toBe(true)
  })
})

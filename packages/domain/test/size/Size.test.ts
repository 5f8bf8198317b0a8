import { describe, expect, it, vi } from "@effect/vitest"
import { AccountId } from "../../src/model/Ids.ts"
import { growthOf, sizeOf } from "../../src/model/Size.ts"
import * as Fixtures from "@lists-and-things/testing/Fixtures"

const owner = AccountId.make(Fixtures.freshId())
const { id } = Fixtures.list(owner)

describe("the growth of lists", () => {
  it("is the difference in the size of their things", () => {
    const before = ["a", "ä".repeat(300)].map((text) => Fixtures.thing(owner, id, { text }))
    const after = [...before, Fixtures.thing(owner, id, { text: "ä".repeat(300), note: "n" })]
    expect([...growthOf(before, after)]).toStrictEqual([[id, sizeOf(after[2]!)]])
  })

  it("reads a note that many linked copies share only once", () => {
    const note = "n".repeat(10_000)
    const copies = Array.from({ length: 50 }, () => Fixtures.thing(owner, id, { note }))
    const looks = vi.spyOn(String.prototype, "charCodeAt")
    const growth = growthOf([], copies)
    const looked = looks.mock.calls.length
    looks.mockRestore()
    expect(looked).toBeLessThanOrEqual(12_000)
    expect(growth.get(id)?.bytes).toBe(copies.length * sizeOf(copies[0]!).bytes)
  })
})

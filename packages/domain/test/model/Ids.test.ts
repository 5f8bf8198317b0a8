import { expect, it } from "@effect/vitest"
import { isIdForm, risingId } from "../../src/model/Ids.ts"

const end = "-8000-0afc843852f9"

it("an id that sorts after the last one is used unchanged", () => {
  const fresh = `01a20280-199b-7000${end}`
  expect(risingId("01a20280-199a-7fff-bfe7-0afc843852f9", fresh)).toBe(fresh)
  expect(risingId("", fresh)).toBe(fresh)
})

it.each([
  ["within the same millisecond", "01a20280-199a-7979-bfe7-ffffffffffff", "01a20280-199a-797a"],
  ["when the millisecond is full", "01a20280-199a-7fff-bfe7-ffffffffffff", "01a20280-199b-7000"],
  ["when the time carries over", "01a2ffff-ffff-7fff-bfe7-ffffffffffff", "01a30000-0000-7000"],
  ["after a clock went back", "02000000-0000-7000-bfe7-ffffffffffff", "02000000-0000-7001"]
])("an id that does not, %s, becomes the next in order with its own random end", (_, last, ordered) => {
  const next = risingId(last, `01a20280-199a-7001${end}`)
  expect(next).toBe(ordered + end)
  expect([next > last, isIdForm(next)]).toStrictEqual([true, true])
})

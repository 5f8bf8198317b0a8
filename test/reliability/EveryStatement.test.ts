import { expect, it } from "@effect/vitest"
import { cutAroundCommit, failEveryStatement, faults } from "./EveryStatement.ts"

it("an operation any of whose statements fails is done completely or not at all, and leaks no connection", async () => {
  const ended = await failEveryStatement((at) => (at % 10 === 3 ? [faults[at % faults.length]!] : []))
  // The share of each outcome depends on the sampled statements; both outcomes occur.
  expect(ended["503 before"]).toBeGreaterThan(2)
  expect(Object.keys(ended).some((kind) => kind.startsWith("20"))).toBe(true)
})

it("a connection cut around COMMIT gives an unknown outcome; a repetition with the key has one effect", async () => {
  expect(await cutAroundCommit(1)).toStrictEqual({ "cut-before": 1, "cut-after": 1 })
})

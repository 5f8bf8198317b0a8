import { expect, it } from "@effect/vitest"
import { cutAroundCommit, failEveryStatement, faults } from "./EveryStatement.ts"

it("an operation is done completely or not at all, whichever statement fails, and leaks no connection", async () => {
  const ended = await failEveryStatement((at) => [faults[at % faults.length]!])
  expect(ended["503 before"]).toBeGreaterThan(20)
  expect(Object.keys(ended).some((kind) => kind.startsWith("20"))).toBe(true)
}, 600_000)

it("a connection cut around COMMIT gives an unknown outcome, in each of five rounds", async () => {
  expect(await cutAroundCommit(5)).toStrictEqual({ "cut-before": 5, "cut-after": 5 })
})

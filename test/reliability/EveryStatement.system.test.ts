import { expect, it } from "@effect/vitest"
import { cutAroundCommit, failEveryStatement, faults } from "./EveryStatement.ts"

it("every statement of every operation may fail: all of it or nothing, and no connection is lost", async () => {
  const ended = await failEveryStatement((at) => [faults[at % faults.length]!])
  expect(ended["503 before"]).toBeGreaterThan(20)
  expect(Object.keys(ended).some((kind) => kind.startsWith("20"))).toBe(true)
}, 600_000)

it("a connection cut around COMMIT is an unknown outcome, five times", async () => {
  expect(await cutAroundCommit(5)).toStrictEqual({ "cut-before": 5, "cut-after": 5 })
})

import { expect, it } from "vitest"
import { cutAroundCommit, failEveryStatement, faults } from "./EveryStatement.ts"

it("any statement of any operation may fail: all of it or nothing, and no connection is lost", async () => {
  const ended = await failEveryStatement((at) => [faults[at % faults.length]!])
  console.info("every statement", ended)
  expect(ended["503 before"]).toBeGreaterThan(20)
  expect(Object.keys(ended).some((kind) => kind.startsWith("20"))).toBe(true)
})

it("a connection cut around COMMIT is an unknown outcome, and a repetition with the key has one effect", async () => {
  expect(await cutAroundCommit(2)).toStrictEqual({ "cut-before": 2, "cut-after": 2 })
})

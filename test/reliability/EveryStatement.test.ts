import { expect, it } from "@effect/vitest"
import { cutAroundCommit, failEveryStatement, faults } from "./EveryStatement.ts"

it("any statement of any operation may fail: all of it or nothing, and no connection is lost", async () => {
  const ended = await failEveryStatement((at) => (at % 10 === 3 ? [faults[at % faults.length]!] : []))
  // How many of the sample end in either way follows from where its statements fall; both ways are seen.
  expect(ended["503 before"]).toBeGreaterThan(2)
  expect(Object.keys(ended).some((kind) => kind.startsWith("20"))).toBe(true)
})

it("a connection cut around COMMIT is an unknown outcome, and a repetition with the key has one effect", async () => {
  expect(await cutAroundCommit(1)).toStrictEqual({ "cut-before": 1, "cut-after": 1 })
})

import { describe, expect, it } from "@effect/vitest"
import { comeBack, dumpOfStandby, failOver } from "../reliability/Failover.ts"

describe("a failover from a primary that is killed under load", () => {
  it("loses no acknowledged write if the standby is synchronous", async () => {
    const { ended, gaps, lost, otherStatuses } = await failOver({ synchronous: true })
    expect(lost).toBe(0)
    expect(gaps).toBe(0)
    expect(ended).toBe(0)
    expect([...otherStatuses]).toStrictEqual([503])
  })

  it("loses acknowledged writes if the standby is asynchronous, which this test detects", async () => {
    const { lost, otherStatuses } = await failOver({ synchronous: false })
    expect(lost).toBeGreaterThan(0)
    expect([...otherStatuses]).toStrictEqual([503])
  })
})

describe("a former primary that still accepts writes", () => {
  it("is not used by a program that starts, and is named in its log", async () => {
    const { inUse, others, promoted, said, stale } = await comeBack()
    expect([inUse, others]).toStrictEqual([promoted, [stale]])
    expect(said).toContain(`The database at ${stale} accepts writes and is not used, since ${promoted} is.`)
  })
})

describe("a standby", () => {
  it("is dumped without the counts of keys, which it cannot read and a load does without", async () => {
    const counts = await dumpOfStandby()
    expect(counts["accounts"]).toBe(1)
    expect(counts["api_keys"]).toBeGreaterThan(0)
    expect(counts).not.toHaveProperty("key_counts")
  })
})

import { describe, expect, it } from "@effect/vitest"
import { comeBack, failOver } from "../reliability/Failover.ts"

describe("a primary that is killed under load, and a standby that is promoted", () => {
  it("loses nothing that was acknowledged when the standby is synchronous", async () => {
    const { ended, gaps, lost, otherStatuses } = await failOver({ synchronous: true })
    expect(lost).toBe(0)
    expect(gaps).toBe(0)
    expect(ended).toBe(0)
    expect([...otherStatuses]).toStrictEqual([503])
  })

  it("loses some when it is not, which this test sees", async () => {
    const { lost, otherStatuses } = await failOver({ synchronous: false })
    expect(lost).toBeGreaterThan(0)
    expect([...otherStatuses]).toStrictEqual([503])
  })
})

describe("a former primary that comes back and accepts writes, too", () => {
  it("is not used, also by who starts then, and is named", async () => {
    const { inUse, others, promoted, said, stale } = await comeBack()
    expect([inUse, others]).toStrictEqual([promoted, [stale]])
    expect(said).toContain(`The database at ${stale} accepts writes and is not used, since ${promoted} is.`)
  })
})

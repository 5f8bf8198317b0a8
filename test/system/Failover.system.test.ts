import { describe, expect, it } from "@effect/vitest"
import { failOver } from "../reliability/Failover.ts"

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

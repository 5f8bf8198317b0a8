import { describe, expect, it } from "@effect/vitest"
import { killedInBulk, lostInCrashes, restarted } from "./Durability.ts"

/** Attempts, ten milliseconds apart: far fewer than fit in the second that is promised, which the soak measures. */
const fewRefusals = 30

describe("what was acknowledged", () => {
  it("is there with its operation after PostgreSQL was killed under load", async () => {
    const { acknowledged, lost, recoveries, torn } = await lostInCrashes({ crashes: 2, writes: 150 })
    expect(acknowledged).toBeGreaterThanOrEqual(300)
    expect(lost).toBe(0)
    expect(torn).toBe(0)
    for (const { refused } of recoveries) expect(refused).toBeLessThan(fewRefusals)
  })

  it("is missed by the same test where commits do not wait for the disk", async () => {
    const { lost, torn } = await lostInCrashes({ crashes: 1, writes: 200, waitsForDisk: false })
    expect(lost).toBeGreaterThan(0)
    expect(torn).toBe(0)
  })
})

describe("a call of 500 items whose server is killed", () => {
  it("has written all of them and their operation, or none", async () => {
    const found = await killedInBulk(3)
    for (const rows of found.keys()) expect([0, 500]).toContain(rows)
  })
})

describe("PostgreSQL restarted", () => {
  it("is used again at once, and 503 until then", async () => {
    for (const { refused } of await restarted(2)) expect(refused).toBeLessThan(fewRefusals)
  })
})

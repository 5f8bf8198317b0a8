import { describe, expect, it } from "@effect/vitest"
import { killedInBulk, lostInCrashes, restarted } from "./Durability.ts"

/** Attempts 10 ms apart, far fewer than fit in the promised second, which the soak measures. */
const fewRefusals = 30

describe("an acknowledged write", () => {
  it("is stored with its operation after PostgreSQL is killed under load", async () => {
    const { acknowledged, lost, recoveries, torn } = await lostInCrashes({ crashes: 2, writes: 150 })
    expect(acknowledged).toBeGreaterThanOrEqual(300)
    expect(lost).toBe(0)
    expect(torn).toBe(0)
    for (const { refused } of recoveries) expect(refused).toBeLessThan(fewRefusals)
  })

  it("is lost if commits do not wait for the disk, which this test detects", async () => {
    const { lost, torn } = await lostInCrashes({ crashes: 1, writes: 200, waitsForDisk: false })
    expect(lost).toBeGreaterThan(0)
    expect(torn).toBe(0)
  })
})

describe("a bulk call whose server is killed", () => {
  it("has written all 500 items with their operation, or nothing", async () => {
    const found = await killedInBulk(3)
    for (const rows of found.keys()) expect([0, 500]).toContain(rows)
  })
})

describe("PostgreSQL that is restarted", () => {
  it("is used again at once", async () => {
    for (const { refused } of await restarted(2)) expect(refused).toBeLessThan(fewRefusals)
  })
})

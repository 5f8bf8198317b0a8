import { describe, expect, it } from "@effect/vitest"
import { killedInBulk, lostInCrashes, restarted } from "./Durability.ts"

describe("what was acknowledged", () => {
  it("is there with its operation after PostgreSQL was killed under load", async () => {
    const { acknowledged, lost, recoveries, torn } = await lostInCrashes({ crashes: 2, writes: 150 })
    expect(acknowledged).toBeGreaterThanOrEqual(300)
    expect(lost).toBe(0)
    expect(torn).toBe(0)
    for (const millis of recoveries) expect(millis).toBeLessThan(1_000)
  })

  it("is missed by the same test where commits do not wait for the disk", async () => {
    const settings = ["synchronous_commit=off", "wal_writer_delay=10000"]
    const { lost, torn } = await lostInCrashes({ crashes: 1, writes: 200, settings })
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
  it("is used again within a second, and 503 until then", async () => {
    for (const millis of await restarted(2)) expect(millis).toBeLessThan(1_000)
  })
})

import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { boundsUnderLoad } from "../test/reliability/Bounds.ts"
import { killedInBulk, lostInCrashes, restarted } from "../test/reliability/Durability.ts"
import { cutAroundCommit, failEveryStatement, faults } from "../test/reliability/EveryStatement.ts"
import { failOver } from "../test/reliability/Failover.ts"
import { freezes } from "../test/reliability/Freeze.ts"
import { launch } from "../test/reliability/Installation.ts"

/**
 * The long versions of the fault tests, each with its count: `npm run soak -- --only=crashes,kills --crashes=20`. Exits
 * with 1 when a promise is broken.
 */
const { values } = parseArgs({
  options: {
    only: {
      type: "string",
      default: "crashes,control,kills,failover,statements,commits,restarts,start,requests,bounds,freeze"
    },
    crashes: { type: "string", default: "20" },
    writes: { type: "string", default: "1500" },
    kills: { type: "string", default: "100" },
    failovers: { type: "string", default: "3" },
    commits: { type: "string", default: "20" },
    restarts: { type: "string", default: "10" },
    requests: { type: "string", default: "50000" },
    minutes: { type: "string", default: "60" },
    rate: { type: "string", default: "100" },
    match: { type: "string", default: "" }
  }
})
const root = join(import.meta.dirname, "..")
const [crashes, writes] = [Number(values.crashes), Number(values.writes)]

const runs: Record<string, () => Promise<unknown>> = {
  crashes: async () => {
    const { acknowledged, lost, recoveries, torn } = await lostInCrashes({ crashes, writes })
    assert.equal(lost, 0)
    assert.equal(torn, 0)
    return {
      acknowledged,
      lost,
      torn,
      slowestRecovery: Math.round(Math.max(...recoveries.map(({ millis }) => millis)))
    }
  },
  control: async () => {
    const { acknowledged, lost } = await lostInCrashes({ crashes: 2, writes, waitsForDisk: false })
    assert.ok(lost > 0)
    return { acknowledged, lost }
  },
  kills: async () => {
    const found = Object.fromEntries(await killedInBulk(Number(values.kills)))
    assert.ok(Object.keys(found).every((rows) => rows === "0" || rows === "500"))
    return found
  },
  failover: async () => {
    const seconds: Array<number> = []
    let total = 0
    for (let turn = 0; turn < Number(values.failovers); turn++) {
      const { acknowledged, ended, firstSuccess, gaps, lost, otherStatuses } = await failOver({ synchronous: true })
      assert.deepEqual(
        { ended, gaps, lost, statuses: [...otherStatuses] },
        { ended: 0, gaps: 0, lost: 0, statuses: [503] }
      )
      assert.ok(firstSuccess < 5_000)
      seconds.push(Math.round(firstSuccess) / 1_000)
      total += acknowledged
    }
    return { acknowledged: total, lost: 0, secondsFromPromotionToFirstSuccess: seconds }
  },
  statements: () => failEveryStatement(() => faults),
  commits: () => cutAroundCommit(Number(values.commits)),
  restarts: async () => {
    const delays = (await restarted(Number(values.restarts))).map(({ millis }) => Math.round(millis))
    assert.ok(Math.max(...delays) < 1_000)
    return delays
  },
  start: async () => {
    const from = performance.now()
    const host = launch("postgres://nobody:not-checked-here@127.0.0.1:1/none")
    const code = await host.ended
    const lines = host.err().trim().split("\n")
    assert.equal(code, 1)
    assert.ok(!host.err().includes("not-checked-here"))
    return { seconds: Math.round((performance.now() - from) / 1_000), lines: lines.length, last: lines.at(-1) }
  },
  requests: async () => {
    const vitest = join(root, "node_modules/.bin/vitest")
    const files = ["test/reliability/Generated.test.ts", "test/reliability/Framing.test.ts"]
    const env = { ...process.env, LAT_SOAK: "1", LAT_SOAK_REQUESTS: values.requests }
    const child = spawn(vitest, ["run", ...files], { cwd: root, env, stdio: "inherit" })
    const [code] = (await once(child, "exit")) as [number | null]
    assert.equal(code, 0)
    return values.requests
  },
  bounds: async () => {
    const bounds = await boundsUnderLoad(Math.round(Number(values.minutes) * 60), Number(values.rate))
    assert.equal(bounds.requests["500"], undefined)

    assert.ok(bounds.late.files <= bounds.early.files + 20)
    assert.ok(bounds.late.connections <= 18)
    assert.ok(bounds.late.rssMiB < bounds.early.rssMiB * 1.5 + 50)
    return bounds
  },
  freeze: async () => {
    const found = await freezes(new RegExp(values.match))
    console.table(found)
    assert.deepEqual(
      found.filter(({ status, turn }) => status >= 500 || turn > 200),
      []
    )
    return `${found.length} requests`
  }
}

let isWhole = true
for (const name of values.only.split(",")) {
  const run = runs[name]
  if (run === undefined) throw new Error(`${name} is none of ${Object.keys(runs).join(", ")}`)
  const from = performance.now()
  try {
    const result = await run()
    console.info(`${name}: kept (${Math.round((performance.now() - from) / 1_000)} s)`, result)
  } catch (error) {
    isWhole = false
    console.error(`${name}: BROKEN`, error)
  }
}
process.exit(isWhole ? 0 : 1)

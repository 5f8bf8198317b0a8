import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Patterns that make a test depend on the speed or load of the machine, or on chance. */
const forbidden: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bperformance\.now\b|\bhrtime\b|\bDate\.now\b/, "reads the clock: assert order, state or counted work"],
  [/\bcpuUsage\b|\bmemoryUsage\b/, "measures the processor or the heap: count what is done or kept"],
  [
    /\bsetTimeout\b|\btimers\/promises\b|\bEffect\.sleep\b/,
    "sleeps: wait for a state (@lists-and-things/testing/Until), a Deferred or a line"
  ],
  [
    /\bfrom "(?:vitest|node:assert.*)"/,
    "uses another test library: import from @effect/vitest, and assert with expect"
  ],
  [/\bMath\.random\b/, "is left to chance: count, or let fast-check generate from the seed"]
]

/** Files that are exempt, each with the reason. */
const allowed: Readonly<Record<string, string>> = {
  "packages/domain/test/webhooks/Deliveries.test.ts": "sleeps on a simulated clock, as a receiver that is slow",
  "test/webhooks/Receiver.ts": "a receiver that is slow on purpose",
  "test/webhooks/Examples.test.ts": "receivers refuse signatures of another time",
  "test/webhooks/Sharing.ts": "servers in other processes announce by the real clock",
  "test/webhooks/Transport.test.ts": "another library refuses signatures of another time",
  "packages/testing/src/Until.ts": "the one place that polls",
  "packages/domain/test/scheduling/Yielding.test.ts": "long work must let timers run; only their order counts",
  "packages/storage-pg/test/embedded/Participants.ts":
    "waits for what must not happen: the restart of a stopped server",
  "packages/storage-pg/test/explain/Report.ts": "a report of plans, not a test",
  "test/reliability/Bounds.ts": "the soak's load, which is a rate",
  "test/reliability/Durability.ts": "the soak's times, which docs/reliability.md promises",
  "test/reliability/EveryStatement.ts": "the soak runs it too, where there is no vitest",
  "test/reliability/Failover.ts": "the soak's time, which docs/reliability.md promises",
  "test/reliability/FaultProxy.ts": "a slow network",
  "test/reliability/Freeze.ts": "the soak's measurement of how long others wait",
  "test/start/Start.system.test.ts": "a start gives up after thirty seconds"
}

interface Finding {
  readonly file: string
  readonly line: number
  readonly why: string
}

const findings = (file: string): ReadonlyArray<Finding> =>
  readFileSync(`${root}${file}`, "utf8")
    .split("\n")
    .flatMap((text, at) =>
      forbidden.flatMap(([pattern, why]) => (pattern.test(text) ? [{ file, line: at + 1, why }] : []))
    )

const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

const places = [
  "packages/*/test/**/*.ts",
  "packages/testing/src/**/*.ts",
  "packages/*/src/testing/**/*.ts",
  "test/**/*.ts"
]
const files = globSync(places, { cwd: root, exclude: ["**/node_modules/**", "test/fixtures/**"] })
const found = new Map(files.map((file) => [file, findings(file)]))
const refused = [...found].flatMap(([file, each]) => (file in allowed ? [] : each))
for (const { file, line, why } of refused) console.error(`${file}:${line} ${why}`)
if (refused.length > 0) fail(`${refused.length} lines of tests depend on the machine or on chance.`)
if (files.length < 80) fail(`Only ${files.length} files were looked at.`)
for (const file of Object.keys(allowed))
  if ((found.get(file)?.length ?? 0) === 0) fail(`${file} needs no exception any more: take it out of check-tests.ts.`)

const caught = new Set(findings("test/fixtures/clock/Slow.ts").map(({ why }) => why))
for (const [, why] of forbidden) if (!caught.has(why)) fail(`The fixture ${why}, and the check did not notice.`)

console.log(`No test depends on the clock or on chance in ${files.length} files; the fixture's violations were caught.`)

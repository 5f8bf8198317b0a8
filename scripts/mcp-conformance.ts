import { spawn } from "node:child_process"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startServer } from "../test/mcp/McpServer.ts"
import { startWithToken } from "../test/mcp/WithToken.ts"

/**
 * Runs the protocol's conformance suite against a server over the memory adapter, in both generations. Expected
 * failures are listed in test/mcp/conformance-<revision>.yaml, with reasons; any other failure fails the run.
 */
const root = join(import.meta.dirname, "..")
const revisions = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ["2025-11-25", "2026-07-28"]

const conformance = (url: string, revision: string, results: string): Promise<number> =>
  new Promise((resolve) => {
    const baseline = join(root, `test/mcp/conformance-${revision}.yaml`)
    const child = spawn(
      join(root, "node_modules/.bin/conformance"),
      ["server", "--url", url, "--requirements", revision, "--expected-failures", baseline, "-o", results],
      { stdio: "inherit" }
    )
    child.once("exit", (code) => resolve(code ?? 1))
  })

/** Whether a scenario of the baseline has failures beyond those that need the suite's own tools. */
const failuresOf = async (results: string, scenario: string): Promise<boolean> => {
  const names = (await readdir(results)).filter((name) => name.startsWith(`server-${scenario}-`))
  const checks = await Promise.all(names.map((name) => readFile(join(results, name, "checks.json"), "utf8")))
  const failures = checks
    .flatMap(
      (text) => JSON.parse(text) as ReadonlyArray<{ id: string; status: string; details?: { untestable?: boolean } }>
    )
    .filter(({ status, details }) => status === "FAILURE" && details?.untestable !== true)
  for (const { id } of failures) console.error(`${scenario}: ${id} fails`)
  return failures.length > 0
}

const server = await startServer()
const results = await mkdtemp(join(tmpdir(), "lat-conformance-"))
let failed = false
for (const revision of revisions) {
  const { token } = await server.person({ rateLimit: 100_000 })
  const proxy = await startWithToken(server.url, token)
  failed = (await conformance(`${proxy.url}/mcp`, revision, results)) !== 0 || failed
  await proxy.stop()
  failed = (await failuresOf(results, "server-stateless")) || failed
}
await server.stop()
await rm(results, { recursive: true, force: true })
process.exitCode = failed ? 1 : 0

import { expect, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const isRoot = process.geteuid?.() === 0
if (!isRoot) process.stderr.write("NOT TESTED: lock files that name another user's process, since this is not root.\n")

const user = 4_242

/** Prints the state of a data folder as that user sees it. */
const script = `
const [module, dataDir, user] = process.argv.slice(1)
const [{ Effect }, { status }] = await Promise.all([import("effect"), import(module)])
process.setgroups([])
process.setgid(Number(user))
process.setuid(Number(user))
process.stdout.write(JSON.stringify(await Effect.runPromise(status(dataDir))))
`

it.runIf(isRoot)("takes no server of another user for its own, as a lock file left by a crash may say", async () => {
  const parent = mkdtempSync(join(tmpdir(), "lat-postmaster-"))
  chmodSync(parent, 0o755)
  const program = join(parent, "postgres")
  symlinkSync("/bin/sleep", program)
  const other = spawn(program, ["600"], { stdio: "ignore" })
  await once(other, "spawn")
  const dataDir = join(parent, "data")
  for (const path of [dataDir, join(dataDir, "postgres"), join(dataDir, "postgres", "data")]) {
    mkdirSync(path, { mode: 0o700 })
    chownSync(path, user, user)
  }
  const lockFile = join(dataDir, "postgres", "data", "postmaster.pid")
  writeFileSync(lockFile, `${other.pid}\n${join(dataDir, "postgres", "data")}\n1\n5432\n../run\n\n`)
  chownSync(lockFile, user, user)
  const module = join(import.meta.dirname, "../src/embedded/EmbeddedPostgres.ts")
  const args = ["--input-type=module", "-e", script, module, dataDir, String(user)]
  const state: unknown = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }))
  expect(state).toMatchObject({ created: true, running: false, pid: null })
  other.kill("SIGKILL")
  rmSync(parent, { recursive: true })
})

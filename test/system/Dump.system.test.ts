import { startTestPostgres, type TestServer } from "@lists-and-things/storage-pg/testing/TestServer"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Redacted } from "effect"
import { execFile, execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { root } from "./Release.ts"

const folder = mkdtempSync(join(tmpdir(), "lat-dump-"))
let servers: Readonly<Record<15 | 18, TestServer>>
beforeAll(async () => {
  const settings = ["fsync=off"]
  servers = {
    15: await startTestPostgres({ version: 15, settings }),
    18: await startTestPostgres({ version: 18, settings })
  }
})
afterAll(async () => {
  for (const server of Object.values(servers)) await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const environmentOf = (server: TestServer, database: string) => {
  const { HOME = "", PATH = "" } = process.env
  return { HOME, PATH, DATABASE_URL: Redacted.value(server.url(database)) }
}

const program = join(root, "bin/lat.mjs")

const lat = (server: TestServer, database: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, [program, ...args], {
    env: environmentOf(server, database),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"]
  })

/** Creates an installation with a history; returns its export. */
const fill = (server: TestServer, database: string): string => {
  lat(server, database, "account", "create", "--email", "ann@example.com")
  lat(server, database, "list", "create", "Trip to Lisbon")
  for (const text of ["pack", "book the flight", "naïve 🚂"])
    lat(server, database, "thing", "add", text, "--list", "Trip to Lisbon")
  return exported(server, database)
}

const exported = (server: TestServer, database: string): string => {
  const out = join(folder, `${database}-${server.version}`)
  lat(server, database, "export", "--account", "ann@example.com", "--out", out)
  return execFileSync("cat", [join(out, "ann@example.com.json")], { encoding: "utf8" }).replace(
    /"exported": "[^"]*"/,
    ""
  )
}

describe.each([
  [15, 18],
  [18, 15]
] as const)("a dump of PostgreSQL %i", (from, to) => {
  it(`loads into PostgreSQL ${to} from a file that only its owner can read`, async () => {
    const [source, target] = [servers[from], servers[to]]
    await source.createDatabase("source")
    await target.createDatabase("target")
    const before = fill(source, "source")
    const file = join(folder, `${from}.dump`)
    expect(lat(source, "source", "db", "dump", file)).toBe(`Wrote 1 account, 1 list and 3 things to ${file}.\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(lat(target, "target", "db", "load", file)).toBe(`Loaded 1 account, 1 list and 3 things from ${file}.\n`)
    expect(exported(target, "target")).toBe(before)
    expect(lat(target, "target", "history")).toBe(lat(source, "source", "history"))
    expect(lat(target, "target", "undo", "--yes")).not.toBe("")
    expect(() => lat(target, "target", "db", "load", file)).toThrow(/accounts already/)
  })

  it(`loads into PostgreSQL ${to} through a pipe`, async () => {
    await servers[to].createDatabase("piped")
    const node = `${process.execPath} ${program}`
    const { DATABASE_URL, ...env } = environmentOf(servers[from], "source")
    const command = `DATABASE_URL='${DATABASE_URL}' ${node} db dump - | DATABASE_URL='${Redacted.value(servers[to].url("piped"))}' ${node} db load - --json`
    const { stdout } = await promisify(execFile)("bash", ["-o", "pipefail", "-c", command], { env })
    expect(JSON.parse(stdout)).toMatchObject({ rows: { accounts: 1, lists: 1, things: 3 } })
  })
})

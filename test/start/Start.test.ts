import { execFileSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "@lists-and-things/testing/Until"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { isAlive } from "@lists-and-things/storage-pg/embedded/ProcessState"
import { Installation, latHttp, type Program } from "./Programs.ts"

const { version: packageVersion } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")
) as { readonly version: string }

const nobody = 65_534

const end = async (program: Program): Promise<number | null> => {
  program.child.kill("SIGTERM")
  return program.ended
}

const titles = async (url: string, token: string): Promise<ReadonlyArray<string>> => {
  const response = await fetch(`${url}/api/v1/lists`, { headers: { authorization: `Bearer ${token}` } })
  const { lists } = (await response.json()) as { lists: ReadonlyArray<{ title: string }> }
  return lists.map(({ title }) => title)
}

describe("lat-http over the embedded PostgreSQL", () => {
  let installation: Installation

  beforeEach(() => {
    installation = new Installation()
  })

  afterEach(() => installation.remove())

  it("prints the file of a key and a working command on the first start only, and keeps the data", async () => {
    const path = join(installation.dataDir, "first-key")
    writeFileSync(installation.beside, "precious")
    symlinkSync(installation.beside, path)
    const first = await installation.start()
    expect(first.token).toMatch(/^lat_\w{12}_\w{49}$/)
    expect(first.out()).toContain(`  API key    in ${path} (readable by you alone)\n`)
    expect(first.out() + first.err()).not.toContain(first.token)
    const { mode, uid } = lstatSync(path)
    expect([mode & 0o777, uid]).toEqual([0o600, process.getuid?.()])
    expect(readFileSync(installation.beside, "utf8")).toBe("precious")
    const command = /^ *Try it *(curl .*)$/m.exec(first.out())?.[1] ?? ""
    expect(JSON.parse(execFileSync("sh", ["-c", `${command} -s`], { encoding: "utf8" }))).toHaveProperty("list")
    await fetch(`${first.url}/api/v1/lists`, {
      method: "POST",
      headers: { authorization: `Bearer ${first.token}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "Groceries" })
    })
    const pid = installation.serverPid() ?? 0
    expect(await end(first)).toBe(0)
    await expect.poll(() => isAlive(pid)).toBe(false)
    const second = await installation.start()
    expect(second.token).toBeUndefined()
    expect(await titles(second.url, first.token ?? "")).toEqual(["Groceries"])
  })

  it("ends when its terminal is closed (SIGHUP), and stops the database", async () => {
    const program = await installation.start()
    const pid = installation.serverPid() ?? 0
    program.child.kill("SIGHUP")
    expect(await program.ended).toBe(0)
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it("creates only one key if it is first started twice at once, and both instances answer", async () => {
    const both = await Promise.all([installation.start(), installation.start()])
    const tokens = both.flatMap(({ token }) => token ?? [])
    expect(tokens).toHaveLength(1)
    for (const { url } of both) expect(await titles(url, tokens[0] ?? "")).toEqual([])
  })

  it("can be killed: the next start uses the database that still runs", async () => {
    const killed = await installation.start()
    const pid = installation.serverPid()
    killed.child.kill("SIGKILL")
    await killed.ended
    const next = await installation.start()
    expect(installation.serverPid()).toBe(pid)
    expect(await titles(next.url, killed.token ?? "")).toEqual([])
  })

  it("recovers without help when the database is killed", async () => {
    const program = await installation.start()
    process.kill(installation.serverPid() ?? 0, "SIGKILL")
    const answered = async () => {
      const response = await fetch(`${program.url}/api/v1/lists`, {
        headers: { authorization: `Bearer ${program.token}` }
      })
      return response.status
    }
    let status = 503
    await until("an answer that is no refusal", async () => (status = await answered()) !== 503)
    expect(status).toBe(200)
  })
})

describe("lat-http with other settings and options", { concurrent: true }, () => {
  it.for([
    [
      { LAT_STORAGE: "paper" },
      'LAT_STORAGE: expected postgres or memory, not "paper", for instance LAT_STORAGE=memory\n'
    ],
    [{ LAT_MAX_LIST_THINGS: "0" }, /^LAT_MAX_LIST_THINGS: expected .*\n$/],
    [{ LAT_MAX_ACCOUNT_BYTES: "2 GiB" }, /^LAT_MAX_ACCOUNT_BYTES: expected .*\n$/],
    [{ PORT: "99999" }, 'PORT: expected a whole number from 0 to 65535, not "99999", for instance PORT=3001\n'],
    [{ LAT_DATA_DIR: "/dev/null/x" }, /^The data folder \/dev\/null\/x cannot be made: .*\n$/]
  ] as const)("refuses an invalid setting with one line: %o", async ([variables, line], { expect }) => {
    const program = latHttp(variables)
    expect(await program.ended).toBe(1)
    expect(program.err()).toEqual(typeof line === "string" ? line : expect.stringMatching(line))
    expect(program.out()).toBe("")
  })

  it("warns of a misspelled variable, and starts", async ({ expect }) => {
    const installation = new Installation()
    const program = await installation.start({ LAT_HISTORY_DAY: "90", LAT_STORAGE: "memory" })
    expect(program.err()).toContain("LAT_HISTORY_DAY is no setting and has no effect; did you mean LAT_HISTORY_DAYS?")
    expect(await end(program)).toBe(0)
    await installation.remove()
  })

  it("suggests no lat commands with memory storage, which they cannot reach", async ({ expect }) => {
    const installation = new Installation()
    const program = await installation.start({ LAT_STORAGE: "memory" })
    expect(await end(program)).toBe(0)
    expect(program.out()).not.toMatch(/\blat(?:\.mjs|-mcp\.mjs)? /)
    expect(program.out()).toContain(`claude mcp add lists-and-things --scope user --transport http ${program.url}/mcp`)
    await installation.remove()
  })

  it.for([
    ["--nonsense", "Unknown option '--nonsense' (lat-http --help shows its options)\n"],
    ["8080", /^Unexpected argument '8080'\..* \(lat-http --help shows its options\)\n$/],
    ["--port=http", '--port: expected a whole number from 0 to 65535, not "http", for instance --port 3001\n']
  ] as const)("refuses a wrong option: %s", async ([option, line], { expect }) => {
    const program = latHttp({ LAT_STORAGE: "memory" }, { options: [option] })
    expect(await program.ended).toBe(1)
    expect(program.err()).toEqual(typeof line === "string" ? line : expect.stringMatching(line))
    expect(program.out()).toBe("")
  })

  it.for(["--help", "--version"])("answers %s without starting", async (option, { expect }) => {
    const program = latHttp({ LAT_DATA_DIR: "/dev/null/x" }, { options: [option] })
    expect(await program.ended).toBe(0)
    expect(program.out()).toMatch(option === "--help" ? /^Usage: lat-http .*--port N/s : `${packageVersion}\n`)
    expect(program.err()).toBe("")
  })

  it.for(["1", "2"])("listens on the host and port of its options, LAT_WORKERS=%s", async (workers, { expect }) => {
    const installation = new Installation()
    const options = ["--host", "127.0.0.2", "--port", "0"]
    const program = await installation.start({ LAT_WORKERS: workers, PORT: "1", HOST: "192.0.2.1" }, options)
    const { port } = new URL(program.url)
    expect((await fetch(`http://127.0.0.2:${port}/healthz`)).status).toBe(200)
    expect(await end(program)).toBe(0)
    await installation.remove()
  })

  it.for(["PORT", "LAT_METRICS_PORT"])("says what to do about a port that is in use: %s", async (name, { expect }) => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    const program = latHttp({ LAT_STORAGE: "memory", [name]: String(port) })
    expect(await program.ended).toBe(1)
    other.close()
    expect(program.err()).toBe(
      `Cannot listen on 127.0.0.1:${port}: another program does, perhaps an earlier start of this one. Stop it, or choose a port that is free: ${name}=${port + 1}, or ${name}=0 for any\n`
    )
  })

  const isRoot = process.getuid?.() === 0

  it.runIf(isRoot)("can use a user's own folder after root ran a command on it", async ({ expect }) => {
    const folder = mkdtempSync(join(tmpdir(), "lat-own-"))
    chmodSync(folder, 0o700)
    chownSync(folder, nobody, nobody)
    const started = async () => {
      const program = latHttp({ LAT_DATA_DIR: folder }, { as: nobody })
      await until("a start", () => program.out().includes("/mcp") || program.child.exitCode !== null)
      return program
    }
    const first = await started()
    const lat = [join(import.meta.dirname, "../../bin/lat.mjs"), "account", "list"]
    execFileSync(process.execPath, lat, { env: { ...process.env, LAT_DATA_DIR: folder }, stdio: "ignore" })
    expect(await end(first)).toBe(0)
    const second = await started()
    expect(second.out()).toContain("/mcp")
    expect(await end(second)).toBe(0)
    rmSync(folder, { recursive: true })
  })

  it.runIf(isRoot)("says what to do about a folder of another user", async ({ expect }) => {
    const folder = mkdtempSync(join(tmpdir(), "lat-another-"))
    const started = (dataDir: string) => latHttp({ LAT_DATA_DIR: dataDir }, { as: nobody })
    const there = started(folder)
    expect(await there.ended).toBe(1)
    expect(there.err()).toMatch(
      /belongs to root\. Start it as that user, or as root give it away with 'chown -R nobody \/.*', or set LAT_DATA_DIR to a folder of your own\n$/
    )
    const nameless = latHttp({ LAT_DATA_DIR: folder }, { as: 61_234 })
    expect(await nameless.ended).toBe(1)
    expect(nameless.err()).toContain("'chown -R 61234 /")
    chmodSync(folder, 0o755)
    const inside = started(join(folder, "inside"))
    expect(await inside.ended).toBe(1)
    expect(inside.err()).toMatch(
      /belongs to root, and nobody may make nothing in it\. As root run 'install -d -o nobody \/.*\/inside', or set/
    )
    chownSync(folder, nobody, nobody)
    chmodSync(folder, 0o500)
    const closed = started(folder)
    expect(await closed.ended).toBe(1)
    expect(closed.err()).toMatch(/ is closed to nobody, to whom it belongs: run 'chmod u\+rwx \/.*'\n$/)
    rmSync(folder, { recursive: true })
  })

  it.runIf(isRoot)("says what to do about data of root in a user's folder", async ({ expect }) => {
    const folder = mkdtempSync(join(tmpdir(), "lat-restored-"))
    mkdirSync(join(folder, "postgres", "data"), { recursive: true, mode: 0o700 })
    for (const path of [folder, join(folder, "postgres")]) chownSync(path, nobody, nobody)
    const program = latHttp({ LAT_DATA_DIR: folder }, { as: nobody })
    expect(await program.ended).toBe(1)
    expect(program.err()).toMatch(/postgres\/data belongs to root\. Start it as .* 'chown -R nobody \/.*', or set/)
    rmSync(folder, { recursive: true })
  })
})

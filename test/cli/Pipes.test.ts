import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { openTestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { until } from "@lists-and-things/testing/Until"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Redacted } from "effect"

const root = join(import.meta.dirname, "../..")
const server = await openTestDatabase({ version: 18 })
afterAll(() => server.stop())

/** Runs a shell command line, in which `lat` is that of this checkout. */
const shell = (line: string) => {
  const { HOME = "", PATH = "" } = process.env
  const lat = `lat() { '${process.execPath}' '${join(root, "bin/lat.mjs")}' "$@"; }`
  const env = { HOME, PATH, DATABASE_URL: Redacted.value(server.url()) }
  return spawnSync("bash", ["-c", `${lat}; ${line}`], { cwd: server.folder, env, encoding: "utf8" })
}

describe("lat in a pipe", () => {
  it("fails with one line if its output cannot be written", () => {
    const full = shell("lat help keys > /dev/full")
    expect(full.status).toBe(1)
    expect(full.stderr).toMatch(/^lat: standard output cannot be written: ENOSPC[^\n]*\n$/)
  })

  it("says why a file is no backup to load", () => {
    const missing = shell("lat db load missing.dump")
    expect([missing.status, missing.stderr]).toStrictEqual([1, "lat: missing.dump does not exist.\n"])
    const packed = shell("echo x | gzip > packed.gz; lat db load packed.gz")
    expect(packed.stderr).toMatch(/^lat: packed\.gz is compressed by gzip: .* 'gunzip -c FILE \| .* db load -'\.\n/)
  })

  it("stops following changes when the reader of its output ends", () => {
    expect(shell("lat account create --email ann@example.com").status).toBe(0)
    expect(shell("lat list create Books").status).toBe(0)
    const over = join(server.folder, "over")
    const follow = `(lat changes --follow; touch '${over}') | head -n 1 &`
    const change = `until [ -e '${over}' ]; do lat list create More > /dev/null; done; echo ended`
    const followed = shell(`${follow} ${change}`)
    expect(followed.stdout).toMatch(/^\{[^\n]*\}\nended\n$/)
  })

  it("exports the same to standard output as to a folder, and writes the counts to standard error", () => {
    const exported = (options: string) => {
      const { status, stderr, stdout } = shell(`lat export --account ann@example.com ${options}`)
      return { status, stderr, text: stdout.replace(/"exported": "[^"]*"/, "") }
    }
    const counts = /^Wrote \d+ lists, 0 things and 0 reminders\.\n$/
    expect(exported("--out backup --quiet && cat backup/*.json").text).toContain('"title":"Books"')
    const { text } = exported("--out backup --quiet > /dev/null && cat backup/*.json")
    expect(exported("--out -")).toStrictEqual({ status: 0, stderr: expect.stringMatching(counts), text })
    expect(exported("--out - --quiet")).toStrictEqual({ status: 0, stderr: "", text })
    expect(existsSync(join(server.folder, "-"))).toBe(false)
    const refused = exported("--out - --format markdown")
    const said = /^lat: --out - is for one file, and markdown is one a list: name a folder\n/
    expect(refused).toStrictEqual({ status: 2, stderr: expect.stringMatching(said), text: "" })
  })

  it.for(["> /dev/full", "| head -c 1"])("leaves no temporary export behind if its output ends early: %s", (to) => {
    const { stderr, stdout } = shell(
      `mkdir -p aside; export TMPDIR="$PWD/aside"; lat export --account ann@example.com --out - ${to}; ls aside`
    )
    expect(stdout.replace("{", "")).toBe("")
    expect(stderr).not.toContain("temporary")
  })

  it("writes a backup to a named pipe or a file descriptor", () => {
    const end = /\["end",\d+,"[0-9a-f]{64}"\]\n$/
    const piped = shell("mkfifo pipe; cat pipe > read.dump & lat db dump pipe; wait; test -p pipe && cat read.dump")
    expect(piped.stdout).toMatch(/^Wrote 1 account, .* to pipe\.\n/)
    expect(piped.stdout).toMatch(end)
    expect(shell("lat db dump /dev/fd/3 3> third.dump; cat third.dump").stdout).toMatch(end)
  })

  it("refuses to write a backup over a folder, and leaves no other file", () => {
    const refused = shell("mkdir kept; lat db dump kept")
    expect([refused.status, refused.stdout]).toStrictEqual([1, ""])
    expect(refused.stderr).toBe("lat: kept cannot be written: it is a folder\n")
    expect(readdirSync(server.folder).filter((name) => name.startsWith("kept"))).toStrictEqual(["kept"])
  })

  it("says of a document that is too long what the limit is", () => {
    const { status, stderr } = shell("head -c 1000001 /dev/zero | tr '\\0' x | lat import - --account ann@example.com")
    const said =
      /^lat: standard input: markdown must be at most 1,000,000 characters long, not "x+…" \(1,000,001 [a-z]+\)\n/
    expect([status, stderr]).toStrictEqual([1, expect.stringMatching(said)])
    expect(stderr).toMatch(/\)\nNothing was imported\.\n$/)
  })

  it("runs in a folder that has been removed", () => {
    const { status, stderr } = shell("mkdir gone; cd gone; rmdir ../gone; lat nope")
    expect([status, stderr]).toStrictEqual([2, expect.stringMatching(/^lat: unknown command 'nope'\n/)])
  })

  it("fails and removes a backup if the system writes only a part of it", () => {
    const cut = shell("trap '' XFSZ; ulimit -f 1; lat db dump cut.dump")
    expect(cut.stderr).toMatch(/^lat: cut\.dump cannot be written: EFBIG/)
    expect([cut.status, cut.stdout, existsSync(join(server.folder, "cut.dump"))]).toStrictEqual([1, "", false])
  })
})

describe("lat in a shell", () => {
  it("takes standard input as the text or the note of a thing, without the final line break", () => {
    expect(shell("lat account create --email text@example.com").status).toBe(0)
    const account = "export LAT_ACCOUNT=text@example.com"
    const added = shell(`${account}; printf 'Look at this\\r\\n' | lat thing add - --json`)
    expect(JSON.parse(added.stdout)).toMatchObject({ text: "Look at this" })
    const noted = shell(`${account}; printf 'first\\n\\n  second\\n' | lat thing edit look --note - --json`)
    expect(JSON.parse(noted.stdout)).toMatchObject({ note: "first\n\n  second" })
  })

  it.for([
    ["thing add - < /dev/null", /^lat: TEXT is required and must not be blank/],
    ["thing add - --note -", /the text and the note cannot both be '-'/],
    ["search ''", /^lat: WORDS is required and must not be blank/],
    ["thing add '- [ ] x'", /begins with a dash comes after --: -- '- \[ \] x'\)\n/],
    ["list show Summer holiday", /\(A name of several words is in quotes: 'Summer holiday'\)\n/]
  ] as const)("refuses blank or ambiguous arguments, and hints at missing quotes: lat %s", ([line, said]) => {
    const { status, stderr, stdout } = shell(`export LAT_ACCOUNT=text@example.com; lat ${line}`)
    expect([status, stdout, stderr]).toStrictEqual([2, "", expect.stringMatching(said)])
  })

  it("leaves no temporary export behind if it is killed while it reads", async () => {
    expect(shell("lat account create --email killed@example.com").status).toBe(0)
    const aside = join(server.folder, "killed")
    mkdirSync(aside)
    const hold = server.sql("do $$ begin lock table lists; perform pg_sleep(90); end $$").catch(() => "ended")
    const locks = "pg_locks where relation = 'lists'::regclass and"
    const isLocked = (which: string) =>
      until(which, async () => (await server.sql(`select 1 from ${locks} ${which}`)).length > 0)
    await isLocked("granted and mode = 'AccessExclusiveLock'")
    const env = { PATH: process.env["PATH"], TMPDIR: aside, DATABASE_URL: Redacted.value(server.url()) }
    const words = [join(root, "bin/lat.mjs"), "export", "--account", "killed@example.com", "--out", "-"]
    const child = spawn(process.execPath, words, { env, stdio: "ignore" })
    await isLocked("not granted")
    child.kill("SIGKILL")
    expect(await once(child, "close")).toStrictEqual([null, "SIGKILL"])
    expect(readdirSync(aside)).toStrictEqual([])
    await server.sql(`select pg_terminate_backend(pid) from ${locks} pid <> pg_backend_pid()`)
    expect(await hold).toBe("ended")
  })
})

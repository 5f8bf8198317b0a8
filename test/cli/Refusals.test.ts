import { spawnSync } from "node:child_process"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { openTestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { Redacted } from "effect"
import { type Lat, openServedLat } from "./Lat.ts"

let lat: Lat

beforeAll(async () => {
  lat = await openServedLat()
  for (const name of ["key", "ann"]) await lat.json(["account", "create", "--email", `${name}@example.com`])
})

afterAll(async () => {
  await lat.close()
})

describe.concurrent("errors", () => {
  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp]> = [
    [["acount", "list"], 2, /unknown command 'acount'\n\(Did you mean account\?\)/],
    [["account", "lst"], 2, /unknown command 'lst'\n\(Did you mean list\?\)/],
    [["account", "list", "--jsn"], 2, /unknown option '--jsn'\n\(Did you mean --json\?\)/],
    [
      ["account", "create"],
      2,
      /required option '--email <EMAIL>' not specified\nFor example: .*lat\.mjs account create --email /
    ],
    [["key", "revoke"], 2, /missing required argument 'KEY_ID'\nFor example: .*lat\.mjs key revoke \w{12}\nAdd --help/],
    [
      ["webhook", "create", "--url", "https://ntfy.sh/x", "--events", "operation,thing"],
      2,
      /--events must be one of "reminder\.due", "operation", not "thing"\. For example --events reminder\.due\n/
    ],
    [
      ["search", " ", "--account", "ann@example.com"],
      2,
      /WORDS is required and must not be blank\. For example 'milk'\n/
    ],
    [["list", "create", " "], 2, /TITLE must be text that is not blank, not " "\. For example 'Groceries'\n/],
    [["thing", "add", "a", "--tabs", "-1"], 2, /--tabs must be a whole number of 0 or more, such as 2, not "-1"/],
    [
      ["account", "create", "--email", "nobody"],
      2,
      /--email must be an email address such as ann@example\.com, not "nobody"/
    ],
    [
      ["account", "create", "--email", "a@example.com", "--timezone", "Mars/X"],
      2,
      /--timezone must be an IANA time zone such as Europe\/Berlin, not "Mars\/X"/
    ],
    [["account", "create", "--email", "KEY@example.com"], 1, /Another account has this email/],
    [["account", "set", "key@example.com"], 2, /name at least one setting/],
    [["account", "set", "key@example.com", "--repeat-moves-to-day", "no"], 2, /must be one of true, false/],
    [["account", "show", "kay@example.com"], 1, /No account has.*\nDid you mean key@example\.com/],
    [
      ["account", "show"],
      2,
      /missing required argument 'ACCOUNT': there are several accounts\n {2}[0-9a-f-]{36} {2}key@example\.com[^]*For example: .*lat\.mjs account show key@example\.com\n/
    ],
    [
      ["account", "delete", "--yes"],
      2,
      /missing required argument 'ACCOUNT': name one of these\n {2}[0-9a-f-]{36} {2}key@/
    ],
    [["key", "create", "--account", "key@example.com", "--scopes", "read:list"], 2, /did you mean read:lists\?/],
    [
      ["key", "create", "--account", "key@example.com", "--rate-limit", "many"],
      2,
      /--rate-limit must be a whole number/
    ],
    [["key", "revoke", "000000000000"], 1, /No key has this id/],
    [["list", "ls"], 2, /--account is needed: there are several accounts\n {2}[0-9a-f-]{36} {2}key@example\.com/],
    [["import", "missing.md"], 1, /missing\.md does not exist/],
    [["key", "create", "--account", ""], 2, /^lat: --account must not be empty\n/],
    [["account", "show", ""], 2, /^lat: ACCOUNT must not be empty\n/],
    [["export", "--account", "ann@example.com", "--out", ""], 2, /^lat: --out must not be empty\n/],
    [["db", "dump", ""], 2, /^lat: FILE must not be empty\n/],
    [["account", "show", "zzz@nowhere.org"], 1, /No account has.*\n {2}[0-9a-f-]{36} {2}key@example\.com/],
    [["list", "show", "Nothing", "--account", "key@example.com"], 1, /No list is named 'Nothing'/],
    [["import", "missing.md", "--account", "key@example.com"], 1, /missing\.md does not exist/],
    [["completion", "tcsh"], 2, /'tcsh' is not a shell known here/],
    [["help", "kyes"], 2, /did you mean keys\?/],
    [["\u001b]0;title\u0007"], 2, /^lat: unknown command '\ufffd\]0;title\ufffd'/],
    [["account", "list", "--\u009b2J"], 2, /^lat: unknown option '--\ufffd2J'/]
  ]
  for (const [words, code, message] of wrong) {
    it(`lat ${words.join(" ")} exits with ${code} and writes only to stderr`, async () => {
      const ended = await lat.run(words)
      expect(ended.code).toBe(code)
      expect(ended.err).toMatch(message)
      expect(ended.out).toBe("")
    })
  }

  it("an invalid setting is named, with its allowed values", async () => {
    const ended = await lat.run(["account", "list", "--json"], { env: { LAT_STORAGE: "paper" } })
    expect([ended.code, ended.out]).toStrictEqual([1, ""])
    expect(ended.err).toBe(
      'lat: LAT_STORAGE: expected postgres or memory, not "paper", for instance LAT_STORAGE=memory\nCorrect the variable, or unset it for its default.\n'
    )
  })

  it("a misspelled variable has no effect, and lat doctor reports it", async () => {
    const { checks } = await lat.json<{ checks: ReadonlyArray<{ name: string }> }>(["doctor"], {
      env: { LAT_DATADIR: "/nowhere" }
    })
    expect(checks.find(({ name }) => name === "settings")).toMatchObject({
      state: "warning",
      found: "LAT_DATADIR is no setting and has no effect; did you mean LAT_DATA_DIR?"
    })
  })

  it("a folder in place of a file is refused, with advice on what to name instead", async () => {
    for (const [command, advice] of [
      [["restore", "--account", "ann@example.com"], "Name a file in it."],
      [["import", "--account", "ann@example.com"], `Name the files in it, such as '${lat.folder}/*.md'.`]
    ] as const) {
      const { code, err } = await lat.run([...command, lat.folder])
      expect([code, err]).toStrictEqual([1, `lat: ${lat.folder} is a folder.\n${advice}\n`])
    }
  })

  it("lat doctor says why the data folder cannot be created, and names no log if there is none", async () => {
    const file = join(lat.folder, "a file")
    await writeFile(file, "")
    const env = { DATABASE_URL: "", LAT_DATA_DIR: join(file, "data") }
    const doctor = await lat.run(["doctor", "--json"], { env })
    expect(doctor.code).toBe(1)
    const { checks } = JSON.parse(doctor.out) as { checks: ReadonlyArray<{ name: string }> }
    expect(checks.find(({ name }) => name === "data folder")).toMatchObject({
      state: "problem",
      found: `${file} is no folder`
    })
    expect(checks.find(({ name }) => name === "database")).toMatchObject({
      state: "problem",
      advice: "See what is said of the data folder; where that is fine, nothing more is known."
    })
  })

  it.runIf(process.getuid?.() === 0)("lat doctor reports a data folder that root may not use", async () => {
    const linked = join(lat.folder, "linked")
    await mkdir(linked)
    await symlink(lat.folder, join(linked, "postgres"))
    const doctor = await lat.run(["doctor", "--json"], { env: { DATABASE_URL: "", LAT_DATA_DIR: linked } })
    const { checks } = JSON.parse(doctor.out) as { checks: ReadonlyArray<{ name: string }> }
    expect(checks.find(({ name }) => name === "data folder")).toMatchObject({
      state: "problem",
      found: `${linked}/postgres cannot be used: it is a symbolic link, which root does not follow`
    })
    expect(checks.find(({ name }) => name === "port")).toMatchObject({ state: "ok" })
  })

  it.runIf(process.platform === "linux" && process.getuid?.() === 0)(
    "lat doctor reports a file system that is mounted read-only",
    async () => {
      const mount = join(lat.folder, "mounted")
      await mkdir(mount)
      const made = spawnSync("mount", ["-t", "tmpfs", "-o", "ro", "none", mount])
      if (made.status !== 0) return process.stderr.write("NOT SHOWN: a read-only mount, none can be made here\n")
      try {
        const { out } = await lat.run(["doctor", "--json"], { env: { DATABASE_URL: "", LAT_DATA_DIR: mount } })
        const { checks } = JSON.parse(out) as { checks: ReadonlyArray<{ name: string }> }
        expect(checks.find(({ name }) => name === "data folder")).toMatchObject({
          state: "problem",
          found: `${mount} lies on a file system that is mounted read-only`
        })
      } finally {
        spawnSync("umount", [mount])
      }
    }
  )

  it.runIf(process.platform === "linux")(
    "a data folder or an export in /proc cannot be created, and lat doctor reports the former",
    async () => {
      const env = { DATABASE_URL: "", LAT_DATA_DIR: "/proc/none/data" }
      const { err } = await lat.run(["stats"], { env })
      expect(err).toMatch(/^lat: The data folder \/proc\/none\/data cannot be made: [^\n]*\n$/)
      const doctor = await lat.run(["doctor", "--json"], { env })
      const { checks } = JSON.parse(doctor.out) as { checks: ReadonlyArray<{ name: string }> }
      expect(checks.find(({ name }) => name === "data folder")).toMatchObject({
        state: "problem",
        found: expect.stringMatching(/^\/proc\/none\/data is not there /)
      })
      const exported = await lat.run(["export", "--account", "ann@example.com", "--out", "/proc/none"])
      expect([exported.code, exported.err]).toStrictEqual([
        1,
        expect.stringMatching(/^lat: \/proc\/none\/ann@example\.com\.json cannot be written: [^\n]*\n$/)
      ])
    }
  )

  it("an unreachable database is reported as a problem, without its password", async () => {
    const env = { DATABASE_URL: "postgres://u:topsecret@127.0.0.1:1/x" }
    const shown = await lat.run(["config", "--json"], { env })
    expect(shown.out).not.toContain("topsecret")
    const doctor = await lat.run(["doctor", "--json"], { env })
    expect(doctor.code).toBe(1)
    expect(doctor.out + doctor.err).not.toContain("topsecret")
    const { checks } = JSON.parse(doctor.out) as {
      checks: ReadonlyArray<{ name: string; state: string; advice: string }>
    }
    expect(checks.find((check) => check.name === "database")).toEqual(expect.objectContaining({ state: "problem" }))
  })

  it("a missing right of the role, a missing database and a wrong encoding are named", async () => {
    const server = await openTestDatabase({ version: 18 })
    try {
      const role = `guest_${process.pid}`
      await server.sql(`create role ${role} login`)
      const env = {
        DATABASE_URL: Redacted.value(await server.createDatabase("bare")).replace("user=postgres", `user=${role}`)
      }
      const ended = await lat.run(["account", "list"], { env })
      expect([ended.code, ended.out]).toStrictEqual([1, ""])
      expect(ended.err).toMatch(
        /^lat: The database refused a statement \(permission denied for schema public\)\n.*doctor/
      )
      const doctor = await lat.run(["doctor"], { env })
      expect(doctor.code).toBe(1)
      expect(doctor.out).toMatch(/PROBLEM +database +refuses a statement: permission denied for schema public\n.*own/)
      // As in a cron job, without USER: the owner of the process is looked up, who need not be a role of this server.
      const unnamed = { DATABASE_URL: env.DATABASE_URL.replace(`user=${role}`, ""), USER: "" }
      expect((await lat.run(["account", "list"], { env: unnamed })).err).not.toMatch(/no.+user ?name/i)
      const missing = env.DATABASE_URL.replace("bare", "none")
      expect((await lat.run(["account", "list"], { env: { DATABASE_URL: missing } })).err).toMatch(
        /^lat: The database refused this; nothing was changed \(database ".*none" does not exist\)\n.*doctor/
      )
      expect((await lat.run(["doctor"], { env: { DATABASE_URL: missing } })).out).toMatch(
        /PROBLEM +database +cannot be reached: database ".*none" does not exist\n.*-> Make that database/
      )
      const ascii = await server.createDatabase("ascii", "encoding 'SQL_ASCII' locale 'C' template template0")
      expect((await lat.run(["doctor"], { env: { DATABASE_URL: Redacted.value(ascii) } })).out).toMatch(
        /PROBLEM +database +The database must be encoded in UTF8, not SQL_ASCII: .*\n.*-> Name that one in DATABASE_URL/
      )
      await server.sql(`drop role ${role}`)
    } finally {
      await server.stop()
    }
  })
})

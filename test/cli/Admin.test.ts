import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { middayZone } from "@lists-and-things/testing/Midday"
import { entry, type Lat, openServedLat, root } from "./Lat.ts"
import { hasTerminals, onTerminal } from "./OnTerminal.ts"

interface AccountJson {
  readonly id: string
  readonly email: string
  readonly timezone: string
}

let lat: Lat

beforeAll(async () => {
  lat = await openServedLat()
})

afterAll(async () => {
  await lat.close()
})

describe("accounts and keys", () => {
  it("are created, shown, changed and deleted, with the documented JSON", async () => {
    const account = await lat.json<AccountJson>([
      "account",
      "create",
      "--email",
      "ann@example.com",
      "--timezone",
      "Europe/Berlin"
    ])
    expect(account).toStrictEqual({
      id: account.id,
      email: "ann@example.com",
      name: "",
      timezone: "Europe/Berlin",
      default_thing_type: "todo",
      default_list_sort: "chronological",
      default_reminder_minutes: 0,
      default_alert_minutes: 0,
      default_reminder_color: "",
      repeat_moves_to_day: true,
      all_day_at: "09:00"
    } as AccountJson)
    expect(await lat.json(["account", "show", "ANN@example.com"])).toStrictEqual(account)
    expect(await lat.json(["account", "list"])).toStrictEqual([account])
    const everySetting = [
      ["name", "Ann B"],
      ["timezone", "America/New_York"],
      ["default-thing-type", "bullet"],
      ["default-list-sort", "modified"],
      ["default-reminder-minutes", "30"],
      ["default-alert-minutes", "5"],
      ["default-reminder-color", "#abc"],
      ["repeat-moves-to-day", "false"],
      ["email", "anna@example.com"]
    ].flatMap(([name, value]) => [`--${name}`, value!])
    const changed = await lat.json(["account", "set", account.id, ...everySetting])
    expect(changed).toStrictEqual({
      id: account.id,
      email: "anna@example.com",
      name: "Ann B",
      timezone: "America/New_York",
      default_thing_type: "bullet",
      default_list_sort: "modified",
      default_reminder_minutes: 30,
      default_alert_minutes: 5,
      default_reminder_color: "#aabbcc",
      repeat_moves_to_day: false,
      all_day_at: "09:00"
    })
    const refused = await lat.run(["account", "delete", account.id])
    expect(refused.code).toBe(2)
    expect(refused.err).toContain("--yes")
    expect(await lat.json(["account", "delete", account.id, "--yes"])).toStrictEqual({ deleted: account.id })
    expect(await lat.json(["account", "list"])).toStrictEqual([])
  })

  it("show a key once and never again", async () => {
    const account = await lat.json<AccountJson>(["account", "create", "--email", "key@example.com"])
    const key = await lat.json<Record<string, unknown>>([
      ...["key", "create", "--account", "key@example.com", "--name", "n"],
      ...["--scopes", "search,read:lists", "--rate-limit", "7"]
    ])
    expect(String(key["key"])).toMatch(/^lat_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
    expect(Object.keys(key)).toStrictEqual(["id", "key", "name", "account_id", "scopes", "rate_limit", "created"])
    expect(key).toEqual(
      expect.objectContaining({ name: "n", account_id: account.id, scopes: ["read:lists", "search"], rate_limit: 7 })
    )
    const listed = await lat.run(["key", "list", "--account", account.id, "--json"])
    expect(listed.out).not.toContain(String(key["key"]))
    expect(JSON.parse(listed.out) as Array<unknown>).toHaveLength(1)
    for (const more of [[], ["--yes"]])
      expect(await lat.json(["key", "revoke", String(key["id"]), ...more])).toStrictEqual({
        id: key["id"],
        revoked: true
      })
  })

  it("take a password from standard input only", async () => {
    await lat.json(["account", "create", "--email", "pw@example.com"])
    const short = await lat.run(["account", "set", "pw@example.com", "--password-stdin"], { input: "short\n" })
    expect(short.code).toBe(2)
    expect(short.err).toContain("--password-stdin: the password must be 8 to 1024 characters long")
    const set = await lat.run(["account", "set", "pw@example.com", "--password-stdin"], { input: "correct horse\n" })
    expect(set.code).toBe(0)
    expect(set.out + set.err).not.toContain("horse")
  })

  it.runIf(hasTerminals)("ask for a password on a terminal, twice and without showing it", async () => {
    await lat.json(["account", "create", "--email", "typed@example.com"])
    const words = ["account", "set", "typed@example.com", "--password-stdin"]
    const asked = async (first: string, second: string) => {
      const terminal = onTerminal([process.execPath, entry, ...words], { env: lat.env, cwd: lat.folder })
      await terminal.sees("New password (not shown): ")
      terminal.type(`${first}\r`)
      await terminal.sees("The same again: ")
      terminal.type(`${second}\r`)
      return { code: await terminal.ended, screen: terminal.screen() }
    }
    const typo = await asked("correct horse", "correct hoarse")
    expect(typo.code).toBe(1)
    expect(typo.screen).toContain("The two passwords differ. Nothing was changed.")
    const set = await asked("correct horse", "correct horse")
    expect(set.code).toBe(0)
    expect(typo.screen + set.screen).not.toContain("correct")
  })

  it.runIf(hasTerminals)("stop at Ctrl-C while they ask for a password", async () => {
    const words = ["account", "set", "typed@example.com", "--password-stdin"]
    const terminal = onTerminal([process.execPath, entry, ...words], { env: lat.env, cwd: lat.folder })
    await terminal.sees("New password (not shown): ")
    terminal.type("correct\u0003")
    expect(await terminal.ended).toBe(130)
    expect(terminal.screen()).not.toContain("correct")
  })

  it("have a feed address that --rotate renews", async () => {
    await lat.json(["account", "create", "--email", "feed@example.com"])
    const words = ["account", "feed", "feed@example.com"]
    const first = await lat.json<{ readonly url: string }>(words, { env: { PUBLIC_URL: "https://lists.example.com/" } })
    expect(first.url).toMatch(/^https:\/\/lists\.example\.com\/reminders\.ics\?token=[0-9A-Za-z]{43}$/)
    const again = await lat.json<{ readonly url: string }>(words, { env: { PUBLIC_URL: "https://lists.example.com" } })
    expect(again.url).toBe(first.url)
    const rotated = await lat.json<{ readonly url: string }>([...words, "--rotate"])
    expect(rotated.url.slice(-43)).not.toBe(first.url.slice(-43))
  })
})

describe("daily work", () => {
  it("adds, shows, completes, moves and deletes", async () => {
    const of = ["--account", "day@example.com"]
    await lat.json(["account", "create", "--email", "day@example.com", "--timezone", middayZone])
    await lat.json(["list", "create", "Groceries", "--emoji", "🛒", ...of])
    const milk = await lat.json<{ readonly id: string }>([
      "thing",
      "add",
      "Buy",
      "milk",
      "--list",
      "groceries",
      "--tag",
      "food",
      ...of
    ])
    await lat.json(["thing", "add", "organic", "--list", "Groceries", "--tabs", "1", ...of])
    expect((await lat.run(["list", "show", "Groceries", ...of])).out).toMatch(
      /^🛒 Groceries\n[0-9a-f]{4} {2}\[ \] Buy milk  #food\n[0-9a-f]{4} {4}\[ \] organic\n$/
    )
    expect(await lat.json(["thing", "done", milk.id, ...of])).toStrictEqual({ updated: 1, skipped: 0 })
    expect((await lat.run(["list", "show", "Groceries", ...of])).out).toContain("[x] Buy milk")
    await lat.json(["thing", "move", milk.id, "--to", "today", ...of])
    const today = await lat.run(["today", ...of])
    expect(today.out).toMatch(/^\d{4}-\d\d-\d\d\n[0-9a-f]{4} {2}\[x\] Buy milk  #food\n$/)
    await lat.json(["thing", "done", milk.id, "--undo", ...of])
    expect((await lat.run(["today", "--ids", ...of])).out).toContain(`${milk.id}  [ ] Buy milk`)
    expect(await lat.json(["thing", "rm", milk.id, "--yes", ...of])).toStrictEqual({ deleted: 1 })
    expect((await lat.run(["thing", "done", milk.id, ...of])).code).toBe(1)
    const lists = await lat.json<ReadonlyArray<{ readonly title: string }>>(["list", "ls", ...of])
    expect(lists.map((list) => list.title)).toStrictEqual(["Groceries"])
    await lat.json(["list", "archive", "Groceries", ...of])
    expect(await lat.json(["list", "ls", ...of])).toStrictEqual([])
    expect((await lat.run(["list", "list", ...of])).out).toMatch(
      /^No list yet\. Make one: .*lat.* list create TITLE\n$/
    )
    expect((await lat.run(["list", "list", "--archived", ...of])).out).toMatch(
      /^ID +MODIFIED +TITLE\n.* 🛒 Groceries\n$/
    )
    expect((await lat.run(["list", "show", "groceries", ...of])).err).toMatch(/: use its id, or unarchive it\./)
    expect((await lat.run(["list", "archive", "groceries", "--undo", ...of])).out).toBe(
      "Groceries is back among the lists.\n"
    )
    expect(await lat.json(["list", "ls", ...of])).toHaveLength(1)
  })
})

describe("the installation", () => {
  it("is described by db status, stats, config and doctor", async () => {
    const status = await lat.json<Record<string, unknown>>(["db", "status"])
    expect(status).toEqual(expect.objectContaining({ adapter: "postgres", embedded: true, processes: 1 }))
    expect(status["schema_version"]).toBe(status["latest_schema_version"])
    expect(await lat.json(["db", "migrate"])).toStrictEqual({ applied: [], schema_version: status["schema_version"] })
    const stats = await lat.json<Record<string, number>>(["stats"])
    expect(Object.keys(stats)).toStrictEqual(["accounts", "keys", "lists", "things", "reminders", "bytes_on_disk"])
    expect(stats["bytes_on_disk"]!).toBeGreaterThan(1_000_000)
    const { settings } = await lat.json<{ settings: ReadonlyArray<{ name: string; source: string }> }>(["config"])
    expect(settings.find((each) => each.name === "LAT_DATA_DIR")).toEqual(
      expect.objectContaining({ source: "environment" })
    )
    const doctor = await lat.json<{ ok: boolean; checks: ReadonlyArray<{ name: string }> }>(["doctor"])
    expect(doctor.ok).toBe(true)
    const names = doctor.checks.map((check) => check.name)
    const all = [
      "node",
      "time zones",
      "data folder",
      "disk",
      "port",
      "database",
      "migrations",
      "extensions",
      "pooler",
      "clock",
      "last write",
      "references",
      "server"
    ]
    expect(names).toStrictEqual(all)
  })

  it("makes a new link for choosing a password each time, and says that the old password keeps working", async () => {
    const email = "forgot@example.com"
    await lat.json(["account", "create", "--email", email])
    await lat.json(["account", "set", email, "--password-stdin"], { input: "correct horse battery" })
    const made = await lat.run(["account", "link", email])
    expect([made.code, made.out, made.err]).toStrictEqual([
      0,
      expect.stringMatching(/^http\S+\/sign-in\/welcome\?link=[\w-]{43}\n$/),
      expect.stringContaining(
        `It works once, within an hour. A password of ${email} stays valid until the link is used.`
      )
    ])
    expect(await lat.json(["account", "link", email])).toStrictEqual({
      account: expect.any(String),
      link: expect.not.stringContaining(made.out.trim()),
      expires: expect.stringMatching(/Z$/)
    })
  })

  it("revokes all access to an account at once, and prints a link for choosing a new password", async () => {
    const email = "lost@example.com"
    await lat.json(["account", "create", "--email", email])
    await lat.json(["key", "create", "--account", email])
    await lat.json(["account", "set", email, "--password-stdin"], { input: "correct horse battery" })
    expect((await lat.run(["account", "revoke"])).err).toContain("missing required argument 'ACCOUNT'")
    const asked = await lat.run(["account", "revoke", email])
    expect([asked.code, asked.err]).toStrictEqual([2, expect.stringContaining("confirm with --yes")])
    const done = await lat.run(["account", "revoke", email, "--yes"])
    expect([done.code, done.out]).toStrictEqual([
      0,
      expect.stringMatching(/ended 1 key, 0 connected programs.*\nChoose a new password: http\S+link=[\w-]{43}\n/)
    ])
    expect(await lat.json(["key", "list", "--account", email])).toMatchObject([{ revoked_at: expect.any(String) }])
    expect(await lat.json(["account", "revoke", email, "--yes"])).toMatchObject({ revoked: { keys: 0, programs: 0 } })
  })

  it("writes no colours if output is not a terminal, and only the bare value with --quiet", async () => {
    const shown = await lat.run(["account", "list"], { env: { FORCE_COLOR: "1" } })
    expect(shown.out).not.toContain("\u001b")
    const quiet = await lat.run(["account", "create", "--email", "q@example.com", "--quiet"])
    expect(quiet.out).toMatch(/^[0-9a-f-]{36}\n$/)
    expect(quiet.err).toBe("")
  })

  it("loads no unneeded modules", async () => {
    const noting = `import { registerHooks } from "node:module"
      const urls = []
      registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
      process.on("exit", () => console.error(urls.join("\\n")))`
    const env = { ...lat.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(noting)}` }
    const sources = [join(root, "bin/lat.ts"), "account", "list"]
    const loaded = spawnSync(process.execPath, sources, { env, encoding: "utf8" }).stderr.trim().split("\n")
    expect(loaded.length).toBeGreaterThan(100)
    expect(loaded.length).toBeLessThan(660)
    for (const needless of ["/packages/http/src/App.ts", "/packages/mcp/", "/micromark", "/node_modules/vitest/"]) {
      expect(loaded.filter((url) => url.includes(needless))).toStrictEqual([])
    }
  })
})

import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { keepServer, type Lat, openLat } from "./Lat.ts"

interface AccountJson {
  readonly id: string
  readonly email: string
  readonly timezone: string
}

let lat: Lat
let release: () => Promise<void>

beforeAll(async () => {
  lat = await openLat()
  release = await keepServer(lat)
})

afterAll(async () => {
  await release()
  await lat.close()
})

describe("accounts and keys", () => {
  it("are made, shown, changed and deleted, in the agreed shapes", async () => {
    const account = await lat.json<AccountJson>([
      "account",
      "create",
      "--email",
      "ann@example.com",
      "--timezone",
      "Europe/Berlin"
    ])
    assert.deepStrictEqual(account, {
      id: account.id,
      email: "ann@example.com",
      name: "",
      timezone: "Europe/Berlin",
      default_thing_type: "todo",
      default_list_sort: "chronological",
      default_reminder_minutes: 0,
      default_alert_minutes: 0,
      default_reminder_color: "",
      repeat_moves_to_day: true
    } as AccountJson)
    assert.deepStrictEqual(await lat.json(["account", "show", "ANN@example.com"]), account)
    assert.deepStrictEqual(await lat.json(["account", "list"]), [account])
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
    assert.deepStrictEqual(changed, {
      id: account.id,
      email: "anna@example.com",
      name: "Ann B",
      timezone: "America/New_York",
      default_thing_type: "bullet",
      default_list_sort: "modified",
      default_reminder_minutes: 30,
      default_alert_minutes: 5,
      default_reminder_color: "#aabbcc",
      repeat_moves_to_day: false
    })
    const refused = await lat.run(["account", "delete", account.id])
    assert.strictEqual(refused.code, 2)
    assert.include(refused.err, "--yes")
    assert.deepStrictEqual(await lat.json(["account", "delete", account.id, "--yes"]), { deleted: account.id })
    assert.deepStrictEqual(await lat.json(["account", "list"]), [])
  })

  it("show a key once and never again", async () => {
    const account = await lat.json<AccountJson>(["account", "create", "--email", "key@example.com"])
    const key = await lat.json<Record<string, unknown>>([
      ...["key", "create", "--account", "key@example.com", "--name", "n"],
      ...["--scopes", "search,read:lists", "--rate-limit", "7"]
    ])
    assert.match(String(key["key"]), /^lat_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
    assert.deepStrictEqual(Object.keys(key), ["id", "key", "name", "account_id", "scopes", "rate_limit", "created"])
    assert.deepInclude(key, { name: "n", account_id: account.id, scopes: ["read:lists", "search"], rate_limit: 7 })
    const listed = await lat.run(["key", "list", "--account", account.id, "--json"])
    assert.notInclude(listed.out, String(key["key"]))
    assert.lengthOf(JSON.parse(listed.out) as Array<unknown>, 1)
    assert.deepStrictEqual(await lat.json(["key", "revoke", String(key["id"])]), { id: key["id"], revoked: true })
  })

  it("take a password from standard input only", async () => {
    await lat.json(["account", "create", "--email", "pw@example.com"])
    const short = await lat.run(["account", "set", "pw@example.com", "--password-stdin"], { input: "short\n" })
    assert.strictEqual(short.code, 2)
    assert.include(short.err, "--password must be 8 to 1024 characters")
    const set = await lat.run(["account", "set", "pw@example.com", "--password-stdin"], { input: "correct horse\n" })
    assert.strictEqual(set.code, 0)
    assert.notInclude(set.out + set.err, "horse")
  })

  it("have a feed address that --rotate renews", async () => {
    await lat.json(["account", "create", "--email", "feed@example.com"])
    const words = ["account", "feed", "feed@example.com"]
    const first = await lat.json<{ readonly url: string }>(words, { env: { PUBLIC_URL: "https://lists.example.com/" } })
    assert.match(first.url, /^https:\/\/lists\.example\.com\/reminders\.ics\?token=[0-9A-Za-z]{43}$/)
    const again = await lat.json<{ readonly url: string }>(words, { env: { PUBLIC_URL: "https://lists.example.com" } })
    assert.strictEqual(again.url, first.url)
    const rotated = await lat.json<{ readonly url: string }>([...words, "--rotate"])
    assert.notStrictEqual(rotated.url.slice(-43), first.url.slice(-43))
  })
})

describe.concurrent("what goes wrong", () => {
  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp]> = [
    [["acount", "list"], 2, /unknown command 'acount'\n\(Did you mean account\?\)/],
    [["account", "lst"], 2, /unknown command 'lst'\n\(Did you mean list\?\)/],
    [["account", "list", "--jsn"], 2, /unknown option '--jsn'\n\(Did you mean --json\?\)/],
    [["account", "create"], 2, /required option '--email <EMAIL>' not specified/],
    [["account", "create", "--email", "nobody"], 2, /--email must be an email address/],
    [
      ["account", "create", "--email", "a@example.com", "--timezone", "Mars/X"],
      2,
      /--timezone must be an IANA time zone/
    ],
    [["account", "create", "--email", "KEY@example.com"], 1, /Another account has this email/],
    [["account", "set", "key@example.com"], 2, /name at least one setting/],
    [["account", "set", "key@example.com", "--repeat-moves-to-day", "no"], 2, /must be one of true, false/],
    [["account", "show", "kay@example.com"], 1, /No account has.*\nDid you mean key@example\.com/],
    [["account", "show"], 2, /missing required argument 'ACCOUNT'/],
    [["key", "create", "--account", "key@example.com", "--scopes", "read:list"], 2, /did you mean read:lists\?/],
    [
      ["key", "create", "--account", "key@example.com", "--rate-limit", "many"],
      2,
      /--rate-limit must be a whole number/
    ],
    [["key", "revoke", "000000000000"], 1, /No key has this id/],
    [["list", "ls"], 2, /--account is needed: there are several accounts/],
    [["list", "show", "Nothing", "--account", "key@example.com"], 1, /No list is named 'Nothing'/],
    [["import", "missing.md", "--account", "key@example.com"], 1, /missing\.md does not exist/],
    [["completion", "tcsh"], 2, /'tcsh' is not a shell known here/],
    [["help", "kyes"], 2, /did you mean keys\?/]
  ]
  for (const [words, code, message] of wrong) {
    it(`lat ${words.join(" ")}: ${code}, said on stderr`, async () => {
      const ended = await lat.run(words)
      assert.strictEqual(ended.code, code)
      assert.match(ended.err, message)
      assert.strictEqual(ended.out, "")
    })
  }

  it("a setting that cannot be read is named", async () => {
    const ended = await lat.run(["account", "list", "--json"], { env: { LAT_STORAGE: "paper" } })
    assert.deepStrictEqual([ended.code, ended.out], [1, ""])
    assert.strictEqual(
      ended.err,
      'lat: LAT_STORAGE: expected "postgres" | "memory"\nCorrect the variable, or unset it for its default.\n'
    )
  })

  it("an unreachable database fails with a hint and without its password", async () => {
    const env = { DATABASE_URL: "postgres://u:topsecret@127.0.0.1:1/x" }
    const shown = await lat.run(["config", "--json"], { env })
    assert.notInclude(shown.out, "topsecret")
    const doctor = await lat.run(["doctor", "--json"], { env })
    assert.strictEqual(doctor.code, 1)
    assert.notInclude(doctor.out + doctor.err, "topsecret")
    const { checks } = JSON.parse(doctor.out) as {
      checks: ReadonlyArray<{ name: string; state: string; advice: string }>
    }
    assert.deepInclude(
      checks.find((check) => check.name === "database"),
      { state: "problem" }
    )
  })
})

describe("daily work", () => {
  it("adds, shows, completes, moves and deletes", async () => {
    const of = ["--account", "day@example.com"]
    await lat.json(["account", "create", "--email", "day@example.com"])
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
    assert.strictEqual(
      (await lat.run(["list", "show", "Groceries", ...of])).out,
      "🛒 Groceries\n[ ] Buy milk\n  [ ] organic\n"
    )
    assert.deepStrictEqual(await lat.json(["thing", "done", milk.id, ...of]), { updated: 1, skipped: 0 })
    assert.include((await lat.run(["list", "show", "Groceries", ...of])).out, "[x] Buy milk")
    await lat.json(["thing", "move", milk.id, "--to", "today", ...of])
    const today = await lat.run(["today", ...of])
    assert.match(today.out, /^\d{4}-\d\d-\d\d\n\[x\] Buy milk\n$/)
    await lat.json(["thing", "done", milk.id, "--undo", ...of])
    assert.include((await lat.run(["today", "--ids", ...of])).out, `${milk.id}  [ ] Buy milk`)
    assert.deepStrictEqual(await lat.json(["thing", "rm", milk.id, "--yes", ...of]), { deleted: 1 })
    assert.strictEqual((await lat.run(["thing", "done", milk.id, ...of])).code, 1)
    const lists = await lat.json<ReadonlyArray<{ readonly title: string }>>(["list", "ls", ...of])
    assert.deepStrictEqual(
      lists.map((list) => list.title),
      ["Groceries"]
    )
    await lat.json(["list", "archive", "Groceries", ...of])
    assert.deepStrictEqual(await lat.json(["list", "ls", ...of]), [])
  })
})

describe("the installation", () => {
  it("is shown by db status, stats, config and doctor", async () => {
    const status = await lat.json<Record<string, unknown>>(["db", "status"])
    assert.deepInclude(status, { adapter: "postgres", embedded: true, processes: 1 })
    assert.strictEqual(status["schema_version"], status["latest_schema_version"])
    assert.deepStrictEqual(await lat.json(["db", "migrate"]), { applied: [], schema_version: status["schema_version"] })
    const stats = await lat.json<Record<string, number>>(["stats"])
    assert.deepStrictEqual(Object.keys(stats), ["accounts", "keys", "lists", "things", "reminders", "bytes_on_disk"])
    assert.isAbove(stats["bytes_on_disk"]!, 1_000_000)
    const { settings } = await lat.json<{ settings: ReadonlyArray<{ name: string; source: string }> }>(["config"])
    assert.deepInclude(
      settings.find((each) => each.name === "LAT_DATA_DIR"),
      { source: "environment" }
    )
    const doctor = await lat.json<{ ok: boolean; checks: ReadonlyArray<{ name: string }> }>(["doctor"])
    assert.isTrue(doctor.ok)
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
      "clock",
      "last write"
    ]
    assert.deepStrictEqual(names, all)
  })

  it("never colours what is not a terminal, and says nothing with --quiet but the bare value", async () => {
    const shown = await lat.run(["account", "list"], { env: { FORCE_COLOR: "1" } })
    assert.notInclude(shown.out, "\u001b")
    const quiet = await lat.run(["account", "create", "--email", "q@example.com", "--quiet"])
    assert.match(quiet.out, /^[0-9a-f-]{36}\n$/)
    assert.strictEqual(quiet.err, "")
  })

  it("loads no more than it needs", async () => {
    const noting = `import { registerHooks } from "node:module"
      const urls = []
      registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
      process.on("exit", () => console.error(urls.join("\\n")))`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(noting)}` }
    const loaded = (await lat.run(["account", "list"], { env })).err.trim().split("\n")
    assert.isAbove(loaded.length, 100)
    assert.isBelow(loaded.length, 600)
    for (const needless of ["/packages/http/src/App.ts", "/packages/mcp/", "/micromark", "/node_modules/vitest/"]) {
      assert.deepStrictEqual(
        loaded.filter((url) => url.includes(needless)),
        []
      )
    }
  })
})

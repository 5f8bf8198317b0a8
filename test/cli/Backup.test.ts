import { NodeCrypto } from "@effect/platform-node"
import { Backup } from "@lists-and-things/domain/backup/Backup"
import { backupLines } from "@lists-and-things/domain/backup/BackupContent"
import { Restore } from "@lists-and-things/domain/backup/Restore"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { Ids } from "@lists-and-things/domain/model/Ids"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { askAt } from "@lists-and-things/storage-pg/testing/TestServer"
import { until } from "@lists-and-things/testing/Until"
import { Effect, Layer, Redacted, Stream } from "effect"
import { once } from "node:events"
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startFaultProxy } from "../reliability/FaultProxy.ts"
import { statements } from "../reliability/Statements.ts"
import { type Lat, openServedLat } from "./Lat.ts"
import { callerOf } from "@lists-and-things/testing/AsOwner"

let lat: Lat

beforeAll(async () => {
  lat = await openServedLat()
})

afterAll(async () => {
  await lat.close()
})

const things = 10_000

/**
 * `count` things in 100 lists, nested, tagged, some done, a reminder on the first thing of every tenth list, and the last
 * one a clone of the first.
 */
const bigExport = (count = things): string => {
  const last = count - 1
  const id = (kind: number, number: number) => `0190000${kind}-0000-7000-8000-${String(number).padStart(12, "0")}`
  const time = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString()
  const lists = Array.from({ length: 100 }, (_, at) => ({
    ...{ id: id(1, at), title: `List ${at}`, emoji: at % 2 ? "📋" : "", day: at === 7 ? "2026-03-04" : null },
    ...{ favorited: at % 5 === 0, archived: at % 9 === 0, sort: "chronological", created: time(at), updated: time(at) }
  }))
  const all = Array.from({ length: count }, (_, at) => ({
    ...{
      id: id(2, at),
      list_id: id(1, at % 100),
      list_ref: at % 50 === 3 ? id(1, 1) : null,
      clone_of: at === last ? id(2, 0) : null
    },
    ...{
      rank: Date.UTC(2026, 0, 1) + at,
      seq: at % 7,
      tabs: at % 3,
      text: at === last ? "text 0 **ü**" : `text ${at} **ü**`
    },
    ...{
      type: "todo",
      url: "",
      tags: at % 4 === 1 ? ["a", "B"] : [],
      photos: [],
      completed: at % 3 === 1,
      canceled: false
    },
    ...{
      favorited: false,
      bold: false,
      italic: false,
      underline: false,
      header: false,
      subheader: false,
      quote: false
    },
    ...{ code: false, note: at % 100 === 5 ? "two\nlines" : "", created: time(at), updated: time(at) }
  }))
  // A clone shares these fields with its original.
  Object.assign(all[last]!, {
    tags: all[0]!.tags,
    completed: all[0]!.completed,
    list_ref: all[0]!.list_ref,
    note: all[0]!.note
  })
  const reminders = Array.from({ length: 10 }, (_, at) => ({
    ...{
      id: id(3, at),
      thing_id: id(2, at * 10),
      alert_minutes: 5,
      second_alert_minutes: 0,
      color: "#00ff00",
      created: time(at)
    },
    time: {
      ...{
        at: "2027-01-31T08:00:00.000Z",
        all_day: false,
        first: "2026-10-31T09:00:00.000",
        repeat: "monthly",
        every: 1
      },
      ...{ days: [], until: null, duration_minutes: 30, end: "2027-01-31T08:30:00.000Z" }
    },
    place: null
  }))
  const lines = (items: ReadonlyArray<unknown>) => items.map((item) => JSON.stringify(item)).join(",\n")
  const account = {
    ...{ id: "x", email: "x@example.com", name: "Big", timezone: "Europe/Berlin", default_thing_type: "todo" },
    ...{ default_list_sort: "modified", default_reminder_minutes: 0, default_alert_minutes: 0 },
    ...{ default_reminder_color: "", repeat_moves_to_day: true }
  }
  return [
    `{"format": "lists-and-things", "version": 1, "exported": "2026-11-21T00:00:00.000Z",`,
    `"account": ${JSON.stringify(account)}, "places": [],`,
    `"lists": [\n${lines(lists)}\n], "things": [\n${lines(all)}\n], "reminders": [\n${lines(reminders)}\n]}`
  ].join("\n")
}

/** The content of an export without account and time, in a fixed order. */
const comparable = (text: string) => {
  const { account, lists, places, reminders, things } = JSON.parse(text) as Record<string, Array<{ id: string }>> & {
    account: object
  }
  const sorted = (items: Array<{ id: string }> = []) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  // Exports of version 1 have no `all_day_at`.
  const settings = { all_day_at: "09:00", ...account, id: "", email: "" }
  return {
    settings,
    ...Object.fromEntries(Object.entries({ lists, places, reminders, things }).map(([k, v]) => [k, sorted(v)]))
  }
}

/** Restores into a memory storage, and exports from there again. */
const throughMemory = (text: string): Promise<string> =>
  Effect.gen(function* () {
    const account = yield* (yield* Accounts).create({ email: "memory@example.com" })
    const as = Effect.provideService(Caller, callerOf(account))
    yield* as((yield* Restore).run(Stream.make(text), { merge: false }))
    const settled = yield* (yield* Accounts).get(account.id)
    const read = (yield* Backup).read((content) => Stream.runCollect(backupLines({ ...content, account: settled })))
    return (yield* as(read)).flat().join("\n")
  }).pipe(
    Effect.provide(
      Layer.mergeAll(Backup.layer, Restore.layer, Accounts.layer).pipe(
        Layer.provide(Ids.layer),
        Layer.provide(memory),
        Layer.provide(NodeCrypto.layer)
      )
    ),
    Effect.runPromise
  )

const newAccount = (email: string) => lat.json<{ id: string }>(["account", "create", "--email", email])
const countThings = async (email: string) =>
  (await lat.json<{ lists: number; things: number }>(["stats", "--account", email])).things

describe("thousands of things", () => {
  it("are exported and restored, 10,000 of them, from memory to PostgreSQL and back without loss", async () => {
    const fromMemory = await throughMemory(bigExport())
    expect(comparable(fromMemory)).toStrictEqual(comparable(bigExport()))
    await writeFile(join(lat.folder, "big.json"), fromMemory)
    await newAccount("big@example.com")
    const restored = await lat.json(["restore", "big.json", "--account", "big@example.com"])
    expect(restored).toStrictEqual({ lists: 100, things, reminders: 10, skipped: 0 })
    const written = await lat.json<Record<string, unknown> & { files: ReadonlyArray<string> }>([
      "export",
      "--account",
      "big@example.com",
      "--out",
      "out"
    ])
    expect(written).toEqual(expect.objectContaining({ lists: 100, things, reminders: 10 }))
    const fromPostgres = await readFile(join(lat.folder, written.files[0]!), "utf8")
    expect(comparable(fromPostgres)).toStrictEqual(comparable(fromMemory))
    expect(comparable(await throughMemory(fromPostgres))).toStrictEqual(comparable(fromMemory))
    const again = await lat.json(["restore", "big.json", "--account", "big@example.com", "--merge"])
    expect(again).toStrictEqual({ lists: 0, things: 0, reminders: 0, skipped: things + 110 })
  })

  /**
   * `lat restore` into an account, through a proxy that counts the statements of its transaction and sends the program
   * a signal before it forwards statement `at`; waits until the database has no open transaction.
   */
  const restoring = async (email: string, at?: number, signal?: NodeJS.Signals) => {
    const socket = join(lat.env["LAT_DATA_DIR"] ?? "", "postgres/run")
    let sent = 0
    const judge = (sql: string) => {
      if ((sent > 0 || sql === "begin") && ++sent === at) child.kill(signal)
      return undefined
    }
    const proxy = await startFaultProxy({ path: join(socket, ".s.PGSQL.5432") }, statements(judge))
    const env = { DATABASE_URL: `postgres://lat:unused@127.0.0.1:${proxy.port}/postgres` }
    const child = lat.start(["restore", "kill.json", "--account", email], env)
    const [code] = (await once(child, "close")) as [number | null]
    await proxy.close()
    const url = Redacted.make(`postgres:///postgres?host=${encodeURIComponent(socket)}&user=lat`)
    const busy =
      "select 1 from pg_stat_activity where application_name like 'lists-and-things %' and xact_start is not null"
    await until("a database at rest", async () => (await askAt(url, busy)).length === 0)
    return { code, sent }
  }

  it("are all restored or none if the restore is killed at any moment", async () => {
    // Six batches of things, each with statements of its own.
    const few = 3_000
    await writeFile(join(lat.folder, "kill.json"), bigExport(few))
    await newAccount("whole@example.com")
    await newAccount("kill@example.com")
    const whole = await restoring("whole@example.com")
    expect(whole.code).toBe(0)
    for (const [part, signal] of [
      [0.3, "SIGKILL"],
      [0.6, "SIGTERM"],
      [0.9, "SIGKILL"]
    ] as const) {
      const { code } = await restoring("kill@example.com", Math.ceil(part * whole.sent), signal)
      expect(code).not.toBe(0)
      expect(await countThings("kill@example.com")).toBe(0)
    }
    // Killed before the last statement, COMMIT.
    const last = await restoring("kill@example.com", whole.sent, "SIGKILL")
    expect(last).toStrictEqual({ code: null, sent: whole.sent })
    expect([0, few]).toContain(await countThings("kill@example.com"))
    if ((await countThings("kill@example.com")) === 0)
      await lat.json(["restore", "kill.json", "--account", "kill@example.com"])
    expect(await countThings("kill@example.com")).toBe(few)
  })

  it("are all refused, with the line of the damage, if the file is damaged", async () => {
    await newAccount("damage@example.com")
    const lines = bigExport().split("\n")
    const damaged = lines.findIndex((line) => line.includes('"text 4321 '))
    lines[damaged] = lines[damaged]!.replace('"tabs":', '"tab":')
    await writeFile(join(lat.folder, "damage.json"), lines.join("\n"))
    const ended = await lat.run(["restore", "damage.json", "--account", "damage@example.com"])
    expect(ended.code).toBe(1)
    expect(ended.err).toContain(
      `damage.json, line ${damaged + 1}: things[4321].tab is not a known field: did you mean tabs?`
    )
    await writeFile(join(lat.folder, "cut.json"), lines.slice(0, 5000).join("\n"))
    const cut = await lat.run(["restore", "cut.json", "--account", "damage@example.com"])
    expect(cut.err).toContain("cut.json, line 5000 is where this stops being JSON")
    expect(await countThings("damage@example.com")).toBe(0)
  })
})

describe("documents", () => {
  it("are not imported, any of them, if standard input is empty", async () => {
    await newAccount("pipe@example.com")
    const of = ["--account", "pipe@example.com"]
    await writeFile(join(lat.folder, "beside.md"), "- [ ] a\n")
    const { code, err, out } = await lat.run(["import", "beside.md", "-", ...of], { input: "\n" })
    expect([code, out, err]).toStrictEqual([1, "", "lat: Standard input is empty.\nNothing was imported.\n"])
    expect(await lat.json(["list", "list", ...of])).toStrictEqual([])
  })

  it("are imported from files, patterns and standard input, and exported unchanged", async () => {
    const of = ["--account", "docs@example.com"]
    await newAccount("docs@example.com")
    await mkdir(join(lat.folder, "docs"))
    const plan = "# Plan\n\n- [ ] one\n  - [x] two\n- [-] three\n\n## Later\n\n1. four\n\n> five\n"
    await writeFile(join(lat.folder, "docs", "plan.md"), plan)
    await writeFile(join(lat.folder, "docs", "b.md"), "\ufeff# B\r\n- [ ] x\r\n")
    await writeFile(join(lat.folder, "docs", "untitled notes.md"), "- [ ] z\n")
    const imported = await lat.json<ReadonlyArray<{ list: { title: string }; created: number; skipped: number }>>(
      [...["import", "docs/*.md", "-", ...of]],
      { input: "# From stdin\n- y\n" }
    )
    expect(imported.map(({ list, ...counts }) => ({ title: list.title, ...counts }))).toStrictEqual([
      { title: "B", created: 1, skipped: 0 },
      { title: "Plan", created: 6, skipped: 0 },
      { title: "untitled notes", created: 1, skipped: 0 },
      { title: "From stdin", created: 1, skipped: 0 }
    ])
    await lat.json(["export", "--format", "markdown", "--out", "notes", ...of])
    expect((await readdir(join(lat.folder, "notes"))).toSorted()).toStrictEqual([
      "B.md",
      "From stdin.md",
      "Plan.md",
      "untitled notes.md"
    ])
    expect(await readFile(join(lat.folder, "notes", "Plan.md"), "utf8")).toBe(plan)
    const titled = await lat.run(["import", "docs/b.md", "docs/plan.md", "--title", "T", ...of])
    expect(titled.code).toBe(2)
    const missing = await lat.run(["import", "docs/b.md", "docs/none.md", ...of])
    expect(missing.code).toBe(1)
    expect(await lat.json<ReadonlyArray<unknown>>(["list", "ls", ...of])).toHaveLength(4)
  })

  it("are named by their own title, else by the file name", async () => {
    await newAccount("titles@example.com")
    const of = ["--account", "titles@example.com"]
    await mkdir(join(lat.folder, "titles"))
    const documents = {
      "code.md": "Install:\n\n```sh\n# first\n=====\n```\n",
      "comment.md": "<!--\n# hidden\n-->\n- a\n",
      "matter.md": "---\ntitle: From the matter\n---\n- a\n",
      "nested.md": "- a\n\n  # of the item\n"
    }
    for (const [name, text] of Object.entries(documents)) await writeFile(join(lat.folder, "titles", name), text)
    const imported = await lat.json<ReadonlyArray<{ list: { title: string } }>>(["import", "titles/*.md", ...of])
    expect(imported.map(({ list }) => list.title)).toStrictEqual(["code", "comment", "From the matter", "nested"])
    const blank = await lat.run(["import", "titles/code.md", "--title", " ", ...of])
    expect([blank.code, blank.err]).toStrictEqual([2, expect.stringContaining("lat: --title must be text")])
  })
})

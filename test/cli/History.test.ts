import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { userInfo } from "node:os"
import { join } from "node:path"
import type { ChangeJson } from "@lists-and-things/domain/json/ChangeJson"
import type { OperationJson } from "@lists-and-things/domain/json/OperationJson"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { entry, type Lat, openServedLat } from "./Lat.ts"
import { hasTerminals, onTerminal } from "./OnTerminal.ts"

let lat: Lat
beforeAll(async () => {
  lat = await openServedLat()
  await lat.json(["account", "create", "--email", "ann@example.com"])
})
afterAll(async () => {
  await lat.close()
})

const history = (...words: ReadonlyArray<string>) => lat.json<ReadonlyArray<OperationJson>>(["history", ...words])
const addedThing = (text: string) => lat.json<{ readonly id: string }>(["thing", "add", text, "--list", "tomorrow"])

describe("the history on the command line", () => {
  it("shows who changed what, newest first, and since a time", async () => {
    await addedThing("Milk")
    await addedThing("Bread")
    const [newest, before] = await history()
    const by = { type: "operator", id: userInfo().username, name: userInfo().username }
    expect(newest).toMatchObject({ name: "createThing", surface: "cli", by, request_id: null })
    expect(newest!.summary).toContain("“Bread”")
    expect(await history("--since", before!.at)).toStrictEqual([newest])
    expect(await history("--by", "nobody")).toStrictEqual([])
    const shown = await lat.run(["history"])
    expect(shown.out).toContain(newest!.summary)
    expect((await history("--since", "yesterday")).map(({ id }) => id)).toContain(newest!.id)
    expect(await history("--since", "tomorrow")).toStrictEqual([])
    const soon = await lat.run(["history", "--since", "soon"])
    expect([soon.code, soon.err]).toStrictEqual([
      2,
      expect.stringMatching(
        /^lat: --since must be an ISO 8601 .*, not "soon"\. For example --since '2026-11-21T09:00'\n/
      )
    ])
  })

  it("finds what was deleted, and shows it", async () => {
    const { id } = await lat.json<{ readonly id: string }>([
      ...["thing", "add", "Old letters", "--list", "tomorrow", "--tag", "attic", "--note", "In the box."]
    ])
    await lat.json(["thing", "edit", id, "--text", "Oldest letters"])
    await lat.json(["thing", "delete", id, "--yes"])
    const [deleted, ...others] = await history("--find", "DELETED “oldest")
    expect([deleted!.summary, others]).toStrictEqual(["Deleted “Oldest letters”", []])
    expect((await history("--thing", id)).map(({ name }) => name)).toStrictEqual([
      "deleteThings",
      "updateThing",
      "createThing"
    ])
    const shown = (await lat.run(["history", "show", deleted!.id])).out.split("\n")
    expect(shown).toContain("undo  possible")
    expect(shown.slice(-4, -1)).toStrictEqual([
      `Deleted the thing “Oldest letters” (${id})`,
      '  tags: ["attic"]',
      '  note: "In the box."'
    ])
    const [edited] = await history("--find", "oldest letters", "--since", "yesterday", "--thing", id)
    expect(edited!.id).toBe(deleted!.id)
    const change = (await history("--thing", id))[1]!
    expect((await lat.run(["history", "show", change.id])).out).toContain(
      '\n  text: "Old letters" -> "Oldest letters"\n'
    )
    expect(await lat.json(["history", "show", change.id])).toMatchObject({ operation: { id: change.id } })
    const unknown = await lat.run(["history", "show", "nothing"])
    expect([unknown.code, unknown.err]).toStrictEqual([1, "lat: No operation of yours has the id 'nothing'.\n"])
  })

  it("takes back the newest change, or a named one, where it may", async () => {
    const { id } = await addedThing("Butter")
    await lat.json(["today", "--date", "2031-02-03"])
    const asked = await lat.run(["undo"])
    expect([asked.code, asked.err]).toStrictEqual([2, expect.stringContaining("--yes")])
    expect(asked.err).toMatch(/^lat: Undoing “Added “Butter”.*”: add --yes where nobody can be asked\n/)
    const done = await lat.json<{ readonly operation: OperationJson; readonly undone: OperationJson }>([
      "undo",
      "--yes"
    ])
    expect(done.undone).toMatchObject({ name: "createThing", undone_by: done.operation.id })
    expect((await lat.run(["thing", "done", id])).code).toBe(1)
    const blocked = await lat.run(["undo", done.undone.id, "--yes"])
    expect([blocked.code, blocked.err]).toStrictEqual([1, expect.stringContaining(done.operation.id)])
    expect((await lat.run(["undo", done.operation.id, "--yes"])).code).toBe(0)
    expect((await lat.run(["thing", "done", id])).code).toBe(0)
  })

  it.runIf(hasTerminals)("says what it would take back, and asks", async () => {
    const { id } = await addedThing("Cheese")
    const asked = async (keys: string) => {
      const terminal = onTerminal([process.execPath, entry, "undo"], { env: lat.env, cwd: lat.folder })
      await terminal.sees("Undoing “Added “Cheese”")
      await terminal.sees("? [y/N] ")
      terminal.type(keys)
      return [await terminal.ended, terminal.screen()]
    }
    const nothing = expect.stringContaining("lat: Nothing was changed.")
    expect(await asked("n\r")).toStrictEqual([1, nothing])
    expect(await asked("\u0004")).toStrictEqual([1, nothing])
    expect(await asked("\u0003")).toStrictEqual([130, expect.not.stringContaining("doctor")])
    expect((await lat.run(["thing", "show", id])).code).toBe(0)
    expect(await asked("y\r")).toStrictEqual([0, expect.stringContaining("Undid: Added “Cheese”")])
    expect((await lat.run(["thing", "show", id])).code).toBe(1)
  })

  it("takes back several in the order given, up to the first that it may not", async () => {
    const first = await addedThing("Rice")
    const second = await addedThing("Beans")
    await lat.json(["thing", "done", first.id])
    const [done, addedSecond, addedFirst] = (await history()).map(({ id }) => id) as [string, string, string]
    const unknown = await lat.run(["undo", addedSecond, "nothing", "--yes"])
    expect([unknown.code, unknown.err]).toStrictEqual([1, "lat: No operation of yours has the id 'nothing'.\n"])
    const stopped = await lat.run(["undo", addedSecond, addedFirst, done, "--yes"])
    expect([stopped.code, stopped.out]).toStrictEqual([1, ""])
    expect(stopped.err).toMatch(
      new RegExp(
        `^lat: ${addedFirst}: This cannot be undone: .*\\nBefore it: Undid: Added “Beans” .*\\. 1 operation after it was not tried\\.\\n$`
      )
    )
    expect((await lat.run(["thing", "show", second.id])).code).toBe(1)
    const both = await lat.json<ReadonlyArray<{ readonly undone: OperationJson }>>(["undo", done, addedFirst, "--yes"])
    expect(both.map(({ undone }) => undone.id)).toStrictEqual([done, addedFirst])
    expect((await lat.run(["thing", "show", first.id])).code).toBe(1)
  })

  it("takes back all that somebody did since a time, as one operation", async () => {
    const [{ at, by }] = (await history()) as readonly [OperationJson]
    const { id } = await addedThing("Eggs")
    await lat.json(["thing", "done", id])
    const who = ["--by", by.id, "--since", at, "--yes"]
    const { undone } = await lat.json<{ readonly undone: ReadonlyArray<OperationJson> }>(["undo", ...who])
    expect(undone.map(({ name }) => name)).toStrictEqual(["updateThings", "createThing"])
    expect((await lat.run(["thing", "done", id])).code).toBe(1)
    expect((await lat.run(["undo", "--by", by.id, "--yes"])).code).toBe(2)
  })

  it("erases what operations keep", async () => {
    const { id } = await addedThing("Cheese")
    await lat.json(["thing", "rm", id, "--yes"])
    const [removed] = (await history()) as readonly [OperationJson]
    const erase = ["history", "erase", "ann@example.com"]
    expect(await lat.json([...erase, "--operation", removed.id, "--yes"])).toStrictEqual({ erased: 1 })
    expect((await lat.run(["undo", removed.id, "--yes"])).code).toBe(1)
    expect((await lat.run([...erase, "--operation", "nothing", "--yes"])).code).toBe(1)
    expect((await lat.run([...erase, "--operation", removed.id, "--before", removed.at, "--yes"])).code).toBe(2)
  })

  it("writes changes as JSON lines, and goes on where it was", async () => {
    const file = join(lat.folder, "cursor")
    const lines = async (): Promise<ReadonlyArray<ChangeJson>> => {
      const { code, out } = await lat.run(["changes", "--cursor-file", file])
      expect(code).toBe(0)
      return out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ChangeJson]))
    }
    expect((await lines()).map(({ type }) => type)).toContain("account")
    expect(await lines()).toStrictEqual([])
    const { id } = await addedThing("Jam")
    expect((await lines()).filter(({ type }) => type === "thing")).toMatchObject([{ id, change: "put" }])

    const following = lat.start(["changes", "--follow", "--cursor-file", file])
    const written = once(following.stdout!, "data")
    const before = await readFile(file, "utf8")
    await lat.json(["thing", "rm", id, "--yes"])
    expect(String((await written)[0])).toContain(id)
    following.kill("SIGINT")
    expect((await once(following, "exit"))[0]).toBe(130)
    expect(await readFile(file, "utf8")).not.toBe(before)
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGHUP", 129]
    ] as const) {
      const ended = lat.start(["changes", "--follow"])
      await once(ended.stdout!, "data")
      ended.kill(signal)
      expect((await once(ended, "exit"))[0]).toBe(code)
    }
    await writeFile(file, "no cursor")
    const { code, err, out } = await lat.run(["changes", "--cursor-file", file])
    expect([code, out]).toStrictEqual([1, ""])
    expect(err).toContain(`${file} has no cursor from which this account's changes go on`)
    expect(await readFile(file, "utf8")).toBe("no cursor")
    const folder = join(lat.folder, "missing")
    const lost = await lat.run(["changes", "--cursor-file", join(folder, "cursor")])
    expect([lost.code, lost.out]).toStrictEqual([1, ""])
    expect(lost.err).toContain(`cannot be written: there is no folder ${folder}.`)
  })
})

import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import type { OperationJson } from "@lists-and-things/domain/json/OperationJson"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { openCommands } from "./InProcess.ts"

const lat = openCommands()
const folder = mkdtempSync(join(tmpdir(), "lat-history-"))

beforeAll(async () => {
  await lat.quiet(["account", "create", "--email", "ann@example.com"])
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await lat.close()
})

interface Shown {
  readonly id: string
  readonly at: string
  readonly by: { readonly id: string }
}

const newest = async () => (await lat.json<ReadonlyArray<Shown>>(["history"]))[0]!

const history = (...words: ReadonlyArray<string>) => lat.json<ReadonlyArray<OperationJson>>(["history", ...words])
const addedThing = (text: string) => lat.json<{ readonly id: string }>(["thing", "add", text, "--list", "tomorrow"])

describe("the history on the command line", () => {
  it("shows who changed what, newest first, and filters by time and person", async () => {
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

  it("finds operations by words, and shows the name of an added thing and the fields of a deleted one", async () => {
    const { id } = await lat.json<{ readonly id: string }>([
      ...["thing", "add", "Old letters", "--list", "tomorrow", "--tag", "attic", "--note", "In the box."]
    ])
    await lat.json(["thing", "edit", id, "--text", "Oldest letters"])
    const added = (await history("--thing", id))[1]!
    expect((await lat.run(["history", "show", added.id])).out).toContain(`Created the thing “Oldest letters” (${id})\n`)
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

  it("undoes the newest change or a named one, and refuses one that is already undone", async () => {
    const { id } = await addedThing("Butter")
    await lat.json(["today", "--date", "2031-02-03"])
    const asked = await lat.run(["undo"])
    expect([asked.code, asked.err]).toStrictEqual([2, expect.stringContaining("--yes")])
    expect(asked.err).toMatch(/^lat: Undoing “Added “Butter”.*”: confirm with --yes\n/)
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

  it("undoes several operations in the given order, up to the first that cannot be undone", async () => {
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

  it("undoes all operations of a person since a time", async () => {
    const [{ at, by }] = (await history()) as readonly [OperationJson]
    const { id } = await addedThing("Eggs")
    await lat.json(["thing", "done", id])
    const who = ["--by", by.id, "--since", at, "--yes"]
    const { undone } = await lat.json<{ readonly undone: ReadonlyArray<OperationJson> }>(["undo", ...who])
    expect(undone.map(({ name }) => name)).toStrictEqual(["updateThings", "createThing"])
    expect((await lat.run(["thing", "done", id])).code).toBe(1)
    expect((await lat.run(["undo", "--by", by.id, "--yes"])).code).toBe(2)
  })

  it("erases the stored content of an operation, which then cannot be undone", async () => {
    const { id } = await addedThing("Cheese")
    await lat.json(["thing", "rm", id, "--yes"])
    const [removed] = (await history()) as readonly [OperationJson]
    const erase = ["history", "erase", "ann@example.com"]
    expect(await lat.json([...erase, "--operation", removed.id, "--yes"])).toStrictEqual({ erased: 1 })
    expect((await lat.run(["undo", removed.id, "--yes"])).code).toBe(1)
    expect((await lat.run([...erase, "--operation", "nothing", "--yes"])).code).toBe(1)
    expect((await lat.run([...erase, "--operation", removed.id, "--before", removed.at, "--yes"])).code).toBe(2)
  })
})

describe("lat history erase", () => {
  it("erases the history before a time, or all of it, after a question", async () => {
    const erase = ["history", "erase", "ann@example.com"]
    await lat.quiet(["thing", "add", "a"])
    const { at } = await newest()
    expect((await lat.run(erase, { answers: [""] })).code).toBe(1)
    expect(await lat.json([...erase, "--before", "2020-01-01", "--yes"])).toStrictEqual({ erased: 0 })
    const { erased } = await lat.json<{ erased: number }>([...erase, "--yes"])
    expect(erased).toBeGreaterThan(0)
    expect(await lat.quiet([...erase, "--yes"])).toBe("0")
    const both = await lat.run([...erase, "--operation", "x", "--before", at, "--yes"])
    expect([both.code, both.err]).toStrictEqual([2, expect.stringMatching(/^lat: --operation and --before exclude/)])
    const unknown = await lat.run([...erase, "--operation", "x", "--yes"])
    expect([unknown.code, unknown.err]).toStrictEqual([1, "lat: The history keeps nothing of an operation 'x'.\n"])
  })
})

describe("lat undo", () => {
  it("takes either operations or --by with --since, and no mixture", async () => {
    await lat.quiet(["thing", "add", "b"])
    const { at, by, id } = await newest()
    const usage = "lat: name operations, or give --by with --since, or neither\n"
    for (const words of [
      ["--by", by.id],
      ["--since", at],
      [id, "--since", at],
      [id, "--by", by.id, "--since", at]
    ]) {
      const { code, err } = await lat.run(["undo", ...words, "--yes"])
      expect([code, err]).toStrictEqual([2, expect.stringContaining(usage)])
    }
    const twice = await lat.json<{ readonly undone: Shown }>(["undo", id, id, "--yes"])
    expect(twice.undone.id).toBe(id)
  })

  it("says what was undone before the operation that cannot be, and nothing of others if it was the last", async () => {
    const add = async (text: string) => ({ thing: await lat.quiet(["thing", "add", text]), id: (await newest()).id })
    const [one, two] = [await add("c"), await add("d")]
    await lat.quiet(["thing", "edit", one.thing, "--note", "later"])
    const { code, err } = await lat.run(["undo", two.id, one.id, "--yes"])
    expect([code, err]).toStrictEqual([1, expect.stringMatching(/\nBefore it: Undid: Added “d” .*\)\.\n$/)])
    const asked = await lat.run(["undo", two.id, one.id], { answers: ["n"] })
    expect(asked.err).toMatch(/^Undoing 2 operations\? \[y\/N\] /)
  })
})

describe("lat changes", () => {
  it("writes all changes, page by page, and later only those after the cursor of its file", async () => {
    const file = join(folder, "cursor")
    for (const n of Array.from({ length: 6 }).keys()) {
      const lines = Array.from({ length: 100 }, (_, at) => `- ${n} ${at}`).join("\n")
      await lat.quiet(["import", "-", "--title", `L${n}`], { input: lines })
    }
    const all = (await lat.output(["changes", "--cursor-file", file])).split("\n")
    expect(all.length).toBeGreaterThan(606)
    expect(readFileSync(file, "utf8")).toMatch(/^\S+\n$/)
    expect(await lat.output(["changes", "--cursor-file", file])).toBe("")
    const id = await lat.quiet(["thing", "add", "new"])
    const later = (await lat.output(["changes", "--cursor-file", file])).split("\n")
    expect(later.length).toBeLessThan(10)
    expect(later.join("\n")).toContain(id)
  })
})

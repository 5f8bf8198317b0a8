import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
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

describe("lat history erase", () => {
  it("erases what was before a time, or all, and asks", async () => {
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
  it("takes operations, or who and since, and no mixture of them", async () => {
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

  it("says what was undone before the one that cannot be, and nothing of others where it was the last", async () => {
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
  it("writes all, page for page, and from its file on only what is new", async () => {
    const file = join(folder, "cursor")
    for (const n of Array.from({ length: 6 }).keys()) {
      const lines = Array.from({ length: 100 }, (_, at) => `- ${n} ${at}`).join("\n")
      await lat.quiet(["import", "-", "--title", `L${n}`], { input: lines })
    }
    const all = (await lat.said(["changes", "--cursor-file", file])).split("\n")
    expect(all.length).toBeGreaterThan(606)
    expect(readFileSync(file, "utf8")).toMatch(/^\S+\n$/)
    expect(await lat.said(["changes", "--cursor-file", file])).toBe("")
    const id = await lat.quiet(["thing", "add", "new"])
    const later = (await lat.said(["changes", "--cursor-file", file])).split("\n")
    expect(later.length).toBeLessThan(10)
    expect(later.join("\n")).toContain(id)
  })
})

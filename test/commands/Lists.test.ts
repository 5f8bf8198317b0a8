import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { openCommands } from "./InProcess.ts"

const lat = openCommands()

beforeAll(async () => {
  await lat.quiet(["account", "create", "--email", "ann@example.com"])
})

afterAll(() => lat.close())

interface Shown {
  readonly id: string
}

const all = () => lat.json<ReadonlyArray<Shown>>(["list", "list"])

describe("lat list", () => {
  it("creates and changes a list by its options", async () => {
    const made = await lat.json<Shown>(["list", "create", "Food", "--emoji", "🛒", "--sort", "modified"])
    expect(made).toMatchObject({ title: "Food", emoji: "🛒", sort: "modified", favorited: false })
    const edited = await lat.json(["list", "edit", "Food", "--emoji", "🍎", "--favorited", "true"])
    expect(edited).toMatchObject({ id: made.id, title: "Food", emoji: "🍎", favorited: true })
    expect(await lat.quiet(["list", "list"])).toBe(made.id)
    expect(await lat.output(["list", "list", "--page", "7"])).toBe(
      "Page 7 is beyond the last page; the first one is 0."
    )
  })

  it("shows numbered things with their numbers, which begin anew under each", async () => {
    const input = "1. Dough\n   1. Knead\n2. Sauce\n   1. Chop\n   2. Stir\n"
    await lat.quiet(["import", "-", "--title", "Pizza"], { input })
    const [, ...lines] = (await lat.output(["list", "show", "Pizza"])).split("\n")
    expect(lines.map((line) => line.replace(/^\w+ +/, ""))).toStrictEqual([
      ...["1. Dough", "1. Knead", "2. Sauce", "1. Chop", "2. Stir"]
    ])
  })

  it("archives a list, and unarchives it by its title", async () => {
    const id = await lat.quiet(["list", "create", "Old"])
    expect(await lat.json(["list", "archive", "Old"])).toMatchObject({ id, archived: true })
    expect(await lat.quiet(["list", "list", "--archived"])).toBe(id)
    expect(await lat.json(["list", "archive", "Old", "--undo"])).toMatchObject({ id, archived: false })
  })

  it("deletes a list only after confirmation, and not in a dry run", async () => {
    const id = await lat.quiet(["list", "create", "Gone"])
    await lat.quiet(["thing", "add", "a", "--list", "Gone"])
    const kept = await lat.run(["list", "delete", "Gone"], { answers: ["n"] })
    expect([kept.code, kept.err]).toStrictEqual([
      1,
      "Deleting the list Gone with 1 thing? [y/N] lat: Nothing was changed.\n"
    ])
    expect(await lat.output(["list", "delete", "Gone", "--dry-run"])).toMatch(/^Dry run: .*Nothing was changed\.$/m)
    expect((await all()).map((list) => list.id)).toContain(id)
    expect(await lat.json(["list", "delete", "Gone", "--yes"])).toStrictEqual({ deleted: id })
    expect((await all()).map((list) => list.id)).not.toContain(id)
  })

  it("shows all lists, more than one page", async () => {
    const before = (await all()).length
    for (const n of Array.from({ length: 120 }).keys()) await lat.quiet(["list", "create", `List ${n}`])
    expect(await all()).toHaveLength(before + 120)
    expect((await lat.run(["search", "List"])).err).toBe("There are more lists: add words to find fewer.\n")
    const changes = ["history", "--find", "Created the list “List"]
    expect(await lat.json([...changes, "--since", "yesterday"])).toHaveLength(120)
  })
})

import { afterAll, expect, it } from "@effect/vitest"
import { openCommands } from "./InProcess.ts"

const lat = openCommands()
afterAll(() => lat.close())

it("--dry-run of commands that write counts what they would change, and changes nothing", async () => {
  const account = ["--account", "ann@example.com"]
  await lat.json(["account", "create", "--email", "ann@example.com"])
  const list = await lat.json<{ id: string }>(["list", "create", "Groceries"])
  const thing = await lat.json<{ id: string }>(["thing", "add", "Milk", "--list", list.id])
  const backup = JSON.stringify(await lat.json(["list", "show", list.id]))
  const lists = await lat.json(["list", "ls"])
  const told = async (words: ReadonlyArray<string>, counts: object) => {
    const answer = await lat.json([...words, "--dry-run"], { input: "# T\n- a\n" })
    expect(answer, words.join(" ")).toMatchObject({ dry_run: true, counts, summary: expect.any(String) })
  }
  const commands: ReadonlyArray<[ReadonlyArray<string>, object]> = [
    [["list", "create", "Books"], { lists: 1 }],
    [["list", "edit", "Groceries", "--title", "Food"], { lists: 1 }],
    [["list", "archive", "Groceries"], { lists: 1 }],
    [["list", "archive", "tomorrow"], { lists: 1 }],
    [["list", "delete", "Groceries"], { lists: 1, things: 1 }],
    [["thing", "add", "Tea"], { lists: 1, things: 1 }],
    [["thing", "done", thing.id], { things: 1 }],
    [["thing", "move", thing.id, "--to", "tomorrow"], { lists: 1, things: 1 }],
    [["thing", "rm", thing.id], { things: 1 }],
    [["import", "-", ...account], { lists: 1, things: 1 }],
    [["import", "-", "--list", "Groceries", ...account], { things: 2 }],
    [["account", "set", "ann@example.com", "--timezone", "Asia/Tokyo"], {}]
  ]
  for (const [words, counts] of commands) await told(words, counts)
  expect(JSON.stringify(await lat.json(["list", "show", list.id]))).toBe(backup)
  expect(await lat.json(["list", "ls"])).toStrictEqual(lists)
  expect(await lat.json(["account", "show", "ann@example.com"])).toMatchObject({ timezone: "UTC" })
  expect(await lat.output(["list", "delete", "Groceries", "--dry-run"])).toBe(
    [
      "Dry run: Deleted the list “Groceries” with 1 thing (1 list, 1 thing). Nothing was changed.",
      `Deleted the list “Groceries” (${list.id})`,
      `Deleted the thing “Milk” (${thing.id})`
    ].join("\n")
  )
  expect(await lat.output(["thing", "rm", thing.id, "--dry-run"])).toBe(
    "Dry run: Deleted “Milk” (1 thing). Nothing was changed."
  )
  expect(await lat.output(["thing", "done", thing.id, "--dry-run"])).toMatch(
    /^Dry run: Completed .*\nChanged the thing “Milk” .*\n  completed: false -> true$/
  )
  expect(await lat.output(["import", "-", "--dry-run", ...account], { input: "# Food\n- Rice\n" })).toBe(
    [
      "Dry run: Imported the list “Food” with 1 thing (1 list, 1 thing). Nothing was changed.",
      "Created the list “Food”",
      "Created the thing “Rice”"
    ].join("\n")
  )
  expect(await lat.output(["account", "set", "ann@example.com", "--timezone", "UTC", "--dry-run"])).toBe(
    "Dry run: Nothing would change."
  )
  const unknown = await lat.run(["thing", "rm", list.id, "--dry-run"])
  expect(unknown.code).toBe(1)
})

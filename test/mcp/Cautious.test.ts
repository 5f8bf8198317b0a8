import { describe, expect, it } from "@effect/vitest"
import type { Connection, Json } from "./Clients.ts"
import { forEachPerson } from "./EachPerson.ts"

let mcp: Connection
forEachPerson((connection) => {
  mcp = connection
})

const textOf = async (name: string, args: object): Promise<string> => {
  const result = (await mcp.client.callTool({ name, arguments: args as Record<string, unknown> })) as Json
  expect(result.isError).toBe(true)
  return result.content[0].text
}

const nobody = "0199f0c2-7a51-7c3e-9d1b-000000000000"

describe("if_updated", () => {
  it("refuses a time that is later than the thing's, as well as an earlier one", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "Milk", list: "today" })
    const updated = Date.parse(thing.updated)
    for (const seen of [updated - 1, updated + 1]) {
      const args = { thing_id: thing.id, if_updated: new Date(seen).toISOString() }
      expect(await textOf("update_thing", { ...args, text: "Tea" })).toContain("Nothing was changed")
      expect(await textOf("delete_thing", args)).toContain("Nothing was changed")
    }
    expect(
      (await mcp.ok("update_thing", { thing_id: thing.id, if_updated: thing.updated, text: "Tea" })).thing.text
    ).toBe("Tea")
  })

  it("lets a thing change only if it is as seen, and otherwise shows its present state", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "Milk", list: "today" })
    const seen = { thing_id: thing.id, if_updated: thing.updated }
    const changed = await mcp.ok("update_thing", { ...seen, text: "Oat milk", request_id: "r1" })
    expect(changed.thing.text).toBe("Oat milk")
    for (const [name, args] of [
      ["update_thing", { ...seen, text: "Soy milk" }],
      ["delete_thing", seen]
    ] as const) {
      const text = await textOf(name, args)
      for (const part of ["Nothing was changed", '"text":"Oat milk"', changed.thing.updated])
        expect(text).toContain(part)
    }
    const again = { ...seen, if_updated: changed.thing.updated, text: "Oat milk", request_id: "r1" }
    expect((await mcp.ok("update_thing", again)).operation_id).toBe(changed.operation_id)
    expect(await textOf("update_thing", { ...seen, thing_id: nobody, text: "x" })).toContain("No thing")
    expect(await textOf("delete_thing", { ...seen, thing_id: nobody })).toContain("does not exist any more")
    const gone = await mcp.ok("delete_thing", { thing_id: thing.id, if_updated: changed.thing.updated })
    expect(gone.success).toBe(true)
  })
})

describe("a call that is repeated because its answer was lost", () => {
  it("may name its arguments in another order", async () => {
    const request_id = "groceries-1"
    const items = [{ text: "Milk", tags: ["dairy"] }, { text: "Bread" }]
    const first = await mcp.ok("create_things", { items, list: "today", request_id })
    const reordered = [{ tags: ["dairy"], text: "Milk" }, { text: "Bread" }]
    expect(await mcp.ok("create_things", { request_id, list: "today", items: reordered })).toEqual(first)
    const other = [{ text: "Bread" }, { text: "Milk", tags: ["dairy"] }]
    expect(await textOf("create_things", { items: other, list: "today", request_id })).toContain("other arguments")
    expect((await mcp.ok("get_today")).things).toHaveLength(2)
  })

  it("gets the notice of the first call again", async () => {
    const items = [{ text: "Milk" }, { text: "Eggs", list: "Nowhere" }]
    const args = { items, list: "today", skip_duplicates: null, request_id: "groceries-2" }
    const first = await mcp.ok("create_things", args)
    expect(first.notice).toBe("Skipped items[1] (its own list is unknown).")
    expect(await mcp.ok("create_things", args)).toEqual(first)

    const nothing = { ids: [nobody], completed: true, canceled: null, request_id: "groceries-3" }
    const skipped = await mcp.ok("update_things", nothing)
    expect(skipped.notice).toContain("Skipped ids[0]")
    expect(await mcp.ok("update_things", nothing)).toEqual(skipped)
  })
})

describe("dry_run", () => {
  it("tells what a tool would do, and does nothing", async () => {
    const { list } = await mcp.ok("create_list", { title: "Groceries", things: [{ text: "Milk" }, { text: "Bread" }] })
    const before = await mcp.ok("get_list", { list_id: list.id })
    const ids = before.things.map(({ id }: Json) => id)
    const lists = await mcp.ok("list_lists", {})
    const calls: ReadonlyArray<[string, object, object]> = [
      ["update_thing", { thing_id: ids[0], text: "Tea", request_id: "r" }, { things: 1 }],
      ["update_things", { ids, completed: true }, { things: 2 }],
      ["delete_thing", { thing_id: ids[0], request_id: "r" }, { things: 1 }],
      ["delete_things", { ids }, { things: 2 }],
      ["delete_list", { list_id: list.id }, { lists: 1, things: 2 }],
      ["import_markdown", { markdown: "# T\n- a\n" }, { lists: 1, things: 1 }],
      ["append_markdown", { markdown: "- a\n" }, { lists: 1, things: 1 }]
    ]
    for (const [name, args, counts] of calls) {
      const told = await mcp.ok(name, { ...args, dry_run: true })
      expect(told, name).toMatchObject({ dry_run: true, counts, summary: expect.any(String) })
      const total = Object.values(counts).reduce((sum: number, each: number) => sum + each, 0)
      expect(told.entities, name).toHaveLength(total)
      expect(told, name).not.toHaveProperty("operation_id")
    }
    expect(await mcp.ok("get_list", { list_id: list.id })).toStrictEqual(before)
    expect(await mcp.ok("list_lists", {})).toStrictEqual(lists)
    expect(await textOf("delete_list", { list_id: list.id, dry_run: "yes" })).toContain("dry_run")
    expect(await textOf("create_list", { title: "T", dry_run: true })).toContain("dry_run")
    expect((await mcp.ok("delete_list", { list_id: list.id, dry_run: false })).success).toBe(true)
  })
})

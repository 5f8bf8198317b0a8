import { describe, expect, it } from "@effect/vitest"
import { type Json, type Connection, overHttp } from "./Clients.ts"
import { forEachPerson } from "./EachPerson.ts"
import type { McpServer, Person } from "./McpServer.ts"

let server: McpServer
let person: Person
let mcp: Connection
forEachPerson((connection, owner, running) => {
  mcp = connection
  person = owner
  server = running
})

const rest = (path: string): Promise<Json> => server.rest(person, path)

describe("things", () => {
  it("are compact unless detail is full, which is what REST answers", async () => {
    const created = await mcp.ok("create_thing", { text: "a **b**", header: true, note: "long", list: "today" })
    const [compact] = (await mcp.ok("get_today")).things
    expect(compact).toEqual(created.thing)
    expect(compact).toMatchObject({ style: ["bold", "header"], has_note: true })
    expect(Object.values(compact)).not.toContain(false)
    const { thing } = await rest(`/things/${compact.id}`)
    expect((await mcp.ok("get_today", { detail: "full" })).things).toEqual([thing])
    expect((await mcp.ok("get_thing", { thing_id: compact.id })).thing).toEqual(thing)
    expect(await mcp.ok("search", { query: "a b" })).toEqual(await rest("/search?query=a%20b"))
    const none = await mcp.ok("search", { query: "b a" })
    expect([none.results, none.notice]).toEqual([
      [],
      "No title or text has these words side by side. Search for one of them."
    ])
    expect((await mcp.ok("search", { query: "nowhere" })).notice).toMatch(/^No title or text has this\. /)
    expect((await mcp.ok("search", { query: "long" })).notice).toMatch(/Notes and tags are not searched\.$/)
    expect(await mcp.ok("fetch", { id: compact.id })).toEqual(await rest(`/fetch?id=${compact.id}`))
  })

  it("have in the compact form each field that is not empty, and no other", async () => {
    const { thing: plain } = await mcp.ok("create_thing", { text: "x", list: "today" })
    expect(Object.keys(plain).toSorted()).toEqual(["id", "list_id", "text", "type", "updated"])
    const fields = {
      url: "https://example.com/",
      tags: ["a"],
      tabs: 1,
      canceled: true,
      favorited: true,
      photos: ["https://example.com/a.png"],
      list_ref: plain.list_id
    }
    const { thing } = await mcp.ok("create_thing", { text: "y", list: "today", ...fields })
    expect(thing).toMatchObject(fields)
    const { thing: copy } = await mcp.ok("create_thing", { text: "", list: "today", clone_of: plain.id })
    expect(copy).toMatchObject({ clone_of: plain.id })
  })

  it("have their text cut at max_text characters", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "🛒".repeat(300), list: "today" })
    await mcp.ok("set_reminder", { thing_id: thing.id, at: "2099-01-01T09:00" })
    const remindedOf = async (args: object) => (await mcp.ok("get_today", args)).reminders[0].text
    expect(await remindedOf({})).toBe(`${"🛒".repeat(280)}…`)
    expect(await remindedOf({ max_text: 2 })).toBe("🛒🛒…")
    expect(await remindedOf({ max_text: 300 })).toBe("🛒".repeat(300))
    expect((await mcp.ok("get_today")).things[0].text).toBe(`${"🛒".repeat(280)}…`)
    expect((await mcp.ok("get_today", { max_text: 2 })).things[0].text).toBe("🛒🛒…")
    expect((await mcp.ok("list_things", { max_text: 1 })).things[0].text).toBe("🛒…")
    expect((await mcp.ok("list_things", { max_text: 1_000_000 })).things[0].text).toBe("🛒".repeat(300))
  })

  it("take tags in one text, as people write them", async () => {
    const tagsOf = async (tags: string) => (await mcp.ok("create_thing", { text: "x", tags })).thing.tags
    expect(await tagsOf("#home #late night, garden")).toEqual(["home", "late night", "garden"])
    expect(await tagsOf("unit #4")).toEqual(["unit #4"])
  })

  it("are unchanged by arguments left out, and cleared by empty ones", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "x", url: "example.com", note: "n", tags: ["a"] })
    await mcp.ok("update_thing", { thing_id: thing.id, url: "", tags: [] })
    const after = (await mcp.ok("get_thing", { thing_id: thing.id })).thing
    expect([after.text, after.url, after.note, after.tags]).toEqual(["x", "", "n", []])
  })
})

describe("errors", () => {
  it("an unclear name lists its candidates and nothing is written", async () => {
    const one = await mcp.ok("create_list", { title: "Work" })
    const two = await mcp.ok("create_list", { title: "work" })
    const text = await mcp.fails("create_thing", { text: "x", list: "WORK" })
    expect(text).toContain(one.list.id)
    expect(text).toContain(two.list.id)
    expect(text).toMatch(/use list_id\. Nothing was changed\.$/)
    expect((await mcp.ok("list_things")).things).toEqual([])
  })

  it("foreign and unknown ids read the same", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "mine" })
    const other = await overHttp("maintenance SDK", { url: server.url, token: (await server.person()).token })
    const cases = [
      ["get_thing", { thing_id: thing.id }],
      ["update_thing", { thing_id: thing.id, text: "yours" }],
      ["set_reminder", { thing_id: thing.id, at: "2031-01-01" }],
      ["get_list", { list_id: thing.list_id }],
      ["update_list", { list_id: thing.list_id, title: "x" }],
      ["fetch", { id: thing.id }]
    ] as const
    for (const [name, args] of cases) {
      const unknown = Object.fromEntries(
        Object.entries(args).map(([key, value]) => [key, value.includes("-") && key.endsWith("id") ? "nope" : value])
      )
      // The id that was sent is repeated; every other word is the same.
      const words = async (sent: object) => (await other.fails(name, sent)).replaceAll(/'[^']*'/g, "an id")
      expect(await words(args), name).toBe(await words(unknown))
    }
    expect(await other.ok("delete_thing", { thing_id: thing.id })).toMatchObject({ success: true })
    expect((await mcp.ok("get_thing", { thing_id: thing.id })).thing.text).toBe("mine")
  })

  it("for a missing day list name get_today", async () => {
    expect(await mcp.fails("get_list", { list: "tomorrow" })).toMatch(
      /Call get_today with date "tomorrow": it makes the day list\.$/
    )
  })

  it("name the argument of a reading tool that was meant, and never one that only looks similar", async () => {
    const tried: ReadonlyArray<[string, object, string]> = [
      ["get_list", { limit: 5 }, 'use page_size. For example "page_size": 100.'],
      ["get_list", { title: "a" }, 'use list. For example "list": "today".'],
      ["list_things", { limit: 5 }, 'pages have a fixed size, and page asks for the next. For example "page": 1.'],
      ["list_things", { offset: 50 }, "use page."],
      ["list_things", { query: "milk" }, "search finds titles and texts."],
      ["list_things", { page_size: 5 }, 'pages have a fixed size, and page asks for the next. For example "page": 1.'],
      ["list_things", { date: "tomorrow" }, 'use list. For example "list": "today".'],
      ["get_list", { date: "tomorrow" }, 'use list. For example "list": "today".'],
      ["fetch", { thing_id: "x" }, "use id."],
      ["fetch", { list_id: "x" }, "use id."],
      ["list_things", { status: "done" }, "use completed."],
      ["search", { q: "milk" }, "use query."],
      ["get_today", { list: "today" }, "use date."],
      ["list_reminders", { date: "today" }, "use from."],
      ["list_changes", { max: 5 }, "use limit."],
      ["set_reminder", { thing_id: "a", at: "2031-01-06", timezone: "UTC" }, "a time in another zone has its offset"]
    ]
    for (const [tool, args, hint] of tried)
      expect(await mcp.fails(tool, args)).toContain(`${Object.keys(args).at(-1)} is not a known field: ${hint}`)
  })

  it("for a blocked undo say to ask the user, who may have made the later change", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "x" })
    const { operation_id } = await mcp.ok("update_thing", { thing_id: thing.id, completed: true })
    await mcp.ok("update_thing", { thing_id: thing.id, text: "y" })
    expect(await mcp.fails("undo", { operation_id })).toMatch(
      /Undo that first\. Nothing was changed\. If you did not make it yourself, ask the user before you undo it\.$/
    )
  })

  it("advise only tools that the key has", async () => {
    const { list } = await mcp.ok("create_list", { title: "Kept" })
    const { token } = await server.person({ account: person.accountId, scopes: ["write:things"] })
    const writer = await overHttp("present SDK, 2026-07-28", { url: server.url, token })
    expect(await writer.fails("update_thing", { thing_id: list.id, text: "x" })).toBe(
      `'${list.id}' is a list, not a thing. Nothing was changed. Ask the user for it.`
    )
    expect(await writer.fails("update_thing", { thing_id: "nope", text: "x" })).toMatch(/\. Ask the user for it\.$/)
    expect(await writer.fails("create_thing", { text: "x", list: "Nowhere" })).toMatch(/\. Use list_id\.$/)
  })

  it("a value that is far too long is not repeated", async () => {
    const text = await mcp.fails("create_thing", { text: "x".repeat(100_000) })
    expect(text).toMatch(/text must be at most 10,000 characters long/)
    expect(text.length).toBeLessThan(300)
    expect((await mcp.fails("create_thing", { text: "x", ["k".repeat(5000)]: 1 })).length).toBeLessThan(1500)
  })

  it("an id of a reminder or a place says what to use for it", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "x" })
    const { reminder } = await mcp.ok("set_reminder", { thing_id: thing.id, at: "2099-01-01" })
    expect(await mcp.fails("get_thing", { thing_id: reminder.id })).toMatch(/ Use the reminder's thing_id\.$/)
    const { place } = await mcp.ok("save_place", { name: "Home" })
    expect(await mcp.fails("get_thing", { thing_id: place.id })).toMatch(/ list_places shows places; [^.]*\.$/)
  })

  it("an unknown argument of a tool without any is named, cut where it is long", async () => {
    expect(await mcp.fails("list_tags", { ["a".repeat(50)]: 1 })).toMatch(
      /^a{40} is not a known field: this tool takes no arguments\./
    )
  })

  it("arguments that are no object", async () => {
    await expect(mcp.client.callTool({ name: "list_tags", arguments: "x" })).rejects.toMatchObject({ code: -32602 })
  })
})

describe("request_id", () => {
  it("makes repetitions have one effect and the same answer, even when concurrent", async () => {
    const args = { text: "Once", list: "today", request_id: "a-1" }
    const answers = await Promise.all(Array.from({ length: 10 }, () => mcp.ok("create_thing", args)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect((await mcp.ok("get_today")).things).toHaveLength(1)
    await mcp.ok("create_thing", { text: "Once", list: "today" })
    expect((await mcp.ok("get_today")).things).toHaveLength(2)
  })

  it("may have 200 characters, and no more", async () => {
    await mcp.ok("create_thing", { text: "x", request_id: "r".repeat(200) })
    expect(await mcp.fails("create_thing", { text: "x", request_id: "r".repeat(201) })).toMatch(/^request_id must be 1/)
  })

  it("with another if_updated still gives the first answer", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "x" })
    const rename = { thing_id: thing.id, text: "y", if_updated: thing.updated, request_id: "u" }
    const renamed = await mcp.ok("update_thing", rename)
    expect(await mcp.ok("update_thing", { ...rename, if_updated: renamed.thing.updated })).toEqual(renamed)
  })

  it("with other arguments, or for another tool, is an error", async () => {
    await mcp.ok("create_thing", { text: "a", request_id: "r" })
    expect(await mcp.fails("create_thing", { text: "b", request_id: "r" })).toMatch(/Use a new request_id/)
    expect(await mcp.fails("create_list", { title: "a", request_id: "r" })).toMatch(/Use a new request_id/)
    expect(await mcp.fails("create_list", { title: "a", request_id: "a b" })).toMatch(
      /^request_id must be 1 to 200 printable ASCII characters without spaces, not "a b"\. For example "request_id": "/
    )
    expect(await mcp.fails("list_lists", { request_id: "r" })).toMatch(/request_id is not a known field/)
  })

  it("can be used again after a failed call, with corrected arguments", async () => {
    expect(await mcp.fails("create_thing", { text: "x", list: "Later", request_id: "f" })).toMatch(/No list is named/)
    await mcp.ok("create_list", { title: "Later" })
    await mcp.ok("create_thing", { text: "x", list: "Later", request_id: "f" })
  })
})

import { describe, expect, it } from "@effect/vitest"
import { narrowed } from "@lists-and-things/mcp/Toolbox"
import { Effect } from "effect"
import { type Connection, overHttp } from "./Clients.ts"
import { forEachPerson } from "./EachPerson.ts"
import { listOf } from "./Given.ts"
import { startServer } from "./McpServer.ts"

/** Calls of models that are nearly right, and the correction that the answer suggests. */

let mcp: Connection
forEachPerson((connection) => {
  mcp = connection
})

describe("a page beyond the end", () => {
  it("is said to be one, since a client that counts from 1 takes it for an empty list", async () => {
    const { list } = await mcp.ok("create_list", { title: "Groceries", things: [{ text: "Milk" }] })
    await mcp.ok("get_today", {})
    for (const [tool, args] of [
      ["list_lists", {}],
      ["list_things", {}],
      ["list_operations", {}],
      ["get_list", { list_id: list.id }],
      ["get_today", {}],
      ["search", { query: "milk" }],
      ["fetch", { id: list.id }]
    ] as const) {
      const { notice } = await mcp.ok(tool, { ...args, page: 1 })
      expect([tool, notice]).toEqual([tool, "There is nothing on page 1: pages count from 0."])
      expect([tool, "notice" in (await mcp.ok(tool, { ...args, page: 0 }))]).toEqual([tool, false])
      const { has_more: hasMore = false } = await mcp.ok(tool, { ...args, page: Number.MAX_SAFE_INTEGER })
      expect([tool, hasMore]).toEqual([tool, false])
    }
    expect("notice" in (await mcp.ok("get_today", { date: "2031-05-05" }))).toBe(false)
  })

  it("says that the page before was cut, which who counts on in the size that it asked for has not seen whole", async () => {
    const { id } = await listOf(mcp, 300, (at) => ({ text: `${at} ${"x".repeat(600)}` }))
    const first = await mcp.ok("get_list", { list_id: id, page_size: 300, max_text: 1000 })
    expect([first.has_more, "notice" in first]).toEqual([true, false])
    const { notice, things } = await mcp.ok("get_list", { list_id: id, page_size: 300, max_text: 1000, page: 1 })
    expect([things, notice]).toEqual([
      [],
      "There is nothing on page 1 of 300, but page 0 of 300 was cut, since it is too long: go on from it as its next_page says."
    ])
    expect((await mcp.ok("get_list", { list_id: id, page_size: 100, page: 3 })).notice).toBe(
      "There is nothing on page 3: pages count from 0."
    )
  })
})

describe("an id and a name of a list", () => {
  it("in place of each other are refused with the right argument", async () => {
    const { list } = await mcp.ok("create_list", { title: "Groceries" })
    const { thing } = await mcp.ok("create_thing", { text: "Milk" })
    for (const [tool, args] of [
      ["get_list", {}],
      ["create_thing", { text: "Bread" }],
      ["create_things", { items: [{ text: "Bread" }] }],
      ["append_markdown", { markdown: "- Bread" }],
      ["update_thing", { thing_id: thing.id }],
      ["update_things", { ids: [thing.id] }]
    ] as const)
      for (const [given, way] of [
        [{ list: list.id }, "Give an id as list_id."],
        [{ list_id: "Groceries" }, "Find the right list_id with search or get_list, or give a title as list."],
        [{ list_id: "Tomorrow" }, 'Give the day as list: "tomorrow".'],
        [{ list_id: "2031-05-05" }, 'Give the day as list: "2031-05-05".'],
        [{ list_id: "" }, "An empty list_id names none: give an id, or a title or a day as list."],
        [{ list: " " }, "An empty list names none: give a title or a day, or an id as list_id."]
      ] as const) {
        const said = await mcp.fails(tool, { ...args, ...given })
        expect(said.replace(/ Nothing was changed\.$/, "").endsWith(` ${way}`), `${tool}: ${said}`).toBe(true)
      }
  })

  it("is reduced to the id if the tool takes no name", async () => {
    expect(await mcp.fails("update_list", { list_id: "today", title: "x" })).toMatch(
      / Find the right list_id with search/
    )
  })
})

describe("a day in the place of an id", () => {
  it("is told the tool that reads a day", async () => {
    for (const [id, day] of [
      ["today", "today"],
      ["Tomorrow", "tomorrow"],
      ["2031-05-05", "2031-05-05"],
      ["day://today", "today"]
    ])
      expect(await mcp.fails("fetch", { id })).toMatch(
        new RegExp(` Call get_today with date "${day}" for that day\\.$`)
      )
  })
})

describe("an address in the place of an id", () => {
  it("is refused with the id in it", async () => {
    const { list } = await mcp.ok("create_list", { title: "Groceries" })
    const { thing } = await mcp.ok("create_thing", { text: "Milk" })
    for (const [tool, args, way] of [
      ["get_thing", { thing_id: `http://lists.test/things/${thing.id}` }, `Give its id alone: "${thing.id}".`],
      ["update_thing", { thing_id: `/things/${thing.id}`, text: "Oat milk" }, `Give its id alone: "${thing.id}".`],
      ["fetch", { id: `list://${list.id}` }, `Give its id alone: "${list.id}".`],
      ["get_list", { list_id: `http://lists.test/lists/${list.id}` }, `Give its id alone: "${list.id}".`],
      ["get_list", { list: `list://${list.id}` }, `Give its id alone, as list_id: "${list.id}".`],
      [
        "append_markdown",
        { markdown: "- a", list: `list://${list.id}` },
        `Give its id alone, as list_id: "${list.id}".`
      ],
      ["get_list", { list: "day://today" }, 'Give the day alone: "today".'],
      ["create_thing", { text: "a", list_id: "day://2027-01-01" }, 'Give the day as list: "2027-01-01".'],
      ["append_markdown", { markdown: "- a", list_id: `list://${list.id}` }, `Give its id alone: "${list.id}".`],
      ["get_thing", { thing_id: "http://lists.test/things/milk" }, "Find the right thing_id with search or get_list."]
    ] as const) {
      const said = await mcp.fails(tool, args)
      expect(said.endsWith(` ${way}`), `${tool}: ${said}`).toBe(true)
    }
  })
})

describe("a value that breaks a rule of the domain", () => {
  it("is refused with a valid example of the argument", async () => {
    for (const [tool, args, example] of [
      ["get_today", { date: "next monday" }, '"date": "2026-11-21"'],
      ["search", { query: " " }, '"query": "milk"'],
      ["list_things", { list: "today", list_id: "x" }, '"list": "today"'],
      ["list_changes", { limit: 1000 }, '"limit": 500'],
      ["list_changes", { wait: 100 }, '"wait": 55'],
      ["list_changes", { cursor: "WyJmIiwi" }, '"cursor": "now"']
    ] as const)
      expect(await mcp.fails(tool, args)).toContain(` For example ${example}. `)
  })
})

describe("an argument of another tool", () => {
  it("is refused with the name that this tool has for it, in reading tools too", async () => {
    expect(await mcp.fails("get_list", { list: "today", completed: false })).toContain(
      "completed is not a known field: use include_completed."
    )
    for (const [tool, args, way] of [
      ["list_things", { due: "today" }, "list_reminders shows what is due."],
      ["list_things", { list: "today", overdue: true }, "list_reminders shows what is due."],
      ["list_things", { list: "today", open: true }, "open things are those with completed false."],
      ["list_things", { until: "2026-11-01" }, "the newest come first, and page leads to older ones."],
      ["list_operations", { before: "2026-11-01" }, "the newest come first, and page leads to older ones."],
      ["list_things", { from: "2026-11-01" }, "use since."],
      ["list_reminders", { overdue: true }, "without from and to, the overdue ones come after those to come."],
      ["list_reminders", { from: "today", days: 7 }, "use to."]
    ] as const)
      expect(await mcp.fails(tool, args)).toContain(`${Object.keys(args).at(-1)} is not a known field: ${way}`)
  })

  it("is refused with the name that this tool has for it", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "Milk" })
    const place = { thing_id: thing.id, trigger: "arrive" }
    for (const [tool, args, way] of [
      ["update_thing", { thing_id: thing.id, set: { completed: true } }, "its fields are given directly."],
      ["update_thing", { completed: true, ids: [thing.id] }, "use thing_id."],
      ["update_thing", { thing_id: thing.id, deleted: true }, "no change deletes a thing."],
      ["update_things", { ids: [thing.id], trashed: true }, "no change deletes a thing."],
      ["update_list", { list_id: thing.list_id, deleted: true }, "no change deletes a list."],
      [
        "create_thing",
        { text: "a", parent: thing.id },
        "tabs nests a thing under the one before it, and a new one goes to the end of its list."
      ],
      [
        "create_thing",
        { text: "Pack", subtasks: ["Socks"] },
        "what is nested under a thing follows it, as things of their own with tabs."
      ],
      ["update_thing", { thing_id: thing.id, parent_id: thing.id }, "tabs nests a thing under the one before it."],
      ["remove_reminder", { reminder_id: thing.id }, "use thing_id."],
      ["set_reminder", { thing_id: thing.id, at: "2031-01-06", reminder_id: "x" }, "use id."],
      ["set_reminder", { thing_id: thing.id, at: "2031-01-06", repeat: "daily", count: 5 }, "use repeat_until."],
      ["set_reminder", { ...place, location: "Home" }, "use place."],
      ["set_reminder", { ...place, place: "Home", radius: 50 }, "use radius_m."],
      ["save_place", { place: "Home" }, "use name."],
      ["save_place", { name: "Home", lat: 48.2 }, "use latitude."],
      ["save_place", { name: "Home", lon: 16.3 }, "use longitude."],
      ["undo", { id: "x" }, "use operation_id."],
      ["delete_list", { list: "Groceries" }, "did you mean list_id? It takes an id, never a title."],
      ["update_list", { archived: true, list: "Groceries" }, "did you mean list_id? It takes an id, never a title."],
      [
        "update_things",
        { ids: [thing.id], add_tags: ["office"] },
        "tags replaces those of a thing, so give all that it is to have."
      ],
      ["create_thing", { text: "Clothes", section: true }, "use header."],
      ["append_markdown", { text: "- Milk" }, "use markdown."],
      ["import_markdown", { content: "- Milk" }, "use markdown."],
      ["import_markdown", { markdown: "- Milk", name: "Groceries" }, "use title."],
      [
        "import_markdown",
        { markdown: "- Milk", list: "Groceries" },
        "this makes a list, and append_markdown adds to one that is there."
      ]
    ] as const) {
      const said = await mcp.fails(tool, args)
      expect(said).toContain(`${Object.keys(args).at(-1)} is not a known field: ${way}`)
      expect(said).toContain(" Nothing was changed. ")
    }
  })
})

it("the example for a repetition is one that repeats", async () => {
  const { thing } = await mcp.ok("create_thing", { text: "Bins" })
  for (const args of [{ repeat: "biweekly" }, { rrule: "FREQ=WEEKLY;INTERVAL=2" }])
    expect(await mcp.fails("set_reminder", { thing_id: thing.id, at: "2031-01-07", ...args })).toContain(
      'For example "repeat": "weekly".'
    )
})

it("a redo is explained, since undo without an id would take back one change more", async () => {
  await expect(mcp.client.callTool({ name: "redo", arguments: {} })).rejects.toMatchObject({
    message: expect.stringMatching(/Unknown tool: "redo"\. Call undo with the operation_id of the undo: that redoes /)
  })
})

it("a tool that the owner left out is named as such, and no other is suggested", async () => {
  const narrow = await startServer({ tools: Effect.runSync(narrowed({ readOnly: true })) })
  try {
    const { token } = await narrow.person()
    const reading = await overHttp("present SDK, 2026-07-28", { url: narrow.url, token })
    await expect(reading.client.callTool({ name: "create_list", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/Unknown tool: "create_list"\. The owner has left it out here: /)
    })
  } finally {
    await narrow.stop()
  }
})

import { quoted } from "@lists-and-things/domain/text/Quoted"
import { describe, expect, it } from "@effect/vitest"
import type { Connection, Json } from "./Clients.ts"
import { listOf, remind } from "./Given.ts"
import { forEachPerson } from "./EachPerson.ts"

let mcp: Connection
const connect = (connection: Connection) => {
  mcp = connection
}
forEachPerson(connect, { timezone: "Europe/Vienna" })

describe("a notice", () => {
  it("says how to find an unknown id, also beside a list's name", async () => {
    expect(await mcp.fails("update_thing", { thing_id: "gone", list: "Anything" })).toBe(
      "No thing of yours has the id 'gone'. Nothing was changed. Find the right thing_id with search or get_list."
    )
    expect(await mcp.fails("undo", { operation_id: "gone" })).toBe(
      "No operation of yours has the id 'gone'. Nothing was changed. list_operations shows them."
    )
  })

  it("says which items a bulk call left out, and why", async () => {
    await mcp.ok("create_list", { title: "L", things: [{ text: "old" }] })
    const items = [{ text: "new" }, { text: " " }, { text: "old" }, { text: "x", list: "None such" }]
    const made = await mcp.ok("create_things", { items, list: "L", skip_duplicates: true })
    expect([made.created, made.skipped, made.notice]).toEqual([
      1,
      3,
      "Skipped items[1] (blank), items[2] (a duplicate), items[3] (its own list is unknown)."
    ])
    const { list } = await mcp.ok("get_list", { list: "L" })
    const updated = await mcp.ok("update_things", { ids: ["nope", list.id], completed: true })
    expect(updated).toEqual({
      updated: 0,
      skipped: 2,
      notice: `Skipped ids[0] ('nope' is no thing of yours), ids[1] ('${list.id}' is a list).`
    })
    const many = Array.from({ length: 50 }, (_, at) => `none ${at}`)
    expect((await mcp.ok("update_things", { ids: many, completed: true })).notice).toMatch(/ and 30 more\.$/)
    const appended = await mcp.ok("append_markdown", { markdown: "- old\n- a\n", list: "L", skip_duplicates: true })
    expect(appended.notice).toBe("Skipped item 1 of the document (a duplicate).")
    expect("notice" in (await mcp.ok("create_things", { items: [{ text: "y" }] }))).toBe(false)
  })

  it("says that other lists have the title of a list", async () => {
    const { list: first, notice } = await mcp.ok("create_list", { title: "Same" })
    expect(notice).toBeUndefined()
    const { list: second, notice: told } = await mcp.ok("create_list", { title: " same " })
    expect(told).toBe(`Another list is named 'Same' (id ${first.id}): name each by its id.`)
    const third = await mcp.ok("import_markdown", { markdown: "# SAME\n- a\n" })
    expect(third.notice).toBe(
      `2 other lists are named 'Same' (id ${first.id}) and ${quoted(second.title)} (id ${second.id}): name each by its id.`
    )
    for (const id of [first.id, second.id]) await mcp.ok("update_list", { list_id: id, archived: true })
    const other = await mcp.ok("create_list", { title: "Other" })
    expect(other.notice).toBeUndefined()
    const renamed = await mcp.ok("update_list", { list_id: other.list.id, title: "Same" })
    expect(renamed.notice).toBe(`Another list is named 'SAME' (id ${third.list.id}): name each by its id.`)
    expect((await mcp.ok("update_list", { list_id: first.id, archived: false })).notice).toMatch(/^2 other lists /)
    expect((await mcp.ok("update_list", { list_id: first.id, emoji: "x" })).notice).toBeUndefined()
  })

  it("says which tags a bulk change took from things", async () => {
    const ids: Array<string> = []
    for (const tags of [["Dairy", "vegan"], ["dairy"], ["work"], []])
      ids.push((await mcp.ok("create_thing", { text: "Milk", tags })).thing.id)
    const noticeOf = async (args: Json) => (await mcp.ok("update_things", { ids, dry_run: true, ...args })).notice
    expect(await noticeOf({ tags: ["work"] })).toBe(
      "tags replaces the tags of each thing. Gone are 'Dairy' (2 things) and 'vegan' (1 thing)."
    )
    const others = Array.from({ length: 12 }, (_, at) => `t${at}`)
    ids.push((await mcp.ok("create_thing", { text: "Milk", tags: others })).thing.id)
    expect(await noticeOf({ tags: ["work"] })).toMatch(/ Gone are 'Dairy' \(2 things\), .* and 4 more\.$/)
    ids.pop()
    expect(await noticeOf({ tags: ["#DAIRY", "vegan", "work", "new"] })).toBeUndefined()
    expect(await noticeOf({ tags: [] })).toBeUndefined()
    expect(await noticeOf({ favorited: true })).toBeUndefined()
  })

  it("says that the list_id of list_things is not a list's", async () => {
    const { list } = await mcp.ok("create_list", { title: "Empty" })
    expect((await mcp.ok("list_things", { list_id: list.id })).notice).toBeUndefined()
    expect(await mcp.ok("list_things", { list_id: "Empty" })).toMatchObject({
      things: [],
      notice: "Nothing was found: 'Empty' is no list of yours."
    })
  })

  it("says which ids to delete did not exist, which is no failure", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "a" })
    const { list } = await mcp.ok("get_today")
    const told: ReadonlyArray<readonly [string, Json, string]> = [
      ["delete_thing", { thing_id: "nope" }, "Nothing was deleted: 'nope' is no thing of yours."],
      ["delete_thing", { thing_id: list.id }, `Nothing was deleted: '${list.id}' is a list.`],
      ["delete_list", { list_id: "nope" }, "Nothing was deleted: 'nope' is no list of yours."],
      ["delete_list", { list_id: thing.id }, `Nothing was deleted: '${thing.id}' is a thing.`],
      ["remove_reminder", { thing_id: "nope" }, "No reminder was removed: 'nope' is no thing of yours."],
      ["remove_reminder", { thing_id: thing.id }, "No reminder was removed: the thing has none."]
    ]
    for (const [tool, args, notice] of told) expect(await mcp.ok(tool, args)).toEqual({ success: true, notice })
    expect(await mcp.ok("delete_thing", { thing_id: "nope", dry_run: true })).toMatchObject({
      dry_run: true,
      entities: [],
      notice: "Nothing was deleted: 'nope' is no thing of yours."
    })
    expect(await mcp.ok("delete_things", { ids: ["nope", list.id] })).toEqual({
      deleted: 0,
      notice: `Skipped ids[0] ('nope' is no thing of yours), ids[1] ('${list.id}' is a list).`
    })
  })

  it("says that a document has no items", async () => {
    const added = await mcp.ok("append_markdown", { markdown: "\n---\n", list: "today" })
    expect([added.created, added.notice]).toEqual([0, "Nothing was added: the document has no items."])
    for (const markdown of ["", "# Empty\n"]) {
      const { created, notice } = await mcp.ok("import_markdown", { markdown })
      expect([created, notice]).toEqual([0, "The list is empty: the document has no items."])
    }
    expect((await mcp.ok("append_markdown", { markdown: "- a", list: "Empty" })).notice).toBeUndefined()
  })

  it("says that an id by which operations are filtered is unknown, or of another kind", async () => {
    const { list } = await mcp.ok("create_list", { title: "Groceries" })
    const none = async (args: object) => {
      const { notice, operations } = await mcp.ok("list_operations", args)
      expect(operations).toEqual([])
      return notice
    }
    expect(await none({ list_id: "Groceries" })).toBe("Nothing was found: 'Groceries' is no list of yours.")
    expect(await none({ thing_id: list.id })).toBe(`Nothing was found: '${list.id}' is a list.`)
    expect(await none({ list_id: list.id, since: "2099-01-01" })).toBeUndefined()
    expect(await none({ by_id: "Claude" })).toBe(
      "Nothing was found: no key or app with the id 'Claude' changed anything."
    )
    const [{ by }] = (await mcp.ok("list_operations")).operations
    expect(await none({ by_id: by.id, since: "2099-01-01" })).toBeUndefined()
    await mcp.ok("delete_list", { list_id: list.id })
    expect((await mcp.ok("list_operations", { list_id: list.id })).operations).toHaveLength(2)
  })

  it("says that nothing was done for an occurrence that is not due", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "a" })
    await mcp.ok("set_reminder", { thing_id: thing.id, at: "2031-01-01T09:00", repeat: "daily" })
    const occurrence = "2031-01-01T08:00:00.000Z"
    const done = await mcp.ok("update_thing", { thing_id: thing.id, completed: true, occurrence })
    expect(done.repeating_reminder).toMatchObject({
      next_at: "2031-01-02T08:00:00.000Z",
      next_at_local: "Thursday 2031-01-02 09:00"
    })
    const { thing: wholeDay } = await mcp.ok("create_thing", { text: "b" })
    await mcp.ok("set_reminder", { thing_id: wholeDay.id, at: "2031-01-01", all_day: true, repeat: "daily" })
    expect((await mcp.ok("update_thing", { thing_id: wholeDay.id, completed: true })).repeating_reminder).toMatchObject(
      {
        next_at_local: "Thursday 2031-01-02"
      }
    )
    const again = await mcp.ok("update_thing", { thing_id: thing.id, completed: true, occurrence })
    expect(again.notice).toBe(
      `Nothing was done: the occurrence ${occurrence} is not due, the one that is due is 2031-01-02T08:00:00.000Z.`
    )
    expect([again.thing.completed, "operation_id" in again]).toEqual([undefined, false])
  })

  it("says that a reminder no longer repeats as the one before did if repeat is left out", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "a" })
    const set = async (reminder: object) =>
      (await mcp.ok("set_reminder", { thing_id: thing.id, at: "2099-01-05T09:00", ...reminder })).notice
    const lost =
      "The reminder does not repeat, and the one that it replaced did (every week on Monday at 09:00, Europe/Vienna): set it with repeat if it should go on."
    await set({ repeat: "weekly" })
    expect(await set({ at: "2099-01-05T10:00" })).toBe(lost)
    expect(await set({ at: "2099-01-05T11:00" })).toBeUndefined()
    await set({ days: ["mon"] })
    expect(await set({ repeat: "none" })).toBeUndefined()
    await set({ repeat: "weekly" })
    expect(await set({ repeat: "weekly", every: 2 })).toBeUndefined()
  })

  it("warns that a text or note was replaced by a shorter one that ends with …", async () => {
    const { thing } = await mcp.ok("create_thing", { text: `${"word ".repeat(60)}end`, note: "n".repeat(20_010) })
    const { note } = (await mcp.ok("get_thing", { thing_id: thing.id })).thing
    const { text } = (await mcp.ok("list_things")).things[0]
    const write = async (fields: object) => (await mcp.ok("update_thing", { thing_id: thing.id, ...fields })).notice
    const said = (name: string) =>
      `The ${name} ends with an ellipsis and is shorter than before: if it was read cut, undo this and read it whole first.`
    expect(await write({ text: text.replace("word", "Word") })).toBe(said("text"))
    expect(await write({ text: "Words …" })).toBeUndefined()
    await mcp.ok("undo")
    await mcp.ok("undo")
    expect(await write({ text, note, list: "today" })).toBe(`${said("text")} ${said("note")}`)
    expect(await write({ text: "Words", note: `${note}…` })).toBeUndefined()
  })

  it("says that a box or a bullet of markdown stays in a text", async () => {
    const box = (name: string, found: string) =>
      `${name} begins with "${found}", which stays in the text: a todo has its own box, and completed ticks it.`
    const { notice, thing } = await mcp.ok("create_thing", { text: "- [ ] Milk" })
    expect([thing.text, notice]).toEqual(["- [ ] Milk", box("text", "- [ ]")])
    const change = async (fields: object) => (await mcp.ok("update_thing", { thing_id: thing.id, ...fields })).notice
    expect(await change({ text: "[x] Milk" })).toBe(box("text", "[x]"))
    expect(await change({ completed: true })).toBeUndefined()
    const items = [{ text: "Bread" }, { text: "  - Rye" }, { text: "* [X] Butter" }, { text: "- [ ]", code: true }]
    expect((await mcp.ok("create_things", { items })).notice).toBe(
      'items[1].text begins with "-", which stays in the text: a thing of type "bullet" has its own. So it is with 1 more.'
    )
    const filled = await mcp.ok("create_list", { title: "Groceries", things: [{ text: "- [X] Milk" }] })
    expect(filled.notice).toBe(box("things[0].text", "- [X]"))
    for (const text of ["-5 °C", "**Milk**", "[a](https://a.example)", "- ", "a - b", "1. Boil"])
      expect([text, (await mcp.ok("create_thing", { text })).notice]).toEqual([text, undefined])
  })

  it("says that a list which is named like a day is not found by that", async () => {
    const said = (title: string) =>
      `A list named '${title}' is the list of that day, which is another one: find this one by its id.`
    const { list, notice } = await mcp.ok("create_list", { title: "2031-12-24" })
    expect(notice).toBe(said("2031-12-24"))
    expect((await mcp.ok("import_markdown", { markdown: "# today\n- a" })).notice).toBe(said("today"))
    expect((await mcp.ok("update_list", { list_id: list.id, title: " tomorrow " })).notice).toBe(said("tomorrow"))
    expect((await mcp.ok("update_list", { list_id: list.id, favorited: true })).notice).toBeUndefined()
    expect((await mcp.ok("update_list", { list_id: list.id, title: "Today's" })).notice).toBeUndefined()
    const day = (await mcp.ok("get_today", { date: "2031-12-24" })).list
    expect(day.id).not.toBe(list.id)
    await mcp.ok("update_list", { list_id: day.id, title: "Christmas" })
    expect((await mcp.ok("update_list", { list_id: day.id, title: "2031-12-24" })).notice).toBeUndefined()
  })

  it("says which reminders come again in a range without being listed", async () => {
    const { id } = await listOf(mcp, 7)
    const { things } = await mcp.ok("get_list", { list_id: id })
    await remind(mcp, things, (at) => ({ at: `2099-03-0${at + 1}T09:00`, repeat: "daily" }))
    const listed = async (range: object) => (await mcp.ok("list_reminders", range)).notice
    const named = (at: number) => `'Thing ${at}' (every day at 09:00, Europe/Vienna; thing_id ${things[at].id})`
    const said = (names: string) =>
      `Not listed, since their next time is before the range, but in it again: ${names}. Begin earlier to list them.`
    expect(await listed({ from: "2099-03-03", to: "2099-03-05" })).toBe(said(`${named(1)} and ${named(0)}`))
    expect(await listed({ from: "2099-04-01" })).toBe(said(`${[6, 5, 4, 3, 2].map(named).join(", ")} and 2 more`))
    expect(await listed({ from: "2099-03-01" })).toBeUndefined()
    expect(await listed({})).toBeUndefined()
  })

  it("says that the reminder of a closed thing is silent", async () => {
    const at = "2099-01-01T09:00"
    const noticeOf = async (state: Json) => {
      const { thing } = await mcp.ok("create_thing", { text: "a", ...state })
      return (await mcp.ok("set_reminder", { thing_id: thing.id, at })).notice
    }
    expect(await noticeOf({ completed: true })).toBe(
      "The thing is completed, so its reminder is silent until completed is set to false."
    )
    expect(await noticeOf({ canceled: true })).toMatch(/^The thing is canceled, .* until canceled is set to false\.$/)
    expect(await noticeOf({})).toBeUndefined()
  })

  it("says that a reminder is in the past, or does not repeat, and sets it", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "a" })
    const once = await mcp.ok("set_reminder", { thing_id: thing.id, at: "2020-01-01T09:00" })
    expect(once.reminder).toMatchObject({ at: "2020-01-01T08:00:00.000Z", at_local: "Wednesday 2020-01-01 09:00" })
    expect(once.notice).toBe(
      "The reminder is set, and its time 2020-01-01T08:00:00.000Z is in the past: it is overdue from the start."
    )
    const daily = await mcp.ok("set_reminder", { thing_id: thing.id, at: "2020-01-01T09:00", repeat: "daily" })
    expect(daily.notice).toMatch(/ is in the past: it is due again at 2\d{3}-/)
    const other = await mcp.ok("set_reminder", { thing_id: thing.id, at: "2099-01-01T09:00", every: 2 })
    expect(other.notice).toMatch(/^The reminder does not repeat: every .* repeat alone\.$/)
  })
})

describe("a notice on the present day", () => {
  forEachPerson(connect)

  it("says which argument takes a day that was given as list_id", async () => {
    await mcp.ok("create_thing", { text: "Ring", list: "today" })
    const { notice, things } = await mcp.ok("list_things", { list_id: "Today" })
    expect([notice, things]).toEqual([
      `Nothing was found: 'Today' is no list of yours. Give the day as list: "today".`,
      []
    ])
    expect((await mcp.ok("list_things", { list: "today" })).things).toHaveLength(1)
  })

  it("says nothing of a reminder that lasts all of it", async () => {
    const { thing } = await mcp.ok("create_thing", { text: "a" })
    const today = await mcp.ok("set_reminder", { thing_id: thing.id, at: (await mcp.ok("get_today")).date })
    expect([today.reminder.at_local, today.notice]).toEqual([
      expect.stringMatching(/^\w+day \d{4}-\d\d-\d\d$/),
      undefined
    ])
  })
})

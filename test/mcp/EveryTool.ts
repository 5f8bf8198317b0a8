import { expect } from "@effect/vitest"
import { type Json, type Connection } from "./Clients.ts"

/** Of a call that changed something. */
const operation_id = expect.any(String)

/** Every tool with good and with bad arguments, as a client sees it. Starts from an account without lists. */
export const useEveryTool = async (mcp: Connection): Promise<void> => {
  const used = new Set<string>()
  const ok = (name: string, args?: object) => {
    used.add(name)
    return mcp.ok(name, args)
  }
  const { fails } = mcp

  const { list, created } = await ok("create_list", {
    title: "Groceries",
    emoji: "🛒",
    things: [{ text: "Milk", tags: ["#dairy"] }, { text: "Bread", tabs: 1 }, { text: "  " }]
  })
  expect([list.title, list.emoji, created]).toEqual(["Groceries", "🛒", 2])
  expect(await fails("create_list", { name: "x" })).toMatch(/^name is not a known field: use title\./)
  expect(await fails("create_things", { items: [{ text: "a" }, { due: "today" }] })).toMatch(
    /^items\[1\]\.due is not a known field: a time is set by set_reminder, a day by the day list/
  )
  expect(await fails("create_thing", { content: "x", text: "x" })).toMatch(/^content is not a known field: use text\./)
  expect(await fails("create_list", { titel: "x" })).toMatch(/titel is not a known field: did you mean title\?/)
  expect(await fails("create_list", {})).toMatch(/title is required/)

  expect((await ok("list_lists")).lists.map((each: Json) => each.id)).toEqual([list.id])
  expect(await fails("list_lists", { page: -1 })).toMatch(/page must be an integer from 0/)

  const shown = await ok("get_list", { list: "groceries" })
  expect(shown.things.map((thing: Json) => thing.text)).toEqual(["Milk", "Bread"])
  const [milk, bread] = shown.things
  expect(milk).toEqual({
    id: milk.id,
    text: "Milk",
    type: "todo",
    list_id: list.id,
    tags: ["dairy"],
    updated: milk.updated
  })
  expect(await fails("get_list", {})).toMatch(/exactly one of list_id and list/)
  expect(await fails("get_list", { list_id: list.id, list: "Groceries" })).toMatch(/exactly one/)
  expect(await fails("get_list", { list: "Groceris" })).toBe(
    `No list is named 'Groceris'. Closest: 'Groceries' (id ${list.id}). Use list_id, or create_list first.`
  )

  const day = await ok("get_today", { date: "2026-12-24" })
  expect([day.date, day.timezone, day.list.title]).toEqual(["2026-12-24", day.timezone, "2026-12-24"])
  expect(await fails("get_today", { date: "someday" })).toMatch(/date must be today, yesterday, tomorrow or an ISO/)

  const imported = await ok("import_markdown", { markdown: "# Trip\n\n- [ ] Pack\n  - [x] Passport\n" })
  expect([imported.list.title, imported.created]).toEqual(["Trip", 2])
  expect(await fails("import_markdown", { markdown: 7 })).toMatch(/markdown must be a string/)

  const renamed = await ok("update_list", { list_id: imported.list.id, title: "Journey", favorited: true })
  expect([renamed.list.title, renamed.list.favorited]).toEqual(["Journey", true])
  expect(await fails("update_list", { list_id: list.id })).toMatch(
    /at least one of title, emoji, favorited and archived/
  )
  expect(await fails("update_list", { list_id: "nope", title: "x" })).toMatch(
    /No list of yours has the id 'nope'\. Nothing was changed\. Find the right list_id with search/
  )

  const made = await ok("create_thing", { text: "Eggs", list: "Groceries", bold: true, note: "Free range", photos: [] })
  expect(made.thing).toMatchObject({ text: "Eggs", list_id: list.id, style: ["bold"], has_note: true })
  expect(await fails("create_thing", { text: "x", list: "Nowhere" })).toMatch(/No list is named 'Nowhere'/)
  expect(await fails("create_thing", { text: "x", header: true, subheader: true })).toMatch(/header/)

  // Many clients send arrays and objects as the text of their JSON.
  const bulk = await ok("create_things", {
    items: JSON.stringify([{ text: "Milk" }, { text: "Tea", tags: '["drink"]' }]),
    list: "Groceries",
    skip_duplicates: true
  })
  expect(bulk).toEqual({
    operation_id,
    created: 1,
    skipped: 1,
    by_list: [{ list_id: list.id, created: 1, skipped: 1 }],
    notice: expect.stringMatching(/^Skipped items\[\d\] \(a duplicate\)\.$/)
  })
  expect(await fails("create_things", { items: [] })).toMatch(/items must be 1 to 500 items/)
  expect(await fails("create_things", { items: [{ text: "a" }, { text: "b", tpye: "todo" }] })).toMatch(
    /items\[1\]\.tpye is not a known field: did you mean type\?/
  )
  expect(await fails("create_things", { items: "no JSON" })).toMatch(/items must be an array/)

  const appended = await ok("append_markdown", { markdown: "- [ ] Salt\n- [x] Pepper", list_id: list.id })
  expect([appended.created, appended.by_list[0].list_id]).toEqual([2, list.id])
  expect(await fails("append_markdown", { list_id: list.id })).toMatch(/markdown is required/)
  expect(await fails("append_markdown", { markdown: "- x", list: "Grocerie" })).toMatch(
    /No list is named 'Grocerie'\. Closest: 'Groceries' \(id .*create_list first\.$/
  )

  const things = await ok("list_things", { list: "Groceries", completed: true, detail: "full" })
  expect(things.things.map((thing: Json) => [thing.text, thing.note, thing.has_clones])).toEqual([
    ["Pepper", "", false]
  ])
  expect((await ok("list_things", { tag: "DRINK" })).things.map((thing: Json) => thing.text)).toEqual(["Tea"])
  expect(await fails("list_things", { since: "yesterday-ish" })).toMatch(/since must be an ISO 8601/)

  const whole = await ok("get_thing", { thing_id: made.thing.id })
  expect([whole.thing.note, whole.thing.bold, whole.reminder]).toEqual(["Free range", true, null])
  expect(await fails("get_thing", { thing_id: "nope" })).toBe(
    "No thing of yours has the id 'nope'. Find the right thing_id with search or get_list."
  )
  expect(await fails("get_thing", { thing_id: list.id })).toBe(
    `'${list.id}' is a list, not a thing. Use get_list for it.`
  )
  expect(await fails("update_list", { list_id: made.thing.id, title: "x" })).toBe(
    `'${made.thing.id}' is a thing, not a list. Nothing was changed. Use update_thing for it.`
  )
  expect(await fails("create_thing", { text: "x", list_id: made.thing.id })).toMatch(
    /^list_id '.*' is a thing, not a list\. Nothing was changed\. Find the right list_id with search/
  )
  expect(await fails("get_thing", {})).toMatch(/thing_id is required/)

  const at = "2030-01-15T09:00:00"
  const reminder = (await ok("set_reminder", { thing_id: milk.id, at, repeat: "weekly", days: ["mon", 3] })).reminder
  expect([reminder.repeat, reminder.days, reminder.place]).toEqual(["weekly", ["monday", "wednesday"], null])
  expect(await fails("set_reminder", { thing_id: milk.id })).toMatch(/^at or place is required: /)
  expect(await fails("set_reminder", { thing_id: milk.id, trigger: "arrive" })).toMatch(/^at or place is required: /)
  expect(await fails("set_reminder", { thing_id: milk.id, at, place: "Home" })).toMatch(/at and place exclude/)
  expect(await fails("set_reminder", { thing_id: milk.id, place: "Atlantis", trigger: "arrive" })).toMatch(
    /No saved place has the id or name 'Atlantis'\. No place is saved yet\. Call save_place first\. Nothing was changed\.$/
  )

  const nowhere = await ok("save_place", { name: "Home", address: "Main Street 1" })
  expect([nowhere.created, nowhere.place.latitude]).toEqual([true, null])
  expect(nowhere.warning).toMatch(/cannot fire until they are/)
  const home = await ok("save_place", { name: "home", latitude: 48.2, longitude: 16.37 })
  expect([home.created, home.place.address, home.warning]).toEqual([false, "Main Street 1", undefined])
  expect(await fails("save_place", { name: "Office", latitude: 10 })).toMatch(/longitude/)
  expect((await ok("list_places")).places).toEqual([home.place])
  expect(await fails("list_places", { page: 1 })).toMatch(/page is not a known field/)

  const leaving = (await ok("set_reminder", { thing_id: bread.id, place: "HOME", trigger: "leave" })).reminder
  expect([leaving.at, leaving.place]).toEqual([null, { id: home.place.id, name: "home", trigger: "leave" }])
  expect(await fails("set_reminder", { thing_id: bread.id, place: "Home" })).toMatch(/trigger must be arrive or leave/)
  expect(await fails("set_reminder", { thing_id: bread.id, place: "Home", trigger: "leave", every: 2 })).toMatch(
    /at is/
  )

  const due = await ok("list_reminders", { from: "2030-01-01", to: "2030-01-31" })
  expect(due.reminders.map((each: Json) => each.thing_id)).toEqual([milk.id, bread.id])
  expect(due.reminders[0]).toMatchObject({ all_day: false, repeat: "weekly", place: null })
  expect(due.reminders[1]).toMatchObject({ at: null, repeat: "none", place: leaving.place })
  const timed = await ok("list_reminders", { include_place: false, limit: 1 })
  expect([timed.reminders.length, timed.has_more]).toEqual([1, false])
  expect(await fails("list_reminders", { from: "soon" })).toMatch(/from must be an ISO 8601 date/)

  const done = await ok("update_thing", { thing_id: milk.id, completed: true, occurrence: reminder.at })
  expect(done.repeating_reminder.copy_id).not.toBe(milk.id)
  expect(done.thing.completed).toBeUndefined()
  const again = await ok("update_thing", { thing_id: milk.id, completed: true, occurrence: reminder.at })
  expect(again.repeating_reminder).toBeUndefined()
  expect(await fails("update_thing", { thing_id: milk.id, completed: true, canceled: true })).toMatch(/completed/)
  expect(await fails("update_thing", { thing_id: milk.id, list: "Nowhere" })).toMatch(/create_list first/)

  expect(await ok("remove_reminder", { thing_id: bread.id })).toEqual({ success: true, operation_id })
  expect(await fails("remove_reminder", {})).toMatch(/thing_id is required/)

  const ids = [made.thing.id, bread.id, "gone"]
  expect(await ok("update_things", { ids, set: { canceled: true } })).toEqual({
    updated: 2,
    skipped: 1,
    notice: "Skipped ids[2] ('gone' is no thing of yours).",
    operation_id
  })
  expect(await ok("update_things", { ids: JSON.stringify(ids), canceled: false, tags: ["x"] })).toEqual({
    updated: 2,
    skipped: 1,
    notice: "Skipped ids[2] ('gone' is no thing of yours).",
    operation_id
  })
  expect(await fails("update_things", { ids })).toMatch(/at least one field to change/)
  expect(await fails("update_things", { ids, completed: true, canceled: true })).toMatch(
    /^completed and canceled cannot/
  )
  expect(await fails("update_things", { ids, completed: true, set: { completed: false } })).toMatch(
    /set must not have another value for a field that is given directly/
  )
  expect(await fails("update_things", { ids, set: { text: "x" } })).toMatch(/text is not a known field/)

  const found = await mcp.call("search", { query: "egg" })
  used.add("search")
  expect(found.items).toBe(1)
  expect(found.json.results).toEqual([
    { id: made.thing.id, title: "Eggs", url: expect.stringContaining(`/things/${made.thing.id}`) }
  ])
  expect(found.json.things[0]).toMatchObject({ note: "Free range", has_clones: false })
  expect(await fails("search", { query: " " })).toMatch(/query is required and must not be blank/)

  const document = await mcp.call("fetch", { id: list.id })
  used.add("fetch")
  expect([document.items, document.json.title, document.json.metadata.kind]).toEqual([1, "Groceries", "list"])
  expect(await fails("fetch", { id: "nope" })).toMatch(/No list or thing of yours has the id 'nope'/)

  expect((await ok("list_tags")).tags.map((tag: Json) => tag.name)).toContain("drink")
  expect(await fails("list_tags", { limit: 3 })).toMatch(/limit is not a known field/)

  expect(await ok("delete_thing", { thing_id: bread.id })).toEqual({ success: true, operation_id })
  expect(await fails("delete_thing", { id: bread.id })).toMatch(/id is not a known field: use thing_id/)
  expect(await ok("delete_things", { ids })).toEqual({
    deleted: 1,
    notice: `Skipped ids[1] ('${bread.id}' is no thing of yours), ids[2] ('gone' is no thing of yours).`,
    operation_id
  })
  expect(await fails("delete_things", { ids: [] })).toMatch(/ids must be at least one id/)
  expect(await ok("delete_list", { list_id: list.id })).toEqual({ success: true, operation_id })
  expect(await fails("delete_list", { list: "Journey" })).toMatch(/list is not a known field: did you mean list_id\?/)

  const { operations } = await ok("list_operations", { list_id: list.id })
  expect(operations[0]).toMatchObject({ name: "deleteList", surface: "mcp", undoes: null })
  expect(await fails("list_operations", { page: -1 })).toMatch(/page must be an integer from 0/)
  const { changes, cursor } = await ok("list_changes", { cursor: "now" })
  expect(changes).toEqual([])
  expect(await fails("list_changes", { wait: 56 })).toMatch(/wait must be an integer from 0 to 55/)

  const undone = await ok("undo")
  expect([undone.undone.name, undone.operation.undoes]).toEqual(["deleteList", operations[0].id])
  expect([undone.undone.at_local, undone.operation.at_local]).toEqual([operations[0].at_local, expect.any(String)])
  expect((await ok("get_list", { list_id: list.id })).list.title).toBe("Groceries")
  expect(await fails("undo", { operation_id: operations[0].id })).toMatch(/Nothing was changed\.$/)
  const followed = (await ok("list_changes", { cursor })).changes
  expect(followed.find((change: Json) => change.id === list.id)).toMatchObject({
    type: "list",
    change: "put",
    operation_id: undone.operation_id
  })

  expect([...used].toSorted()).toEqual(mcp.tools.map((tool) => tool.name).toSorted())
}

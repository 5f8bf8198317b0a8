import { expect } from "@effect/vitest"
import { contract, listOf } from "./Given.ts"

contract("a refusal", (given) => {
  given("names the field, what was sent, what is wanted and an example", async ({ ask }) => {
    const { ids } = { ids: (await ask("POST", "/things", { text: "a" })).body.thing.id as string }
    for (const [method, path, body, said] of [
      [
        "POST",
        "/lists",
        { name: "Groceries" },
        'name is not a known field: use title. For example "title": "Groceries".'
      ],
      ["POST", "/lists", {}, 'title is required. For example "title": "Groceries".'],
      ["POST", "/lists", [], 'The body must be a JSON object, not an array of 0. For example {"title":"Groceries"}.'],
      ["POST", "/things", { text: "a", tabs: "two" }, 'tabs must be a number, not "two". For example "tabs": 1.'],
      [
        "POST",
        "/things",
        { text: " " },
        /^text is required and must not be blank, .*. For example "text": "Oat milk"\.$/
      ],
      [
        "POST",
        "/things",
        { text: "a", header: true, subheader: true },
        'header and subheader cannot both be true. For example "header": true.'
      ],
      [
        "PATCH",
        `/things/${ids}`,
        { checked: true },
        'checked is not a known field: use completed. For example "completed": true.'
      ],
      [
        "PATCH",
        "/things/bulk",
        { ids: [ids], list_id: "x" },
        'list_id is not a known field: it belongs in set. For example "set": {"completed":true}.'
      ],
      [
        "POST",
        "/things/bulk",
        { items: [], text: "x" },
        /^text is not a known field: it belongs in each of items\. For example "items": \[/
      ],
      [
        "POST",
        "/lists",
        { title: "a", items: [] },
        /^items is not a known field: use things\. For example "things": \[/
      ],
      [
        "POST",
        "/things",
        { text: "a", tags: ["t".repeat(101)] },
        `tags[0] must be at most 100 characters long, not "${"t".repeat(60)}…" (101 characters). For example "tags": ["errands"].`
      ],
      [
        "PATCH",
        "/things/bulk",
        { ids: [ids], set: { note: "a" } },
        /^set\.note is not a known field: a note is changed one thing at a time, by PATCH \/things\/\{id\}\./
      ],
      [
        "PATCH",
        "/things/bulk",
        { thing_ids: [ids], set: { completed: true } },
        /^thing_ids is not a known field: use ids\. For example "ids": /
      ],
      ["DELETE", "/things/bulk", { things: [ids] }, /^things is not a known field: use ids\. For example "ids": /],
      [
        "PATCH",
        "/things/bulk",
        { ids: [ids], set: { photos: [] } },
        /^set\.photos is not a known field: photos are changed one thing at a time, by PATCH \/things\/\{id\}\./
      ],
      [
        "PUT",
        `/things/${ids}/reminder`,
        { at: "2031-01-02T09:00", days: ["mon"], repeat_until: "2031-01-04" },
        /^repeat_until must be after at, which days move to 2031-01-06T09:00, not "2031-01-04"\. For example/
      ],
      [
        "PUT",
        `/things/${ids}/reminder`,
        { at: "2031-01-02", due: 1 },
        'due is not a known field: use at. For example "at": "2026-11-23T09:00".'
      ],
      [
        "PUT",
        `/things/${ids}/reminder`,
        { at: "2031-01-02", date_time: 1 },
        'date_time is not a known field: use at. For example "at": "2026-11-23T09:00".'
      ],
      [
        "PUT",
        `/things/${ids}/reminder`,
        { at: "2031-01-02", alert: 1 },
        'alert is not a known field: use alert_minutes. For example "alert_minutes": 10.'
      ],
      [
        "PUT",
        `/things/${ids}/reminder`,
        { at: "2031-01-02", duration: 1 },
        'duration is not a known field: use duration_minutes. For example "duration_minutes": 30.'
      ],
      [
        "PUT",
        `/things/${ids}/reminder`,
        { at: "2031-01-02", until: 1 },
        'until is not a known field: use repeat_until. For example "repeat_until": "2027-03-01".'
      ],
      [
        "PUT",
        `/things/${ids}/reminder`,
        { at: "2031-01-02", weekdays: 1 },
        'weekdays is not a known field: use days. For example "days": ["mon","thu"].'
      ],
      [
        "PUT",
        `/things/${ids}/reminder`,
        { at: "soon" },
        /^at must be an ISO 8601 date .*, not "soon". For example "at": "2026-11-23T09:00"\.$/
      ],
      [
        "PUT",
        `/things/${ids}/reminder`,
        { at: "2031-01-02T09:00", place: "Home" },
        'place must be null, since the tool set_reminder alone sets reminders at places, not "Home".'
      ],
      [
        "PUT",
        `/things/${ids}/reminder`,
        { at: "2031-01-02T09:00", end: "2031-01-01T09:00" },
        /^end must be after at, not "2031-01-01T09:00". For example "at": /
      ],
      [
        "GET",
        "/things?completed=yes",
        undefined,
        /^completed must be one of "true", "false", not "yes". For example completed=false\.$/
      ],
      ["GET", "/things?page=-1", undefined, 'page must be an integer of 0 or more, not "-1". For example page=0.'],
      [
        "GET",
        "/today?date=someday",
        undefined,
        'date must be today, yesterday, tomorrow or an ISO 8601 date, not "someday". For example date=tomorrow.'
      ],
      [
        "GET",
        "/today?date=2026-11-22T09:00:00+01:00",
        undefined,
        /^date must be .*, with \+ as %2B, not "2026-11-22T09:00:00 01:00"\. For example date=/
      ],
      [
        "GET",
        "/things?since=2026-11-22T09:00:00+01:00",
        undefined,
        /^since must be an ISO 8601 date .*, with \+ as %2B, not "2026-11-22T09:00:00 01:00"\. For example since=/
      ],
      [
        "POST",
        "/things",
        { text: "a", dry_run: true },
        /^dry_run is not a known field: it belongs in the address, \?dry_run=true\./
      ],
      ["GET", "/search?query=%20", undefined, "query is required and must not be blank. For example query=milk."],
      [
        "GET",
        "/changes?limit=501",
        undefined,
        'limit must be an integer from 1 to 500, not "501". For example limit=100.'
      ],
      [
        "DELETE",
        `/things/${ids}?dry-run=true`,
        undefined,
        "dry-run is not a known query parameter: did you mean dry_run? For example dry_run=true."
      ]
    ] as const) {
      const { body: answer, status } = await ask(method, path, body)
      expect([path, status]).toStrictEqual([path, 400])
      if (typeof said === "string") expect(answer.error).toBe(said)
      else expect(answer.error).toMatch(said)
    }
    const { error } = (await ask("POST", "/lists", undefined, { text: '{"title": Groceries}' })).body
    expect(error).toMatch(/^The body must be valid JSON.*. For example \{"title":"Groceries"\}\.$/)
  })

  given("never repeats a key of the service, and of a long value only its beginning", async ({ ask, token }) => {
    const secret = (await ask("POST", "/lists", { title: "a", sort: token })).body.error
    expect(secret).toContain('not "lat_…"')
    expect(secret).not.toContain(token.slice(0, 16))
    expect((await ask("POST", "/lists", { title: "a", sort: "z".repeat(100_000) })).body.error.length).toBeLessThan(300)
    const named = (await ask("DELETE", `/things/unknown?${token}=1`)).body.error
    expect(named).not.toContain(token.slice(0, 16))
  })
})

contract("X-Notice", (given) => {
  given("says which items were left out of a bulk call, and why", async (client) => {
    const list = await listOf(client, ["old"])
    const attic = await listOf(client, [], { title: "Attic" })
    await client.ask("PATCH", `/lists/${attic.id}`, { archived: true })
    const items = [
      { text: "new" },
      { text: " " },
      { text: "old" },
      { text: "x", list_id: "none" },
      { text: "y", list: "Attic" },
      { text: "z", list_id: attic.id }
    ]
    const made = await client.ask("POST", "/things/bulk", { items, list_id: list.id, skip_duplicates: true })
    expect(Object.keys(made.body).toSorted()).toStrictEqual(["by_list", "created", "skipped"])
    expect(made.headers.get("x-notice")).toBe(
      "Skipped items[1] (blank), items[2] (a duplicate), items[3] (its own list is unknown), items[4] (its own list is archived: name it by its id, or unarchive it)."
    )
    const changed = await client.ask("PATCH", "/things/bulk", { ids: [list.ids[0], "für"], set: { completed: true } })
    expect(changed.body).toStrictEqual({ updated: 1, skipped: 1 })
    expect(changed.headers.get("x-notice")).toBe("Skipped ids[1] ('f?r' is no thing of yours).")
    const wide = await client.ask("PATCH", "/things/bulk", { ids: ["🦊 x"], set: { completed: true } })
    expect(wide.headers.get("x-notice")).toBe("Skipped ids[0] ('? x' is no thing of yours).")
    const blank = await client.ask("POST", "/lists", { title: "a", things: [{ text: "" }, { text: "b" }] })
    expect(blank.headers.get("x-notice")).toBe("Skipped things[0] (blank).")
    const none = await client.ask("POST", "/things/bulk", { items: [{ text: "y" }] })
    expect(none.headers.get("x-notice")).toBeNull()
  })

  given("says which ids to delete did not exist, which is a success", async (client) => {
    const list = await listOf(client, ["a", "b"])
    const [a, b] = list.ids
    const gone = async (path: string, body?: unknown) => {
      const answer = await client.ask("DELETE", path, body)
      return [answer.status, answer.body, answer.headers.get("x-notice")]
    }
    const success = { success: true }
    expect(await gone("/things/nope")).toStrictEqual([
      200,
      success,
      "Nothing was deleted: 'nope' is no thing of yours."
    ])
    expect(await gone(`/things/${list.id}`)).toStrictEqual([
      200,
      success,
      `Nothing was deleted: '${list.id}' is a list.`
    ])
    expect(await gone(`/lists/${a}`)).toStrictEqual([200, success, `Nothing was deleted: '${a}' is a thing.`])
    expect(await gone("/things/nope/reminder")).toStrictEqual([
      200,
      success,
      "No reminder was removed: 'nope' is no thing of yours."
    ])
    expect(await gone(`/things/${a}/reminder`)).toStrictEqual([
      200,
      success,
      "No reminder was removed: the thing has none."
    ])
    expect(await gone("/things/bulk", { ids: [a, "nope", a, list.id] })).toStrictEqual([
      200,
      { deleted: 1 },
      `Skipped ids[1] ('nope' is no thing of yours), ids[3] ('${list.id}' is a list).`
    ])
    expect(await gone("/things/bulk", { ids: [b] })).toStrictEqual([200, { deleted: 1 }, null])
    expect(await gone(`/lists/${list.id}`)).toStrictEqual([200, success, null])
  })

  given("says which things of a bulk completion repeat, and when", async (client) => {
    const list = await listOf(client, ["Water", "Post", "Pay\n**rent**"])
    const [water, post, rent] = list.ids
    await client.ask("PUT", `/things/${water}/reminder`, { at: "2031-01-04T09:00Z", repeat: "weekly" })
    await client.ask("PUT", `/things/${post}/reminder`, { at: "2031-01-04T09:00Z" })
    await client.ask("PUT", `/things/${rent}/reminder`, { at: "2031-01-31", repeat: "monthly" })
    const done = await client.ask("PATCH", "/things/bulk", { ids: list.ids, set: { completed: true } })
    expect(done.body).toStrictEqual({ updated: 3, skipped: 0 })
    expect(done.headers.get("x-notice")).toBe(
      "Comes again: 'Water' (Saturday 2031-01-11 09:00), 'Pay rent' (Friday 2031-02-28)."
    )
    const moved = await client.ask("PATCH", "/things/bulk", { ids: list.ids, set: { tabs: 1 } })
    expect(moved.headers.get("x-notice")).toBeNull()
  })

  given("says that a series ends before the day given as repeat_until", async ({ ask }) => {
    const { thing } = (await ask("POST", "/things", { text: "Pills" })).body
    const set = async (reminder: object) => {
      const { headers } = await ask("PUT", `/things/${thing.id}/reminder`, { repeat: "daily", ...reminder })
      return headers.get("x-notice")
    }
    const day = "2099-01-01"
    const last = "2099-01-04"
    expect(await set({ at: `${day}T09:00`, repeat_until: last })).toBe(
      "repeat_until is the midnight with which 2099-01-04 begins, so that day has no occurrence: for it, set repeat_until to 2099-01-04T09:00."
    )
    expect(await set({ at: `${day}T09:00`, repeat_until: `${last}T09:00` })).toBeNull()
    expect(await set({ at: `${day}T09:00`, repeat_until: `${last}T00:00` })).toBeNull()
    expect(await set({ at: `${day}T00:00`, all_day: false, repeat_until: last })).toBeNull()
    expect(await set({ at: day, repeat_until: last })).toBeNull()
    expect(await set({ at: `${day}T09:00`, every: 2, repeat_until: last })).toBeNull()
  })

  given("says that nothing was done, and that a reminder is in the past or does not repeat", async ({ ask }) => {
    const { thing } = (await ask("POST", "/things", { text: "a" })).body
    const past = await ask("PUT", `/things/${thing.id}/reminder`, { at: "2020-01-01T09:00:00Z" })
    expect(past.headers.get("x-notice")).toBe(
      "The reminder is set, and its time 2020-01-01T09:00:00.000Z is in the past: it is overdue from the start."
    )
    expect(Object.keys(past.body)).toStrictEqual(["reminder"])
    for (const lost of [{ every: 2 }, { repeat: "none", repeat_until: "2100-01-01" }]) {
      const once = await ask("PUT", `/things/${thing.id}/reminder`, { at: "2099-01-01T09:00", ...lost })
      expect([once.body.reminder.repeat, once.headers.get("x-notice")]).toStrictEqual([
        "none",
        "The reminder does not repeat: every and repeat_until have a meaning beside repeat alone."
      ])
    }
    const meant = await ask("PUT", `/things/${thing.id}/reminder`, { at: "2099-01-01T09:00", days: ["mon"] })
    expect(meant.headers.get("x-notice")).toBeNull()
    await ask("PUT", `/things/${thing.id}/reminder`, { at: "2020-01-01T09:00:00Z", every: 1 })
    const stale = await ask("PATCH", `/things/${thing.id}`, { completed: true, occurrence: "2020-01-02T09:00:00Z" })
    expect([stale.status, stale.body.thing.completed, Object.keys(stale.body)]).toStrictEqual([200, false, ["thing"]])
    expect(stale.headers.get("x-notice")).toBe(
      "Nothing was done: the occurrence 2020-01-02T09:00:00Z is not due, the one that is due is 2020-01-01T09:00:00.000Z."
    )
  })

  given("warns that a text was overwritten by its truncated form", async ({ ask }) => {
    const { thing } = (await ask("POST", "/things", { text: "Call Anna about the tickets" })).body
    await ask("PUT", `/things/${thing.id}/reminder`, { at: "2099-01-01T09:00" })
    const { things } = (await ask("GET", `/lists/${thing.list_id}?max_text=9`)).body
    const { body, headers } = await ask("PATCH", `/things/${thing.id}`, { text: things[0].text })
    expect([body.thing.text, headers.get("x-notice")]).toStrictEqual([
      "Call Anna…",
      "The text ends with an ellipsis and is shorter than before: if it was read cut, undo this and read it whole first."
    ])
  })

  given("says which field an id or a day belongs in", async (client) => {
    const { id, ids } = await listOf(client, ["Milk"])
    const writes = [
      ["POST", "/things", "", { text: "Bread" }],
      ["PATCH", `/things/${ids[0]}`, "", {}],
      ["POST", "/things/bulk", "", { items: [{ text: "Bread" }] }],
      ["POST", "/things/markdown", "", { markdown: "- Bread" }],
      ["PATCH", "/things/bulk", "set.", { ids }]
    ] as const
    for (const [method, path, at, body] of writes)
      for (const [target, way] of [
        [{ list: id }, /No list is named '.*'\. Give an id as list_id\.$/],
        [{ list_id: "Tomorrow" }, / Give the day as list: "tomorrow"\.$/],
        [{ list_id: "2031-05-05" }, / Give the day as list: "2031-05-05"\.$/]
      ] as const) {
        const answer = await client.ask(method, path, at === "" ? { ...body, ...target } : { ...body, set: target })
        expect(answer.status, path).toBeGreaterThanOrEqual(400)
        expect(answer.body.error, path).toMatch(way)
      }
  })

  given("says where a name that fits several lists was given", async ({ ask }) => {
    const title = `Twins ${crypto.randomUUID()}`
    for (const _ of [1, 2]) await ask("POST", "/lists", { title })
    const { thing } = (await ask("POST", "/things", { text: "Milk" })).body
    const bulk = (ids: ReadonlyArray<string>) => ask("PATCH", "/things/bulk", { ids, set: { list: title } })
    for (const [answer, field] of [
      [await ask("PATCH", `/things/${thing.id}`, { list: title }), "list"],
      [await ask("POST", "/things/bulk", { items: [{ text: "a", list: title }] }), "items[0].list"],
      [await bulk([thing.id]), "set.list"],
      [await bulk([]), "set.list"]
    ] as const) {
      expect(answer.status).toBe(400)
      expect(answer.body.error.startsWith(`${field} '${title}' fits 2 lists: `)).toBe(true)
    }
  })
})

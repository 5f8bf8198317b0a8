import { expect } from "@effect/vitest"
import { middayZone } from "@lists-and-things/testing/Midday"
import { contract, listOf, textsOf } from "./Given.ts"

contract("GET /things", (given) => {
  given("answers things newest first, over all lists or one, 50 a page", async (client) => {
    const one = await listOf(
      client,
      Array.from({ length: 51 }, (_, at) => `one ${at}`)
    )
    await client.ask("POST", "/things", { text: "newest" })
    const all = await client.ask("GET", "/things")
    expect(all.body.things[0].text).toBe("newest")
    expect([all.body.things.length, all.body.has_more]).toStrictEqual([50, true])
    const texts = all.body.things.map((thing: { text: string }) => thing.text)
    expect(texts.slice(1)).toStrictEqual(Array.from({ length: 49 }, (_, at) => `one ${50 - at}`))
    const second = await client.ask("GET", `/things?list_id=${one.id}&page=1`)
    expect(second.body.things[0].text).toBe("one 0")
    expect([second.body.things.length, second.body.page, second.body.has_more]).toStrictEqual([1, 1, false])
    for (const id of ["unknown", "", "%00", "x".repeat(500)])
      expect((await client.ask("GET", `/things?list_id=${id}`)).body.things).toStrictEqual([])
  })

  given("narrows by completion, type, tag and time", async (client) => {
    await listOf(client, [
      { text: "done", completed: true },
      { text: "dash", type: "dash" },
      { text: "plain", type: "note" },
      { text: "tagged", tags: ["#Errands"] }
    ])
    const texts = async (query: string) =>
      (await client.ask("GET", `/things?${query}`)).body.things.map((thing: { text: string }) => thing.text).toSorted()
    expect(await texts("completed=true")).toStrictEqual(["done"])
    expect(await texts("completed=false")).toStrictEqual(["dash", "plain", "tagged"])
    expect(await texts("type=dash")).toStrictEqual(["dash"])
    expect(await texts("type=note")).toStrictEqual(["plain"])
    expect(await texts("tag=errands")).toStrictEqual(["tagged"])
    expect(await texts("since=2999-01-01")).toStrictEqual([])
  })

  given("lets a client poll by updated without missing or repeating a change", async (client) => {
    const { ids } = await listOf(client, ["a", "b", "c"])
    const poll = async (since: string) => (await client.ask("GET", `/things?sort=updated&since=${since}`)).body.things
    const seen = (await poll("2020-01-01T00:00:00Z"))[0].updated
    expect(await poll(seen)).toStrictEqual([])
    await client.ask("PATCH", `/things/${ids[1]}`, { completed: true })
    expect((await poll(seen)).map((thing: { id: string }) => thing.id)).toStrictEqual([ids[1]])
  })

  given("refuses malformed filters", async ({ ask }) => {
    for (const query of [
      "completed=yes",
      "completed=1",
      "type=task",
      "since=yesterday",
      "since=2026-02-30",
      "sort=text",
      "page=a",
      "max_text=0",
      "tag=%00",
      "list_id=a&list_id=b"
    ]) {
      expect([query, (await ask("GET", `/things?${query}`)).status]).toStrictEqual([query, 400])
    }
  })
})

contract("POST /things", (given) => {
  given("creates a thing with every field, and reads it back as it was written", async (client) => {
    const list = await listOf(client, [])
    const other = await listOf(client, [])
    const sent = {
      text: "**Oat** milk `2 l` [shop](https://a.example)",
      type: "dash",
      url: "https://example.com/x",
      list_ref: other.id,
      tags: ["#Errands", "errands", " home "],
      photos: ["https://example.com/a.jpg"],
      completed: true,
      created: "2020-02-29T12:00:00Z",
      tabs: 2,
      italic: true,
      subheader: true,
      quote: true,
      note: "# Note\n\nLong."
    }
    const answer = await client.ask("POST", "/things", { list_id: list.id, ...sent })
    expect(answer.status).toBe(201)
    expect(answer.body.thing).toMatchObject({
      ...sent,
      tags: ["Errands", "home"],
      created: "2020-02-29T12:00:00.000Z",
      bold: true,
      header: false,
      code: false,
      underline: false,
      canceled: false,
      list_id: list.id,
      clone_of: null,
      has_clones: false
    })
    expect((await client.ask("GET", `/things/${answer.body.thing.id}`)).body).toStrictEqual({
      thing: answer.body.thing,
      reminder: null
    })
  })

  given("caps a tag as it is stored, without the white space and the # around it", async ({ ask }) => {
    const longest = "x".repeat(100)
    const { body, status } = await ask("POST", "/things", { text: "a", tags: [`  #${longest}  `, `${longest}y`] })
    expect([status, body.error]).toStrictEqual([
      400,
      expect.stringMatching(/^tags\[1\] must be at most 100 characters long/)
    ])
    const made = await ask("POST", "/things", { text: "a", tags: [`  #${longest}  `] })
    expect(made.body.thing.tags).toStrictEqual([longest])
  })

  given(
    "puts a thing where list_id, a title or a day word says, and else on today",
    async (client) => {
      const { id } = await listOf(client, [], { title: "Groceries" })
      const target = async (body: object) => {
        const made = await client.ask("POST", "/things", { text: "x", ...body })
        return (await client.ask("GET", `/lists/${made.body.thing.list_id}`)).body.list
      }
      expect((await target({ list_id: id })).id).toBe(id)
      expect((await target({ list: " groceries " })).id).toBe(id)
      expect((await target({ list: "2026-12-24" })).title).toBe("2026-12-24")
      expect((await target({ list: "today" })).today).toBe(true)
      expect((await target({})).today).toBe(true)
    },
    { settings: { timezone: middayZone } }
  )

  given("says how the word for a day is written", async ({ ask }) => {
    for (const [list, word] of [
      ["Today", "today"],
      [" TOMORROW ", "tomorrow"]
    ]) {
      const { body, status } = await ask("POST", "/things", { text: "a", list })
      expect([status, body.error]).toStrictEqual([404, `No list is named '${list}'; the list of the day is '${word}'.`])
    }
  })

  given("answers an unknown target 404, and a name of two lists 400 with the candidates", async (client) => {
    const one = await listOf(client, [], { title: "Twice" })
    const two = await listOf(client, [], { title: "Twice" })
    const refused = (body: object) => client.ask("POST", "/things", { text: "x", ...body })
    expect((await refused({ list: "Nowhere" })).status).toBe(404)
    expect((await refused({ list_id: "nowhere" })).status).toBe(404)
    const ambiguous = await refused({ list: "Twice" })
    expect(ambiguous.status).toBe(400)
    expect(ambiguous.body.error).toContain(one.id)
    expect(ambiguous.body.error).toContain(two.id)
  })

  given("refuses what breaks a rule, names the field, and creates nothing", async (client) => {
    const { id } = await listOf(client, [])
    const refusals: ReadonlyArray<readonly [object, RegExp]> = [
      [{}, /text/],
      [{ text: "  " }, /text/],
      [{ text: "x".repeat(10_001) }, /text must be at most 10,000/],
      [{ text: "a", header: true, subheader: true }, /subheader/],
      [{ text: "a", quote: true, code: true }, /code/],
      [{ text: "a", completed: true, canceled: true }, /canceled/],
      [{ text: "a", list: "today", list_id: id }, /list/],
      [{ text: "a", type: "task" }, /type must be one of/],
      [
        { text: "a", photos: Array.from({ length: 11 }, () => "https://a.example/a.jpg") },
        /photos must be .*at most 10/
      ],
      [{ text: "a", photos: ["ftp://a.example/a.jpg"] }, /photos\[0\]/],
      [{ text: "a", url: "javascript:alert(1)" }, /url/],
      [{ text: "a", tags: ["x".repeat(101)] }, /tags/],
      [{ text: "a", tabs: 1.5 }, /tabs/],
      [{ text: "a", tabs: 2 ** 31 }, /tabs/],
      [{ text: "a", created: "yesterday" }, /created/],
      [{ text: "a", list_ref: "0199f0c2-7a51-7c3e-9d1b-000000000000" }, /list_ref/],
      [{ text: "a", note: 1 }, /note must be a string/],
      [{ title: "a" }, /^title is not a known field: use text. For example "text": /],
      [
        { text: "a", date: "2026-11-21" },
        /^date is not a known field: a time is set by PUT \/things\/\{id\}\/reminder, a day/
      ],
      [{ text: "a", complete: true }, /complete is not a known field: did you mean completed\?/]
    ]
    for (const [body, message] of refusals) {
      const answer = await client.ask("POST", "/things", "list" in body ? body : { list_id: id, ...body })
      expect([JSON.stringify(body).slice(0, 80), answer.status]).toStrictEqual([JSON.stringify(body).slice(0, 80), 400])
      expect(answer.body.error).toMatch(message)
      expect(answer.body.error.length).toBeLessThan(400)
    }
    expect(await textsOf(client, id)).toStrictEqual([])
  })
})

contract("PATCH /things/{id}", (given) => {
  given("changes what is sent; an empty object changes nothing, updated included", async (client) => {
    const { id, ids } = await listOf(client, [{ text: "a", tags: ["x"], note: "n" }, "b"])
    const before = (await client.ask("GET", `/things/${ids[0]}`)).body.thing
    expect((await client.ask("PATCH", `/things/${ids[0]}`, {})).body.thing).toStrictEqual(before)
    const { body } = await client.ask("PATCH", `/things/${ids[0]}`, { text: "A", tags: [], note: "" })
    expect(body).toStrictEqual({ thing: { ...before, text: "A", tags: [], note: "", updated: body.thing.updated } })
    expect(await textsOf(client, id)).toStrictEqual(["A", "b"])
  })

  given("completes, cancels and reopens; each of the two clears the other", async (client) => {
    const { ids } = await listOf(client, ["a"])
    const patch = async (body: object) => (await client.ask("PATCH", `/things/${ids[0]}`, body)).body.thing
    expect(await patch({ completed: true })).toMatchObject({ completed: true, canceled: false })
    expect(await patch({ canceled: true })).toMatchObject({ completed: false, canceled: true })
    expect(await patch({ canceled: false })).toMatchObject({ completed: false, canceled: false })
    expect((await client.ask("PATCH", `/things/${ids[0]}`, { completed: true, canceled: true })).status).toBe(400)
  })

  given("moves to the end of another list; its own list is no move", async (client) => {
    const from = await listOf(client, ["a", "b"])
    const to = await listOf(client, ["c"], { title: "Target" })
    expect((await client.ask("PATCH", `/things/${from.ids[0]}`, { list_id: from.id })).status).toBe(200)
    expect(await textsOf(client, from.id)).toStrictEqual(["a", "b"])
    await client.ask("PATCH", `/things/${from.ids[0]}`, { list: "Target" })
    expect(await textsOf(client, to.id)).toStrictEqual(["c", "a"])
    expect((await client.ask("PATCH", `/things/${from.ids[1]}`, { list_id: "nowhere" })).status).toBe(404)
  })

  given("removes a one-off reminder when its thing is completed", async (client) => {
    const { ids } = await listOf(client, ["a"])
    await client.ask("PUT", `/things/${ids[0]}/reminder`, { at: "2099-01-01T09:00:00Z" })
    const { body } = await client.ask("PATCH", `/things/${ids[0]}`, { completed: true })
    expect(body).toMatchObject({ thing: { completed: true }, reminder_removed: true })
    expect((await client.ask("GET", `/things/${ids[0]}`)).body.reminder).toBeNull()
  })

  given("leaves a completed copy and moves on when a repeating thing is completed", async (client) => {
    const { id, ids } = await listOf(client, ["Water"])
    const at = "2099-01-05T09:00:00.000Z"
    await client.ask("PUT", `/things/${ids[0]}/reminder`, { at, repeat: "weekly" })
    const { body } = await client.ask("PATCH", `/things/${ids[0]}`, { completed: true, occurrence: at })
    expect(body.thing).toMatchObject({ id: ids[0], completed: false, list_id: body.repeating_reminder.list_id })
    expect(body.repeating_reminder.next_at).toBe("2099-01-12T09:00:00.000Z")
    const copy = (await client.ask("GET", `/things/${body.repeating_reminder.copy_id}`)).body
    expect(copy).toMatchObject({ thing: { completed: true, list_id: id, text: "Water" }, reminder: null })
    const again = await client.ask("PATCH", `/things/${ids[0]}`, { completed: true, occurrence: at })
    expect(again.body).toStrictEqual({ thing: body.thing })
  })

  given("can be sent a thing as it was read", async (client) => {
    const { ids } = await listOf(client, ["a"])
    const { thing } = (await client.ask("GET", `/things/${ids[0]}`)).body
    const answer = await client.ask("PATCH", `/things/${ids[0]}`, { ...thing, favorited: true })
    expect(answer.body.thing).toMatchObject({ ...thing, favorited: true, updated: answer.body.thing.updated })
  })
})

contract("DELETE /things/{id}", (given) => {
  given("is permanent and idempotent, and does nothing to what is somebody else's", async (client, server) => {
    const { id, ids } = await listOf(client, ["a", "b"])
    const stranger = await server.client()
    expect((await stranger.ask("DELETE", `/things/${ids[0]}`)).body).toStrictEqual({ success: true })
    expect(await textsOf(client, id)).toStrictEqual(["a", "b"])
    for (const of of [ids[0], ids[0], "nonsense"]) {
      expect((await client.ask("DELETE", `/things/${of}`)).body).toStrictEqual({ success: true })
    }
    expect(await textsOf(client, id)).toStrictEqual(["b"])
  })
})

contract("addresses beside those of things and lists", (given) => {
  given("are no ids, whatever the method", async ({ ask, token, url }) => {
    for (const [path, allow] of [
      ["/things/bulk", "POST, PATCH, DELETE, OPTIONS"],
      ["/things/bulk/", "POST, PATCH, DELETE, OPTIONS"],
      ["/things/markdown", "POST, OPTIONS"],
      ["/lists/import", "POST, OPTIONS"]
    ] as const) {
      const allowed = new Set(allow.split(", "))
      for (const method of ["GET", "PUT", "POST", "PATCH", "DELETE"].filter((each) => !allowed.has(each))) {
        const answer = await fetch(`${url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } })
        expect([method, path, answer.status]).toStrictEqual([method, path, 405])
        expect(answer.headers.get("allow")).toBe(allow)
        expect(answer.headers.get("x-ratelimit-remaining")).not.toBeNull()
      }
    }
    expect((await ask("GET", "/things/bulky")).status).toBe(404)
    expect((await ask("DELETE", "/things/import")).body).toStrictEqual({ success: true })
  })
})

contract("live linked copies", (given) => {
  given("share their content with the original, wherever they are", async (client) => {
    const from = await listOf(client, ["a"])
    const to = await listOf(client, [])
    const clone = (await client.ask("POST", "/things", { list_id: to.id, text: "a", clone_of: from.ids[0] })).body.thing
    expect(clone.clone_of).toBe(from.ids[0])
    await client.ask("PATCH", `/things/${clone.id}`, { text: "both" })
    expect((await client.ask("GET", `/things/${from.ids[0]}`)).body.thing).toMatchObject({
      text: "both",
      has_clones: true
    })
    await client.ask("DELETE", `/things/${from.ids[0]}`)
    expect((await client.ask("GET", `/things/${clone.id}`)).body.thing).toMatchObject({
      clone_of: null,
      has_clones: false
    })
  })
})

import { expect } from "@effect/vitest"
import { contract, listOf, textsOf } from "./Given.ts"

const titles = (body: { lists: ReadonlyArray<{ title: string }> }) => body.lists.map((list) => list.title)

contract("GET /lists", (given) => {
  given("answers the lists most recently modified first, in a paging envelope", async ({ ask }) => {
    const first = await ask("POST", "/lists", { title: "First" })
    await ask("POST", "/lists", { title: "Second" })
    await ask("POST", "/things", { list_id: first.body.list.id, text: "moves its list up" })
    const answer = await ask("GET", "/lists")
    expect(titles(answer.body)).toStrictEqual(["First", "Second"])
    expect(answer.body).toMatchObject({ page: 0, page_size: 50, has_more: false })
  })

  given("leaves out archived lists and day lists without things", async ({ ask }) => {
    const list = await ask("POST", "/lists", { title: "Old" })
    await ask("PATCH", `/lists/${list.body.list.id}`, { archived: true })
    await ask("GET", "/today")
    expect((await ask("GET", "/lists")).body.lists).toStrictEqual([])
    await ask("POST", "/things", { text: "makes the day list count" })
    expect((await ask("GET", "/lists")).body.lists).toHaveLength(1)
    await ask("PATCH", `/lists/${list.body.list.id}`, { archived: false })
    expect((await ask("GET", "/lists")).body.lists).toHaveLength(2)
  })

  given("pages by 50, and a page beyond the end is empty", async ({ ask }) => {
    for (let count = 0; count < 51; count++) await ask("POST", "/lists", { title: `List ${count}` })
    const page = async (number: string) => {
      const { body, status } = await ask("GET", `/lists?page=${number}`)
      return [status, body.lists.length, body.page, body.has_more]
    }
    expect(await page("0")).toStrictEqual([200, 50, 0, true])
    expect(await page("1")).toStrictEqual([200, 1, 1, false])
    expect(await page("7")).toStrictEqual([200, 0, 7, false])
    expect(await page("9007199254740991")).toStrictEqual([200, 0, Number.MAX_SAFE_INTEGER, false])
    expect((await page("9".repeat(400)))[0]).toBe(200)
  })

  given(
    "refuses a page that is no plain decimal integer, or comes twice, and ignores unknown parameters",
    async ({ ask }) => {
      for (const page of ["-1", "1e3", "%201", "1.0", "0x1", "", "one", "1&page=2"]) {
        expect([page, (await ask("GET", `/lists?page=${page}`)).status]).toStrictEqual([page, 400])
      }
      expect((await ask("GET", "/lists?colour=red&colour=blue")).status).toBe(200)
    }
  )
})

contract("POST /lists", (given) => {
  given("creates a list with things in order, and counts blank ones as skipped", async ({ ask }) => {
    const answer = await ask("POST", "/lists", {
      title: "Trip 🧳",
      emoji: "🧳",
      things: [{ text: "Pack", type: "none", header: true }, { text: " " }, { text: "Socks", tabs: 1, tags: ["#wool"] }]
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      created: 2,
      skipped: 1,
      list: { title: "Trip 🧳", emoji: "🧳", sort: "chronological", today: false }
    })
    const view = await ask("GET", `/lists/${answer.body.list.id}`)
    expect(view.body.things).toMatchObject([
      { text: "Pack", type: "none", header: true, bold: true },
      { text: "Socks", type: "todo", tabs: 1, tags: ["wool"] }
    ])
  })

  given(
    "takes the account's defaults for what is left out",
    async ({ ask }) => {
      const { id } = await listOf({ ask } as never, ["a"])
      expect((await ask("GET", `/lists/${id}`)).body).toMatchObject({
        list: { sort: "alphabetical" },
        things: [{ type: "bullet" }]
      })
    },
    { settings: { defaultListSort: "alphabetical", defaultThingType: "bullet" } }
  )

  given(
    "refuses a missing title, a wrong one, an unknown field by its nearest name, and more than 500 things",
    async ({ ask }) => {
      const refusals: ReadonlyArray<readonly [object, RegExp]> = [
        [{}, /title is required/],
        [{ title: 7 }, /title must be a string/],
        [{ title: " " }, /title must be/],
        [{ title: "x".repeat(1001) }, /title must be at most 1,000/],
        [{ title: "x", emojii: "y" }, /emojii is not a known field: did you mean emoji\?/],
        [{ title: "x", things: Array.from({ length: 501 }, () => ({ text: "a" })) }, /things must be .*at most 500/],
        [{ title: "x", things: [{ text: "a" }, { text: "b", tabs: -1 }] }, /things\[1\]\.tabs must be/],
        [{ title: "x", things: [{ text: "x".repeat(10_001) }] }, /things\[0\]\.text must be at most 10,000/]
      ]
      for (const [body, message] of refusals) {
        const answer = await ask("POST", "/lists", body)
        expect(answer.status).toBe(400)
        expect(answer.body.error).toMatch(message)
        expect(answer.body.error.length).toBeLessThan(300)
      }
      expect((await ask("GET", "/lists")).body.lists).toStrictEqual([])
    }
  )
})

contract("POST /lists/import", (given) => {
  const markdown =
    "\uFEFF# Trip\r\n\r\n- [ ] Pack\r\n  - [x] Socks\r\n    - wool\r\n1. Drive\r\n\r\n## Later\r\n\r\n### Soon\r\n\r\n> quoted\r\n"

  given("makes a new list, titled by the first heading", async ({ ask }) => {
    const answer = await ask("POST", "/lists/import", { markdown })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ list: { title: "Trip" }, created: 7, skipped: 0 })
    const view = await ask("GET", `/lists/${answer.body.list.id}`)
    expect(view.body.things).toMatchObject([
      { text: "Pack", type: "todo", tabs: 0, completed: false },
      { text: "Socks", type: "todo", tabs: 1, completed: true },
      { text: "wool", type: "bullet", tabs: 2 },
      { text: "Drive", type: "number", tabs: 0 },
      { text: "Later", header: true },
      { text: "Soon", subheader: true },
      { text: "quoted", type: "none", quote: true }
    ])
  })

  given("puts nothing under the item before a blank one that enclosed it", async ({ ask }) => {
    const document = "# Trip\n- Pack\n- [ ]\n  - Drive\n    - Fuel\n- - Stay\n"
    const answer = await ask("POST", "/lists/import", { markdown: document })
    expect(answer.body).toMatchObject({ created: 4, skipped: 2 })
    expect((await ask("GET", `/lists/${answer.body.list.id}`)).body.things).toMatchObject([
      { text: "Pack", tabs: 0 },
      { text: "Drive", tabs: 0 },
      { text: "Fuel", tabs: 1 },
      { text: "Stay", tabs: 0 }
    ])
  })

  given("prefers the title that is sent, and never appends", async ({ ask }) => {
    const one = await ask("POST", "/lists/import", { markdown, title: "Mine", emoji: "🚗" })
    const two = await ask("POST", "/lists/import", { markdown, title: "Mine" })
    expect(one.body.list).toMatchObject({ title: "Mine", emoji: "🚗" })
    expect(two.body.list.id).not.toBe(one.body.list.id)
  })

  given("says how long the title of the document may be, and shows its beginning", async ({ ask }) => {
    const refused = await ask("POST", "/lists/import", { markdown: `# ${"x".repeat(1_001)}\n\n- a` })
    expect(refused.status).toBe(400)
    expect(refused.body.error).toMatch(
      /^markdown must have a title \(its first # heading\) of at most 1,000 characters, not "x+…" \(1,001 characters\)/
    )
  })

  given("refuses a document of more than 20,000 things, and makes nothing", async ({ ask }) => {
    const refused = await ask("POST", "/lists/import", { markdown: "- x\n".repeat(20_001), title: "Too many" })
    expect(refused.status).toBe(400)
    expect(refused.body.error).toContain("20,000")
    expect(refused.body.error).toContain("20,001")
    const lists = await ask("GET", "/lists")
    expect(lists.body.lists.map(({ title }: { readonly title: string }) => title)).not.toContain("Too many")
  })

  given("keeps white space around a title that is written out and imported", async ({ ask }) => {
    for (const title of [" Plan  B ", "\u00a0Plan C"]) {
      const made = await ask("POST", "/lists", { title, things: [{ text: "a" }] })
      const out = await ask("GET", `/lists/${made.body.list.id}/markdown`)
      const again = await ask("POST", "/lists/import", { markdown: out.body })
      expect(again.body.list.title).toBe(title)
    }
    for (const markdown of ["#   Plan D   #\n- a", "---\ntitle:  Plan D \n---\n- a"])
      expect((await ask("POST", "/lists/import", { markdown })).body.list.title).toBe("Plan D")
    expect((await ask("POST", "/lists/import", { markdown: "# &#32;\n- a" })).body.list.title).toBe("Imported list")
  })

  given("gives the same list again when it is written out and imported", async ({ ask }) => {
    const made = await ask("POST", "/lists/import", { markdown })
    const out = await ask("GET", `/lists/${made.body.list.id}/markdown`)
    expect(out.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
    const again = await ask("POST", "/lists/import", { markdown: out.body })
    const shapes = async (id: string) =>
      (await ask("GET", `/lists/${id}`)).body.things.map(
        ({ completed, header, quote, subheader, tabs, text, type }: Record<string, unknown>) => ({
          completed,
          header,
          quote,
          subheader,
          tabs,
          text,
          type
        })
      )
    expect(await shapes(again.body.list.id)).toStrictEqual(await shapes(made.body.list.id))
  })
})

contract("GET /lists/{id}", (given) => {
  given("answers the list, its things in display order and the reminders on them", async (client) => {
    const { id, ids } = await listOf(client, ["b", { text: "b1", tabs: 1 }, "a"], { sort: "alphabetical" })
    await client.ask("PUT", `/things/${ids[0]}/reminder`, { at: "2099-01-01T09:00:00Z" })
    const { body } = await client.ask("GET", `/lists/${id}`)
    expect(body.things.map((thing: { text: string }) => thing.text)).toStrictEqual(["a", "b", "b1"])
    expect(body.reminders).toHaveLength(1)
    expect(body.reminders[0]).toMatchObject({ list_id: id, at: "2099-01-01T09:00:00.000Z" })
  })

  given("cuts texts to max_text characters, counted as code points", async (client) => {
    const { id } = await listOf(client, ["😀😀😀😀", "ab"])
    const { body } = await client.ask("GET", `/lists/${id}?max_text=3`)
    expect(body.things.map((thing: { text: string }) => thing.text)).toStrictEqual(["😀😀😀…", "ab"])
    await client.ask("PUT", `/things/${body.things[0].id}/reminder`, { at: "2099-01-01T09:00:00Z" })
    const [reminder] = (await client.ask("GET", `/lists/${id}?max_text=3`)).body.reminders
    expect(reminder.text).toBe("😀😀😀…")
    for (const bad of ["0", "-1", "abc"])
      expect((await client.ask("GET", `/lists/${id}?max_text=${bad}`)).status).toBe(400)
  })

  given("answers an id of any form that is nobody's with 404", async ({ ask }) => {
    for (const id of ["x", "%00", "..%2f", "'%20or%201=1", "a".repeat(3000), "0199F0C2-7A51-7C3E-9D1B-2F6A8C4E5B70"]) {
      expect([id.slice(0, 20), (await ask("GET", `/lists/${id}`)).status]).toStrictEqual([id.slice(0, 20), 404])
    }
  })

  given(
    "takes a percent sign that encodes nothing for a part of the id, after the key and the scope",
    async (client, server) => {
      const { id } = await listOf(client, [])
      const writer = await server.client({ accountOf: client, scopes: ["write:lists"] })
      for (const bad of ["%", "100%25%", "%zz", "%ff%fe", `${id}%`]) {
        const answer = await client.ask("GET", `/lists/${bad}`)
        expect([bad, answer.status]).toStrictEqual([bad, 404])
        expect(answer.body.error).toContain(bad)
        expect(answer.headers.get("x-ratelimit-remaining")).not.toBeNull()
        expect((await client.ask("DELETE", `/lists/${bad}`)).body).toStrictEqual({ success: true })
        expect((await client.ask("GET", `/lists/${bad}`, undefined, { token: null })).status).toBe(401)
        expect((await writer.ask("GET", `/lists/${bad}`)).status).toBe(403)
      }
      expect((await client.ask("GET", `/lists/${id}`)).status).toBe(200)
    }
  )

  given(
    "takes a semicolon in the path for a part of the id, and not for the beginning of the query",
    async (client) => {
      const { body: made } = await client.ask("POST", "/lists", { title: "Chores" })
      const { id } = made.list
      expect((await client.ask("GET", `/lists/${id}?max_text=3;b`)).status).toBe(400)
      expect((await client.ask("GET", `/lists/${id};x`)).status).toBe(404)
      expect((await client.ask("GET", `/lists/${id};name=a?max_text=3`)).status).toBe(404)
      expect((await client.ask("GET", "/lists;x")).status).toBe(404)
      expect((await client.ask("GET", `/lists/${id}`)).status).toBe(200)
    }
  )
})

contract("GET /today", (given) => {
  // Its date is not that of UTC, and stays so for the next hours.
  const timezone = new Date().getUTCHours() < 11 ? "Etc/GMT+12" : "Pacific/Kiritimati"

  given(
    "resolves the date in the account's time zone and creates the day list once",
    async ({ ask }) => {
      const today = new Date().toLocaleDateString("sv-SE", { timeZone: timezone })
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask("GET", "/today")))
      expect(new Set(answers.map((answer) => answer.body.list.id)).size).toBe(1)
      expect(answers[0]!.body).toMatchObject({
        list: { title: today, emoji: "", today: true },
        things: [],
        reminders: []
      })
    },
    { settings: { timezone } }
  )

  given("takes words, dates and date-times, and refuses anything else", async ({ ask }) => {
    const title = async (date: string) => (await ask("GET", `/today?date=${date}`)).body.list.title
    expect(await title("2026-02-28")).toBe("2026-02-28")
    expect(await title("2026-02-28T23:30:00-05:00")).toBe("2026-03-01")
    expect((await ask("GET", "/today?date=tomorrow")).body.list.today).toBe(false)
    expect((await title("yesterday")) < (await title("today"))).toBe(true)
    for (const bad of ["", "someday", "2026-02-30", "1", "2026-13-01", "%00", "today%20", "%202026-02-28"]) {
      expect([bad, (await ask("GET", `/today?date=${bad}`)).status]).toStrictEqual([bad, 400])
    }
  })
})

contract("PATCH /lists/{id}", (given) => {
  given("changes what is sent and nothing else", async (client) => {
    const { id } = await listOf(client, ["a"], { emoji: "🛒" })
    const before = (await client.ask("GET", `/lists/${id}`)).body.list
    expect((await client.ask("PATCH", `/lists/${id}`, {})).body.list).toStrictEqual(before)
    const after = (await client.ask("PATCH", `/lists/${id}`, { title: "New", favorited: true })).body.list
    expect(after).toStrictEqual({ ...before, title: "New", favorited: true, updated: after.updated })
    expect(after.updated > before.updated).toBe(true)
  })

  given("ignores the fields that only reads have, so that a read list can be sent back", async (client) => {
    const { id } = await listOf(client, [])
    const { list } = (await client.ask("GET", `/lists/${id}`)).body
    const answer = await client.ask("PATCH", `/lists/${id}`, { ...list, id: "other", title: "Back" })
    expect(answer.body.list).toMatchObject({ id, title: "Back" })
  })
})

contract("DELETE /lists/{id}", (given) => {
  given("deletes the list with all its things, for good, and succeeds for unknown ids", async (client, server) => {
    const { id, ids } = await listOf(client, ["a", "b"])
    const stranger = await server.client()
    expect((await stranger.ask("DELETE", `/lists/${id}`)).body).toStrictEqual({ success: true })
    expect(await textsOf(client, id)).toStrictEqual(["a", "b"])
    expect((await client.ask("DELETE", `/lists/${id}`)).body).toStrictEqual({ success: true })
    expect((await client.ask("GET", `/lists/${id}`)).status).toBe(404)
    expect((await client.ask("GET", `/things/${ids[0]}`)).status).toBe(404)
    expect((await client.ask("DELETE", `/lists/${id}`)).body).toStrictEqual({ success: true })
  })
})

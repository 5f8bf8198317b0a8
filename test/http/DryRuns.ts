import { expect } from "@effect/vitest"
import { type Given, listOf } from "./Given.ts"
import type { Client, Method } from "./TestServer.ts"

/** Everything that an account has and has done. */
const stateOf = async (client: Client) => {
  const lists = await client.ask("GET", "/lists")
  const ids = (lists.body.lists as ReadonlyArray<{ id: string }>).map(({ id }) => id)
  const views = await Promise.all(ids.map((id) => client.ask("GET", `/lists/${id}`)))
  const operations = await client.ask("GET", "/operations")
  return [lists.body, views.map(({ body }) => body), operations.body, lists.headers.get("etag")]
}

const nobody = "0199f0c2-7a51-7c3e-9d1b-000000000000"
const daily = { at: "2099-01-05T09:00:00Z", repeat: "daily" }

/** Writes with `dry_run`: see docs/decisions.md#dry-runs. */
export const dryRunTests = (given: Given): void => {
  given("every write says what it would do, and does nothing", async (client) => {
    const { id, ids } = await listOf(client, ["Milk", "Bread"], { title: "Groceries" })
    await client.ask("PUT", `/things/${ids[0]}/reminder`, daily)
    const before = await stateOf(client)
    const writes: ReadonlyArray<[Method, string, unknown, object]> = [
      ["POST", "/lists", { title: "Books", things: [{ text: "a" }] }, { lists: 1, things: 1 }],
      ["POST", "/lists/import", { markdown: "# T\n- a\n- b\n" }, { lists: 1, things: 2 }],
      ["PATCH", `/lists/${id}`, { title: "Shopping" }, { lists: 1 }],
      ["DELETE", `/lists/${id}`, undefined, { lists: 1, things: 2, reminders: 1 }],
      ["POST", "/things", { list_id: id, text: "Tea" }, { things: 1 }],
      ["POST", "/things", { list: "tomorrow", text: "Tea" }, { lists: 1, things: 1 }],
      ["POST", "/things/bulk", { list_id: id, items: [{ text: "a" }, { text: "b" }] }, { things: 2 }],
      ["PATCH", "/things/bulk", { ids, set: { favorited: true } }, { things: 2 }],
      ["DELETE", "/things/bulk", { ids }, { things: 2, reminders: 1 }],
      ["POST", "/things/markdown", { list_id: id, markdown: "- a\n" }, { things: 1 }],
      ["PATCH", `/things/${ids[1]}`, { completed: true }, { things: 1 }],
      ["DELETE", `/things/${ids[1]}`, undefined, { things: 1 }],
      ["PUT", `/things/${ids[1]}/reminder`, daily, { reminders: 1 }],
      ["DELETE", `/things/${ids[0]}/reminder`, undefined, { reminders: 1 }]
    ]
    for (const [method, path, body, counts] of writes) {
      const answer = await client.ask(method, `${path}?dry_run=true`, body)
      const what = `${method} ${path}`
      expect([answer.status, answer.body.dry_run], what).toStrictEqual([200, true])
      expect(answer.body.counts, what).toStrictEqual({ lists: 0, things: 0, reminders: 0, places: 0, ...counts })
      expect(answer.body.summary, what).not.toBe("")
      for (const header of ["etag", "x-operation-id"]) expect(answer.headers.get(header), what).toBeNull()
      const total = Object.values(counts).reduce((sum: number, each: number) => sum + each, 0)
      expect(answer.body.entities, what).toHaveLength(total)
      for (const { change, id } of answer.body.entities) expect(id === undefined, what).toBe(change === "created")
    }
    expect(await stateOf(client)).toStrictEqual(before)
  })

  given("it shows what would change as the operation would", async (client) => {
    const { id, ids } = await listOf(client, ["Milk"], { title: "Groceries" })
    const renamed = await client.ask("PATCH", `/things/${ids[0]}?dry_run=true`, { text: "Oat milk" })
    const [entity] = renamed.body.entities
    expect(entity).toMatchObject({ type: "thing", id: ids[0], change: "updated", before: { text: "Milk" } })
    expect(entity.after).toMatchObject({ text: "Oat milk" })
    await client.ask("PUT", `/things/${ids[0]}/reminder`, daily)
    const done = await client.ask("PATCH", `/things/${ids[0]}?dry_run=true`, { completed: true })
    expect(done.body.counts).toStrictEqual({ lists: 1, things: 2, reminders: 1, places: 0 })
    const moved = done.body.entities.find((each: { id?: string; type: string }) => each.id === ids[0])
    expect(moved.before.list_id).toBe(id)
    expect(moved.after).not.toHaveProperty("list_id")
    const real = await client.ask("DELETE", `/lists/${id}?dry_run=false`)
    expect([real.status, real.body]).toStrictEqual([200, { success: true }])
    expect(real.headers.get("x-operation-id")).not.toBeNull()
  })

  given("a write that would change nothing has no entities", async (client) => {
    const { ids } = await listOf(client, ["Milk"])
    const counts = { lists: 0, things: 0, reminders: 0, places: 0 }
    for (const [method, path, body] of [
      ["PATCH", `/things/${ids[0]}`, {}],
      ["DELETE", `/things/${nobody}`, undefined],
      ["DELETE", `/things/${ids[0]}/reminder`, undefined]
    ] as const) {
      const { body: answer, status } = await client.ask(method, `${path}?dry_run=true`, body)
      expect([status, answer.counts, answer.entities]).toStrictEqual([200, counts, []])
    }
  })

  given("the read that creates a day's list says so, and creates none", async (client) => {
    const day = "/today?date=2031-05-06"
    const before = await stateOf(client)
    for (const max of ["", "&max_text=5"]) {
      const tried = await client.ask("GET", `${day}&dry_run=true${max}`)
      expect(tried.status).toBe(200)
      expect(tried.body).toMatchObject({ dry_run: true, counts: { lists: 1, things: 0 } })
      expect(tried.body.entities).toMatchObject([{ type: "list", change: "created" }])
      expect(tried.headers.get("x-operation-id")).toBeNull()
    }
    expect(await stateOf(client)).toStrictEqual(before)
    expect((await client.ask("GET", "/search?query=2031-05-06")).body.lists).toStrictEqual([])
    const made = await client.ask("GET", `${day}&dry_run=false`)
    expect(made.body.list.title).toBe("2031-05-06")
    const again = await client.ask("GET", `${day}&dry_run=true`)
    expect([again.body.counts.lists, again.body.entities]).toStrictEqual([0, []])
    expect((await client.ask("GET", `${day}&dry_run=1`)).status).toBe(400)
    expect((await client.ask("GET", "/today?date=someday&dry_run=true")).status).toBe(400)
  })

  given("says what the real call would say", async (client) => {
    const { id, ids } = await listOf(client, ["Milk"])
    const items = [{ text: " " }, { text: "Tea" }]
    const call = (query: string) => client.ask("POST", `/things/bulk${query}`, { items, list_id: id })
    const told = (await call("?dry_run=true")).headers.get("x-notice")
    expect(told).toBe("Skipped items[0] (blank).")
    expect((await call("")).headers.get("x-notice")).toBe(told)
    const nothing = await client.ask("PATCH", `/things/${ids[0]}?dry_run=true`, { occurrence: "2099-01-01", text: "x" })
    expect(nothing.headers.get("x-notice")).toMatch(/^Nothing was done: the occurrence 2099-01-01 is not due/)
  })

  given("errors are those of the real call, and an Idempotency-Key is ignored", async (client) => {
    const { ids } = await listOf(client, ["Milk"])
    const ask = (path: string, body: object, headers = {}) => client.ask("PATCH", path, body, { headers })
    expect((await ask(`/things/${nobody}?dry_run=true`, { text: "x" })).status).toBe(404)
    expect((await ask(`/things/${ids[0]}?dry_run=true`, { header: true, subheader: true })).status).toBe(400)
    expect((await ask(`/things/${ids[0]}?dry_run=true`, { text: "x" }, { "if-match": '"old"' })).status).toBe(412)
    const key = { "idempotency-key": "k" }
    for (const text of ["Oat milk", "Soy milk"])
      expect((await ask(`/things/${ids[0]}?dry_run=true`, { text }, key)).body.dry_run).toBe(true)
    expect((await ask(`/things/${ids[0]}`, { text: "Tea" }, key)).body.thing.text).toBe("Tea")
    expect((await ask(`/things/${ids[0]}?dry_run=true`, { text: "Tea" }, key)).body.dry_run).toBe(true)
  })

  given("a malformed dry_run and an unknown query parameter of a write are refused", async (client) => {
    const { id, ids } = await listOf(client, ["Milk"])
    for (const query of [
      "dry_run=",
      "dry_run",
      "dry_run=1",
      "dry_run=true&dry_run=true",
      "dryrun=true",
      "Dry_run=true"
    ]) {
      const refused = await client.ask("DELETE", `/things/${ids[0]}?${query}`)
      expect(refused.status, query).toBe(400)
      expect(refused.body.error.toLowerCase()).toContain(query.split("=")[0]!.toLowerCase())
    }
    expect((await client.ask("GET", `/lists/${id}?dryrun=true`)).body.things).toHaveLength(1)
    const preview = await client.ask("POST", "/reminders/preview?dry_run=what", daily)
    expect(preview.status).toBe(200)
    const { headers } = await client.ask("PATCH", `/lists/${id}`, { title: "T" })
    const undo = `/operations/${headers.get("x-operation-id")}/undo`
    expect((await client.ask("POST", `${undo}?dry_run=true`)).status).toBe(400)
  })

  given("a key without the right to read gets the counts, without entities", async (client, server) => {
    const { id } = await listOf(client, ["Milk"])
    for (const scopes of [["write:lists"], ["write:lists", "read:lists"]] as const) {
      const writer = await server.client({ accountOf: client, scopes: [...scopes] })
      const { body } = await writer.ask("DELETE", `/lists/${id}?dry_run=true`)
      expect(body).not.toHaveProperty("entities")
      expect(body.counts).toMatchObject({ lists: 1, things: 1 })
      expect((await writer.ask("DELETE", `/lists/${nobody}?dry_run=true`)).body).not.toHaveProperty("entities")
    }
  })

  given("at most 50 entities are shown", async (client) => {
    const { id } = await listOf(
      client,
      Array.from({ length: 60 }, (_, n) => `${n}`)
    )
    const { body } = await client.ask("DELETE", `/lists/${id}?dry_run=true`)
    expect(body.counts).toMatchObject({ lists: 1, things: 60 })
    expect([body.entities.length, body.entities_truncated]).toStrictEqual([50, true])
  })
}

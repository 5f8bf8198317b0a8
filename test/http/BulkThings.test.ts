import { expect } from "@effect/vitest"
import { contract, listOf, textsOf } from "./Given.ts"

contract("POST /things/bulk", (given) => {
  given("creates things in order, in the default target or their own, and counts by list", async (client) => {
    const one = await listOf(client, [], { title: "One" })
    const two = await listOf(client, [], { title: "Two" })
    const answer = await client.ask("POST", "/things/bulk", {
      list_id: one.id,
      items: [
        { text: "a" },
        { text: "b", list: "Two" },
        { text: "c" },
        { text: " " },
        { text: "lost", list: "Nowhere" }
      ]
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toStrictEqual({
      created: 3,
      skipped: 2,
      by_list: [
        { list_id: one.id, created: 2, skipped: 1 },
        { list_id: two.id, created: 1, skipped: 0 }
      ]
    })
    expect(await textsOf(client, one.id)).toStrictEqual(["a", "c"])
    const newest = (await client.ask("GET", "/things")).body.things as ReadonlyArray<{ readonly text: string }>
    expect(newest.map(({ text }) => text)).toStrictEqual(["c", "b", "a"])
  })

  given("skips duplicates by url, else by text, also within the call", async (client) => {
    const { id } = await listOf(client, ["a", { text: "link", url: "https://x.example/" }])
    const answer = await client.ask("POST", "/things/bulk", {
      list_id: id,
      skip_duplicates: true,
      items: [
        ...[{ text: " a " }, { text: "other words", url: "https://x.example/" }, { text: "b" }, { text: "b" }],
        ...["c", "d"].map((text) => ({ text, url: "https://y.example/" }))
      ]
    })
    expect(answer.body).toMatchObject({ created: 2, skipped: 4 })
  })

  given("is all or nothing", async (client) => {
    const { id } = await listOf(client, [])
    const items = Array.from({ length: 500 }, (_, at) => ({ text: `item ${at}` }))
    const refusals: ReadonlyArray<readonly [object, RegExp]> = [
      [{ items: [...items, { text: "one too many" }] }, /items must be .*at most 500/],
      [{ items: items.with(37, { text: 7 } as never) }, /items\[37\]\.text must be a string/],
      [{ items: items.with(499, { text: "a", header: true, subheader: true } as never) }, /items\[499\]/],
      [{}, /items is required/]
    ]
    for (const [body, message] of refusals) {
      const answer = await client.ask("POST", "/things/bulk", { list_id: id, ...body })
      expect(answer.status).toBe(400)
      expect(answer.body.error).toMatch(message)
    }
    expect((await client.ask("POST", "/things/bulk", { list_id: "nowhere", items })).status).toBe(400)
    expect(await textsOf(client, id)).toStrictEqual([])
    expect((await client.ask("POST", "/things/bulk", { list_id: id, items })).body).toMatchObject({
      created: 500,
      skipped: 0
    })
  })

  given("makes no list for a day that is named but gets nothing", async (client) => {
    const { id } = await listOf(client, [])
    for (const items of [[], [{ text: "elsewhere", list_id: id }]]) {
      const answer = await client.ask("POST", "/things/bulk", { items, list: "2031-05-07" })
      expect(answer.body).toMatchObject({ created: items.length, skipped: 0 })
      expect((await client.ask("POST", "/things/bulk", { items, list: "Nowhere" })).status).toBe(400)
    }
    expect((await client.ask("GET", "/search?query=2031-05-07")).body.lists).toStrictEqual([])
    expect(await textsOf(client, id)).toStrictEqual(["elsewhere"])
  })
})

contract("PATCH /things/bulk", (given) => {
  given("makes one change to many, and skips ids that are unknown or foreign", async (client, server) => {
    const { id, ids } = await listOf(client, ["a", "b"])
    const foreign = await listOf(await server.client(), ["theirs"])
    const answer = await client.ask("PATCH", "/things/bulk", {
      ids: [...ids, "unknown", foreign.ids[0]],
      set: { completed: true, tags: ["x"] }
    })
    expect(answer.body).toStrictEqual({ updated: 2, skipped: 2 })
    expect((await client.ask("GET", `/lists/${id}`)).body.things).toMatchObject([
      { completed: true, tags: ["x"] },
      { completed: true }
    ])
  })

  given("moves things in their order to the end of the target, which must exist", async (client) => {
    const from = await listOf(client, ["a", { text: "a1", tabs: 1 }, "b"])
    const to = await listOf(client, ["z"], { title: "There" })
    expect((await client.ask("PATCH", "/things/bulk", { ids: from.ids, set: { list: "Nowhere" } })).status).toBe(400)
    await client.ask("PATCH", "/things/bulk", { ids: from.ids.toReversed(), set: { list: "There" } })
    expect(await textsOf(client, to.id)).toStrictEqual(["z", "a", "a1", "b"])
  })

  given("leaves the copies of repeating things in the order of their list, in GET /things, too", async (client) => {
    const { id, ids } = await listOf(client, ["a", "b", "c"])
    for (const thing of ids)
      await client.ask("PUT", `/things/${thing}/reminder`, { at: "2033-01-01T10:00", repeat: "daily" })
    await client.ask("PATCH", "/things/bulk", { ids: [ids[2], ids[0], ids[1]], set: { completed: true } })
    expect(await textsOf(client, id)).toStrictEqual(["a", "b", "c"])
    const newest = (await client.ask("GET", `/things?list_id=${id}`)).body.things
    expect(newest).toMatchObject(["c", "b", "a"].map((text) => ({ text, completed: true })))
  })

  given("makes no day list, and is no operation, where no thing is there to move", async (client) => {
    for (const ids of [[], ["gone"]]) {
      const answer = await client.ask("PATCH", "/things/bulk", { ids, set: { list: "2031-05-06" } })
      expect(answer.body).toStrictEqual({ updated: 0, skipped: ids.length })
      expect(answer.headers.get("x-operation-id")).toBeNull()
    }
    expect((await client.ask("GET", "/search?query=2031-05-06")).body.lists).toStrictEqual([])
  })

  given("changes nothing where the change names no field, and says so", async (client) => {
    const { ids } = await listOf(client, ["a"])
    const before = (await client.ask("GET", `/things/${ids[0]}`)).body
    const { body, headers, status } = await client.ask("PATCH", "/things/bulk", { ids: [ids[0], "gone"], set: {} })
    expect([status, body]).toStrictEqual([200, { updated: 0, skipped: 1 }])
    expect(headers.get("x-operation-id")).toBeNull()
    expect(headers.get("x-notice")).toMatch(/^Nothing was changed: the change names no field\. Skipped ids\[1\]/)
    expect((await client.ask("GET", `/things/${ids[0]}`)).body).toStrictEqual(before)
  })

  given(
    "refuses what is wrong in the change whether or not a thing is there, by where it was written",
    async (client) => {
      const { ids } = await listOf(client, ["a"])
      const error = async (ids: ReadonlyArray<string | undefined>, set: object) => {
        const { body, status } = await client.ask("PATCH", "/things/bulk", { ids, set })
        expect(status).toBe(400)
        return body.error
      }
      for (const of of [ids, ["gone"], []]) {
        expect(await error(of, { list_id: "x" })).toMatch(/^set\.list_id must be the id of a list of yours/)
        expect(await error(of, { list_ref: "x" })).toMatch(/^set\.list_ref must be the id of a list of yours/)
        expect(await error(of, { list: "Nowhere" })).toMatch(/^set\.list must name a list\. No list is named 'Nowhere'/)
        expect(await error(of, { completed: true, canceled: true })).toMatch(/^set\.completed and set\.canceled cannot/)
      }
    }
  )

  given("refuses more than 500 ids, a missing set, and fields that are for one thing", async ({ ask }) => {
    const many = Array.from({ length: 501 }, () => "x")
    for (const body of [
      { ids: many, set: { completed: true } },
      { ids: ["x"] },
      { set: {} },
      { ids: ["x"], set: { text: "a" } },
      { ids: [1], set: {} }
    ]) {
      expect((await ask("PATCH", "/things/bulk", body)).status).toBe(400)
    }
  })
})

contract("DELETE /things/bulk", (given) => {
  given("deletes what exists and ignores the rest", async (client) => {
    const { id, ids } = await listOf(client, ["a", "b", "c"])
    expect((await client.ask("DELETE", "/things/bulk", { ids: [ids[0], ids[0], "x", ids[2]] })).body).toStrictEqual({
      deleted: 2
    })
    expect(await textsOf(client, id)).toStrictEqual(["b"])
    expect((await client.ask("DELETE", "/things/bulk", { ids: [] })).body).toStrictEqual({ deleted: 0 })
    expect((await client.ask("DELETE", "/things/bulk", { ids: Array.from({ length: 501 }, () => "x") })).status).toBe(
      400
    )
    expect((await client.ask("DELETE", "/things/bulk")).status).toBe(400)
  })
})

contract("POST /things/markdown", (given) => {
  given("appends to the list and counts like a bulk create", async (client) => {
    const { id } = await listOf(client, ["first"], { title: "Notes" })
    const answer = await client.ask("POST", "/things/markdown", {
      list: "notes",
      markdown: "- [x] a\n  - b\n\n> c\n\n# d\n"
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toStrictEqual({ created: 4, skipped: 0, by_list: [{ list_id: id, created: 4, skipped: 0 }] })
    expect((await client.ask("GET", `/lists/${id}`)).body.things).toMatchObject([
      { text: "first" },
      { text: "a", completed: true },
      { text: "b", type: "bullet", tabs: 1 },
      { text: "c", type: "none", quote: true },
      { text: "d", header: true }
    ])
    const again = await client.ask("POST", "/things/markdown", {
      list_id: id,
      markdown: "- [ ] a\n- [ ] e\n",
      skip_duplicates: true
    })
    expect(again.body).toMatchObject({ created: 1, skipped: 1 })
  })

  given("what is nested under a skipped item takes its level, and is under nothing else", async (client) => {
    const { id } = await listOf(client, ["Trip", "Work"])
    const answer = await client.ask("POST", "/things/markdown", {
      list_id: id,
      markdown: "- Mail\n- Trip\n  - Flight\n    - Seat\n  - Work\n    - Hotel\n- [ ]\n  - Train\n",
      skip_duplicates: true
    })
    expect(answer.body).toMatchObject({ created: 5, skipped: 3 })
    expect((await client.ask("GET", `/lists/${id}`)).body.things).toMatchObject([
      { text: "Trip", tabs: 0 },
      { text: "Work", tabs: 0 },
      { text: "Mail", tabs: 0 },
      { text: "Flight", tabs: 0 },
      { text: "Seat", tabs: 1 },
      { text: "Hotel", tabs: 0 },
      { text: "Train", tabs: 0 }
    ])
  })

  given("a document without items names its list, with nothing created", async (client) => {
    const { id } = await listOf(client, ["a"])
    for (const markdown of ["", "\n \n"]) {
      const answer = await client.ask("POST", "/things/markdown", { list_id: id, markdown })
      expect(answer.status).toBe(201)
      expect(answer.body).toStrictEqual({ created: 0, skipped: 0, by_list: [{ list_id: id, created: 0, skipped: 0 }] })
      expect(answer.headers.get("x-notice")).toBe("Nothing was added: the document has no items.")
    }
    expect(await textsOf(client, id)).toStrictEqual(["a"])
  })

  given("refuses an unknown target and an item over its cap, and appends nothing", async (client) => {
    const { id } = await listOf(client, [])
    expect((await client.ask("POST", "/things/markdown", { list: "Nowhere", markdown: "- a" })).status).toBe(400)
    expect(
      (await client.ask("POST", "/things/markdown", { list_id: id, markdown: `- a\n- ${"x".repeat(10_001)}` })).status
    ).toBe(400)
    expect(await textsOf(client, id)).toStrictEqual([])
  })
})

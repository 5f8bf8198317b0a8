import { expect } from "@effect/vitest"
import { contract, listOf } from "./Given.ts"
import { siteUrl } from "./TestServer.ts"

contract("GET /search", (given) => {
  given("finds lists and things by a part of their words, ignoring case and markup", async (client) => {
    const list = await listOf(client, ["Oat **milk** drink", "bread"], { title: "Milk run" })
    const { body, status } = await client.ask("GET", "/search?query=MILK")
    expect(status).toBe(200)
    expect(body).toMatchObject({
      query: "MILK",
      limit: 50,
      has_more: false,
      lists_has_more: false,
      things_has_more: false
    })
    expect(body.lists).toMatchObject([{ id: list.id }])
    expect(body.things).toMatchObject([{ id: list.ids[0] }])
    expect(body.results).toStrictEqual([
      { id: list.id, title: "Milk run", url: `${siteUrl}/lists/${list.id}` },
      { id: list.ids[0], title: "Oat milk drink", url: `${siteUrl}/things/${list.ids[0]}` }
    ])
    expect((await client.ask("GET", "/search?q=oat%20milk")).body.things).toHaveLength(1)
    expect((await client.ask("GET", "/search?query=oat&q=bread")).body.query).toBe("oat")
  })

  given("takes wildcards as they are, and shows nobody else's", async (client, server) => {
    await listOf(client, ["100%", "a_b", "100 per cent"])
    const found = async (query: string) =>
      (await client.ask("GET", `/search?query=${encodeURIComponent(query)}`)).body.things.length
    expect([
      await found("100%"),
      await found("%"),
      await found("a_b"),
      await found("_"),
      await found("\\")
    ]).toStrictEqual([1, 1, 1, 1, 0])
    expect((await (await server.client()).ask("GET", "/search?query=100")).body.results).toStrictEqual([])
  })

  given("answers 50 of each at most, and tells that there were more", async (client) => {
    await listOf(
      client,
      Array.from({ length: 51 }, (_, at) => `needle ${at}`)
    )
    const { body } = await client.ask("GET", "/search?query=needle")
    expect([body.things.length, body.things_has_more, body.lists_has_more, body.has_more]).toStrictEqual([
      50,
      true,
      false,
      true
    ])
  })

  given("refuses a missing, blank, repeated or unstorable query", async ({ ask }) => {
    for (const query of ["", "?query=", "?query=%20%20", "?q=", "?query=a&query=b", "?query=%00"]) {
      const answer = await ask("GET", `/search${query}`)
      expect([query, answer.status]).toStrictEqual([query, 400])
      expect(answer.body.error).toMatch(/^(query|q) /)
    }
  })
})

contract("GET /fetch", (given) => {
  given("answers a list or a thing as a document", async (client) => {
    const { id, ids } = await listOf(
      client,
      [
        { text: "Trip", header: true },
        { text: "**Pack**", tabs: 1, tags: ["x"], completed: true }
      ],
      { title: "L" }
    )
    const list = await client.ask("GET", `/fetch?id=${id}`)
    expect(list.body).toMatchObject({
      id,
      title: "L",
      url: `${siteUrl}/lists/${id}`,
      metadata: { kind: "list", list_id: id, type: "list", tags: ["x"] }
    })
    expect(list.body.text).toMatch(/^# Trip\n {2}\[x\] (\*\*)?Pack/)
    const thing = await client.ask("GET", `/fetch?id=${ids[1]}`)
    expect(thing.body).toMatchObject({
      id: ids[1],
      title: "Pack",
      metadata: { kind: "thing", list_id: id, type: "todo", tags: ["x"] }
    })
    for (const [query, status] of [
      ["", 400],
      ["?id=a&id=b", 400],
      ["?id=", 404],
      ["?id=nothing", 404]
    ] as const) {
      expect([query, (await client.ask("GET", `/fetch${query}`)).status]).toStrictEqual([query, status])
    }
  })
})

contract("GET /tags", (given) => {
  given("answers tags by use, in their latest spelling, each with its color", async (client) => {
    await listOf(client, [
      { text: "a", tags: ["Home", "work"] },
      { text: "b", tags: ["home"] }
    ])
    const { body } = await client.ask("GET", "/tags")
    expect(
      body.tags.map(({ count, name }: { count: number; name: string }) => [name.toLowerCase(), count])
    ).toStrictEqual([
      ["home", 2],
      ["work", 1]
    ])
    for (const { color } of body.tags) expect(color).toMatch(/^#[0-9a-f]{6}$/)
  })
})

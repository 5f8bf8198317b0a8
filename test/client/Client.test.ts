import { createClient, type ChangePage, unwrap } from "@lists-and-things/client"
import { expect } from "@effect/vitest"
import { contract, listOf } from "../http/Given.ts"

/** A cursor of the feed whose operation the server does not have. */
const outdated = (cursor: string): string => {
  const parts = JSON.parse(Buffer.from(cursor, "base64url").toString()) as [string, string, number, string, number]
  parts[3] = parts[3].replace(/.{8}$/, "00000000")
  return Buffer.from(JSON.stringify(parts)).toString("base64url")
}

const all = async <A>(pages: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const each of pages) found.push(each)
  return found
}

const textsIn = (pages: ReadonlyArray<ChangePage>) =>
  pages.flatMap(({ changes }) =>
    changes.flatMap((each) => (each.type === "thing" ? [each.data?.text ?? each.change] : []))
  )

contract("the TypeScript client", (given) => {
  given("writes and reads", async ({ token, url }) => {
    const client = createClient({ url, key: token })
    const { list } = await unwrap(client.POST("/lists", { body: { title: "Groceries", things: [{ text: "Bread" }] } }))
    const { thing } = await unwrap(client.POST("/things", { body: { list_id: list.id, text: "Butter" } }))
    await unwrap(client.PATCH("/things/{id}", { params: { path: { id: thing.id } }, body: { completed: true } }))
    const { things } = await unwrap(client.GET("/lists/{id}", { params: { path: { id: list.id } } }))
    expect(things.map(({ completed, text }) => [text, completed])).toStrictEqual([
      ["Bread", false],
      ["Butter", true]
    ])
  })

  given("sends and reads markdown unchanged", async ({ token, url }) => {
    const client = createClient({ url, key: token })
    const document = "# Groceries\n\n- [ ] Bread\n"
    const headers = { "content-type": "text/markdown" }
    const { list } = await unwrap(client.POST("/lists/import", { body: document, headers }))
    expect(list.title).toBe("Groceries")
    const read = { params: { path: { id: list.id } } }
    expect(await unwrap(client.GET("/lists/{id}/markdown", read))).toBe(document)
    expect(await unwrap(client.GET("/lists/{id}/markdown", { ...read, parseAs: "text" }))).toBe(document)
  })

  given("throws errors with the server's message and status", async ({ token, url }) => {
    const client = createClient({ url, key: token })
    const wrong = unwrap(client.GET("/things", { params: { query: { sort: "random" as "updated" } } }))
    await expect(wrong).rejects.toThrow(/^sort must be /)
    await expect(wrong).rejects.toMatchObject({ status: 400 })
    await expect(unwrap(createClient({ url, key: "lat_no" }).GET("/tags"))).rejects.toMatchObject({ status: 401 })
  })

  given(
    "takes the address of the API for that of the site, and refuses one that nothing can be sent to",
    async (of) => {
      for (const url of [of.url, `${of.url}/`, `${of.url}/api/v1`, `${of.url}/api/v1/`])
        expect(await unwrap(createClient({ url, key: of.token }).GET("/tags"))).toStrictEqual({ tags: [] })
      for (const url of ["localhost:3000", "lists.example.com", ""])
        expect(() => createClient({ url, key: of.token })).toThrow(`url must be an http or https URL, not "${url}".`)
    }
  )

  given("reads every page of a query", async (of) => {
    const texts = Array.from({ length: 120 }, (_, at) => `Thing ${at}`)
    const { id } = await listOf(of, texts)
    await listOf(of, ["elsewhere"])
    const client = createClient({ url: of.url, key: of.token })
    const things = await all(client.pages("/things", { list_id: id }))
    expect(things.map(({ text }) => text).sort()).toStrictEqual(texts.sort())
    expect((await all(client.pages("/lists"))).map(({ title }) => title)).toStrictEqual(["A list", "A list"])
    expect((await all(client.pages("/operations"))).length).toBe(2)
  })

  given("follows the feed, beginning with the whole state", async (of) => {
    await listOf(of, ["Bread", "Butter", "Milk"])
    const client = createClient({ url: of.url, key: of.token })
    const state = await all(client.changes({ limit: 2 }))
    expect(state.length).toBeGreaterThan(1)
    expect(state.map(({ isAnew }) => isAnew)).toStrictEqual(state.map((_, at) => at === 0))
    expect(state.map(({ hasMore }) => hasMore)).toStrictEqual(state.map((_, at) => at < state.length - 1))
    expect([...textsIn(state)].sort()).toStrictEqual(["Bread", "Butter", "Milk"])

    const { cursor } = state.at(-1)!
    expect(await all(client.changes({ cursor }))).toStrictEqual([])
    await listOf(of, ["Eggs"])
    const news = await all(client.changes({ cursor }))
    expect(textsIn(news)).toStrictEqual(["Eggs"])
    expect(news[0]!.isAnew).toBe(false)
  })

  given("waits for changes until it is stopped", async (of) => {
    const client = createClient({ url: of.url, key: of.token })
    const stop = new AbortController()
    const feed = client.changes({ cursor: "now", follow: true, signal: stop.signal })
    // Takes the cursor of now, so that nothing after it is missed.
    await feed.next()
    const next = feed.next()
    await listOf(of, ["Bread"])
    expect(textsIn([(await next).value as ChangePage])).toStrictEqual(["Bread"])
    const waiting = expect(feed.next()).rejects.toThrow("enough")
    stop.abort(new Error("enough"))
    await waiting
  })

  given("begins anew if the cursor is outdated", async (of) => {
    await listOf(of, ["Bread"])
    const client = createClient({ url: of.url, key: of.token })
    const { cursor } = (await all(client.changes())).at(-1)!
    const anew = await all(client.changes({ cursor: outdated(cursor) }))
    expect(anew[0]!.isAnew).toBe(true)
    expect(textsIn(anew)).toStrictEqual(["Bread"])
  })
})

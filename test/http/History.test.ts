import { expect, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { ChangeWaiters } from "@lists-and-things/domain/history/ChangeWaiters"
import { fixture } from "./Operations.ts"
import { type Client, serverLayer, type TestServer, testServer } from "./TestServer.ts"

layer(serverLayer, { excludeTestServices: true })("the history", (it) => {
  interface Given {
    readonly server: TestServer
    readonly client: Client
  }
  const given = (name: string, run: (of: Given) => Promise<void>) =>
    it.effect(name, () =>
      Effect.flatMap(testServer, (server) => Effect.promise(async () => run({ server, client: await server.client() })))
    )
  const idOf = (answer: { readonly headers: Headers }) => answer.headers.get("x-operation-id")

  given("lists operations newest first, and finds those of a key, a thing, a list and since a time", async (of) => {
    const { client, server } = of
    const { listId, operationId, thingId } = await fixture(client)
    const other = await server.client({ accountOf: client })
    const renamed = await other.ask("PATCH", `/lists/${listId}`, { title: "Renamed" })
    const ids = async (query: string) => {
      const { body } = await client.ask("GET", `/operations?${query}`)
      expect([body.page, body.page_size, body.has_more]).toStrictEqual([0, 50, false])
      return body.operations.map((each: { readonly id: string }) => each.id)
    }
    const [newest, reminded, made] = await ids("")
    expect([newest, reminded]).toStrictEqual([idOf(renamed), operationId])
    expect(await ids(`by_id=${other.keyId}`)).toStrictEqual([newest])
    expect(await ids(`thing_id=${thingId}`)).toStrictEqual([reminded, made])
    expect(await ids(`list_id=${listId}`)).toStrictEqual([newest, reminded, made])
    expect(await ids("list_id=nobodys")).toStrictEqual([])
    const { body } = await client.ask("GET", `/operations/${reminded}`)
    expect(await ids(`since=${body.operation.at}`)).toStrictEqual([newest])
  })

  given("shows what an operation changed, undoes it and redoes it", async ({ client }) => {
    const { thingId } = await fixture(client)
    const id = idOf(await client.ask("PATCH", `/things/${thingId}`, { text: "Soy milk" }))
    const seen = await client.ask("GET", `/operations/${id}`)
    expect(seen.body).toMatchObject({
      operation: { id, name: "updateThing", surface: "rest", undoes: null, undone_by: null, counts: { things: 1 } },
      entities: [{ type: "thing", id: thingId, change: "updated", after: { text: "Soy milk" } }],
      undo: "possible"
    })
    const undone = await client.ask("POST", `/operations/${id}/undo`)
    expect(undone.body).toMatchObject({
      operation: { id: idOf(undone), name: "undoOperation", undoes: id },
      undone: { id, undone_by: idOf(undone) }
    })
    const text = async () => (await client.ask("GET", `/things/${thingId}`)).body.thing.text
    expect(await text()).toBe("Oat milk")
    const again = await client.ask("POST", `/operations/${id}/undo`)
    expect([again.status, again.body.error]).toStrictEqual([409, expect.stringContaining(idOf(undone)!)])
    expect((await client.ask("POST", `/operations/${idOf(undone)}/undo`)).status).toBe(200)
    expect(await text()).toBe("Soy milk")
  })

  given("sums up what was changed, also when a thing or list is sent back as it was read", async ({ client }) => {
    const { list } = (await client.ask("POST", "/lists", { title: "Trip" })).body
    const { thing } = (await client.ask("POST", "/things", { text: "Tickets", list_id: list.id })).body
    const summaryOf = async (path: string, body: object) => {
      const { headers } = await client.ask("PATCH", path, body)
      const { operation } = (await client.ask("GET", `/operations/${headers.get("x-operation-id")}`)).body
      return operation.summary
    }
    const path = `/things/${thing.id}`
    expect(await summaryOf(path, { ...thing, text: "Train" })).toBe("Changed the text of “Tickets” to “Train”")
    expect(await summaryOf(path, { header: true })).toBe("Changed the header and bold of “Train”")
    expect(await summaryOf(path, { completed: true, list: "2099-01-01", text: "Bus" })).toBe(
      "Completed “Train”, moved it to “2099-01-01” and changed its text to “Bus”"
    )
    expect(await summaryOf(path, { completed: true, tags: ["a"] })).toBe("Changed the tags of “Bus”")
    expect(await summaryOf(path, { tags: ["a"] })).toBe("Changed the tags of “Bus”")
    expect(await summaryOf(`/lists/${list.id}`, { ...list, favorited: true })).toBe("Starred the list “Trip”")

    const { thing: visa } = (await client.ask("POST", "/things", { text: "Visa", list_id: list.id })).body
    const both = (set: object) => summaryOf("/things/bulk", { ids: [thing.id, visa.id], set })
    expect(await both({ list_id: list.id })).toBe("Moved “Bus” to “Trip”")
    expect(await both({ completed: true })).toBe("Completed “Visa”")
    expect(await both({ completed: true })).toBe("Completed 2 things (“Bus” and “Visa”)")
  })

  given("names the day list where that is all that a call made", async ({ client }) => {
    for (const [method, path, body] of [
      ["GET", "/today?date=2099-01-01", undefined],
      ["POST", "/things/bulk", { items: [{ text: " " }], list: "2099-01-02" }],
      ["POST", "/things/markdown", { markdown: "---", list: "2099-01-03" }]
    ] as const) {
      const { headers } = await client.ask(method, path, body)
      const { operation } = (await client.ask("GET", `/operations/${headers.get("x-operation-id")}`)).body
      expect(operation).toMatchObject({
        summary: expect.stringMatching(/^Made the list of 2099-01-0\d$/),
        counts: { lists: 1, things: 0 }
      })
    }
  })

  given(
    "says what a later operation added, changed or deleted, where it stands in the way of an undo",
    async ({ client }) => {
      const made = await client.ask("POST", "/lists", { title: "Trip" })
      const { id } = made.body.list
      const added = await client.ask("POST", "/things", { text: "Tickets", list_id: id })
      const { thing } = added.body
      const undoing = (answer: typeof made) => client.ask("POST", `/operations/${idOf(answer)}/undo`)
      expect((await undoing(made)).body.error).toBe(
        `This cannot be undone: the thing “Tickets” (${thing.id}) was added by the later operation ${idOf(added)}. Undo that first.`
      )
      const changed = await client.ask("PATCH", `/things/${thing.id}`, { text: "Two tickets" })
      expect((await undoing(added)).body.error).toBe(
        `This cannot be undone: the thing “Two tickets” (${thing.id}) was changed by the later operation ${idOf(changed)}. Undo that first.`
      )
      const removed = await client.ask("DELETE", `/things/${thing.id}`)
      const list = await client.ask("DELETE", `/lists/${id}`)
      expect((await undoing(removed)).body.error).toBe(
        `This cannot be undone: the list “Trip” (${id}) was deleted by the later operation ${idOf(list)}. Undo that first.`
      )
    }
  )

  given("begins the feed with the whole state, and follows it", async ({ client }) => {
    const { listId, thingId } = await fixture(client)
    const state = await client.ask("GET", "/changes")
    expect(state.body.changes.map(({ type }: { readonly type: string }) => type)).toStrictEqual([
      "account",
      "list",
      "thing",
      "reminder"
    ])
    const removed = await client.ask("DELETE", `/lists/${listId}`)
    const { body } = await client.ask("GET", `/changes?cursor=${state.body.cursor}&wait=55`)
    expect(body.has_more).toBe(false)
    for (const change of body.changes)
      expect(change).toMatchObject({ change: "delete", data: null, operation_id: idOf(removed) })
    const gone = body.changes.map(({ id }: { readonly id: string }) => id)
    expect(gone).toStrictEqual(expect.arrayContaining([listId, thingId]))
    const stranger = await client.ask("GET", "/changes?cursor=nonsense")
    expect([stranger.status, stranger.body.error]).toStrictEqual([400, expect.stringContaining("cursor")])
    expect(stranger.body.error).toMatch(/, not "nonsense"\. For example cursor=now\.$/)
  })

  given("has 100 changes per page by default", async ({ client }) => {
    const things = Array.from({ length: 100 }, (_, at) => ({ text: `Thing ${at}` }))
    await client.ask("POST", "/lists", { title: "Many", things })
    const first = (await client.ask("GET", "/changes")).body
    const rest = (await client.ask("GET", `/changes?cursor=${first.cursor}`)).body
    const all = (await client.ask("GET", "/changes?limit=500")).body
    expect([first, rest, all].map(({ changes, has_more }) => [changes.length, has_more])).toStrictEqual([
      [100, true],
      [2, false],
      [102, false]
    ])
  })

  given("answers a request that waits when something is written", async ({ client }) => {
    const { cursor } = (await client.ask("GET", "/changes?cursor=now")).body
    const waiting = client.ask("GET", `/changes?cursor=${cursor}&wait=55`)
    const made = await client.ask("POST", "/lists", { title: "New" })
    const { body } = await waiting
    expect(body.changes).toMatchObject([
      { type: "list", change: "put", data: { title: "New" }, operation_id: idOf(made) }
    ])
  })

  given("ends a wait with 401 when its key is revoked", async ({ client, server }) => {
    const { cursor } = (await client.ask("GET", "/changes?cursor=now")).body
    const waiting = client.ask("GET", `/changes?cursor=${cursor}&wait=55`)
    await Effect.runPromise(Context.get(server.context, ApiKeys).revoke(client.keyId))
    const answer = await waiting
    expect([answer.status, answer.headers.get("x-ratelimit-limit")]).toStrictEqual([401, null])
  })

  given("lets 20 requests of a key wait, and another when a client has gone", async ({ client }) => {
    const { cursor } = (await client.ask("GET", "/changes?cursor=now")).body
    const leaving = new AbortController()
    const address = `${client.url}/api/v1/changes?cursor=${cursor}&wait=55`
    const waiting = Array.from({ length: 20 }, () =>
      fetch(address, { headers: { authorization: `Bearer ${client.token}` }, signal: leaving.signal }).catch(() => null)
    )
    const refused = async (): Promise<Headers> => {
      const answer = await client.ask("GET", `/changes?cursor=${cursor}&wait=1`)
      return answer.status === 429 ? answer.headers : refused()
    }
    const headers = await refused()
    expect(headers.get("retry-after")).toBe("1")
    expect(Number(headers.get("x-ratelimit-remaining"))).toBeLessThan(1000)
    leaving.abort()
    expect(await Promise.all(waiting)).toStrictEqual(waiting.map(() => null))
    const admitted = async (): Promise<unknown> => {
      const answer = await client.ask("GET", `/changes?cursor=${cursor}&wait=1`)
      return answer.status === 200 ? answer.body : admitted()
    }
    expect(await admitted()).toStrictEqual({ changes: [], cursor, has_more: false })
  })

  // The last one: nobody waits here any more.
  given("answers waiting requests when the process stops: nothing, and the same cursor", async ({ client, server }) => {
    const { cursor } = (await client.ask("GET", "/changes?cursor=now")).body
    const waiting = client.ask("GET", `/changes?cursor=${cursor}&wait=55`)
    await Effect.runPromise(Context.get(server.context, ChangeWaiters).close)
    expect((await waiting).body).toStrictEqual({ changes: [], cursor, has_more: false })
  })
})

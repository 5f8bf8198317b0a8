import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema
} from "@modelcontextprotocol/sdk/types.js"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { ChangeWaiters } from "@lists-and-things/domain/history/ChangeWaiters"
import { beginResources, followResources } from "@lists-and-things/mcp/ResourceUpdates"
import { until } from "@lists-and-things/testing/Until"
import { type ClientKind, type Connection, type Json, overHttp, overStdio } from "./Clients.ts"
import { inMemory } from "./InMemory.ts"
import { type McpServer, type Person, startServer } from "./McpServer.ts"

/** What a client was notified of, in order. */
const heardBy = ({ client }: Connection, kind: ClientKind): Array<string> => {
  const heard: Array<string> = []
  const [updated, listed] =
    kind === "maintenance SDK"
      ? [ResourceUpdatedNotificationSchema, ResourceListChangedNotificationSchema]
      : ["notifications/resources/updated", "notifications/resources/list_changed"]
  client.setNotificationHandler(updated, ({ params }: Json) => void heard.push(params.uri))
  client.setNotificationHandler(listed, () => void heard.push("list_changed"))
  return heard
}

const hears = (heard: ReadonlyArray<string>, what: string) => until(what, () => heard.includes(what))

const modern = "present SDK, 2026-07-28"

/** A list with one thing, and functions that change them. */
const something = async ({ ok }: Connection) => {
  const { list } = await ok("create_list", { title: "Garden" })
  const add = (text: string) => ok("create_thing", { list_id: list.id, text })
  return { list, uri: `list://${list.id}`, add }
}

describe("over HTTP", () => {
  let server: McpServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  const connect = (person: Person) => overHttp(modern, { url: server.url, token: person.token })
  const keyOf = ({ token }: Person) => token.split("_")[1]!

  it("a client hears of the resources that it listens to, whoever wrote, and of nothing else", async () => {
    const person = await server.person()
    const [listening, writing] = [await connect(person), await connect(person)]
    const [watched, other] = [await something(writing), await something(writing)]
    const heard = heardBy(listening, modern)
    const subscription = await listening.client.listen({ resourceSubscriptions: [watched.uri, "day://today"] })
    expect(subscription.honoredFilter).toStrictEqual({ resourceSubscriptions: [watched.uri, "day://today"] })
    await other.add("Not listened to")
    await watched.add("Rake")
    await hears(heard, watched.uri)
    await writing.ok("get_today")
    await hears(heard, "day://today")
    await writing.ok("delete_list", { list_id: watched.list.id })
    await until("the deletion", () => heard.filter((uri) => uri === watched.uri).length === 2)
    expect(new Set(heard)).toStrictEqual(new Set([watched.uri, "day://today"]))
    await subscription.close()
    await Promise.all([listening.close(), writing.close()])
  })

  it("a client hears when the list of resources changes, and of no thing then", async () => {
    const person = await server.person()
    const [listening, writing] = [await connect(person), await connect(person)]
    const { add, list } = await something(writing)
    const heard = heardBy(listening, modern)
    await listening.client.listen({ resourcesListChanged: true, resourceSubscriptions: [`list://${list.id}`] })
    await add("Rake")
    await hears(heard, `list://${list.id}`)
    expect(heard).not.toContain("list_changed")
    await writing.ok("update_list", { list_id: list.id, title: "Balcony" })
    await hears(heard, "list_changed")
    await Promise.all([listening.close(), writing.close()])
  })

  it("one account's changes are announced to that account alone", async () => {
    const [ann, ben] = [await connect(await server.person()), await connect(await server.person())]
    const [anns, bens] = [await something(ann), await something(ben)]
    const heard = heardBy(ben, modern)
    await ben.client.listen({ resourcesListChanged: true, resourceSubscriptions: [anns.uri, bens.uri] })
    await anns.add("Secret")
    await something(ann)
    await bens.add("Mine")
    await hears(heard, bens.uri)
    expect(heard).toStrictEqual([bens.uri])
    await Promise.all([ann.close(), ben.close()])
  })

  it("the stream ends when its key is revoked, and needs the right to read lists", async () => {
    const person = await server.person()
    const connection = await connect(person)
    const subscription = await connection.client.listen({ resourcesListChanged: true })
    await server.run(Effect.flatMap(ApiKeys, (keys) => keys.revoke(keyOf(person))))
    expect(await subscription.closed).toBe("graceful")
    await connection.close()
    const narrow = await connect(await server.person({ scopes: ["read:things"] }))
    await expect(narrow.client.listen({ resourcesListChanged: true })).rejects.toThrow(/read:lists/)
    await narrow.close()
  })

  it("a client that leaves makes room: more than twenty streams in sequence on one key", async () => {
    const connection = await connect(await server.person())
    const { add, uri } = await something(connection)
    const heard = heardBy(connection, modern)
    for (let n = 0; n < 25; n++) {
      const subscription = await connection.client.listen({ resourceSubscriptions: ["list://none"] })
      await subscription.close()
    }
    const last = await connection.client.listen({ resourceSubscriptions: [uri] })
    await add("Rake")
    await hears(heard, uri)
    await last.close()
    await connection.close()
  })

  it("one stream more than a key may have is refused with the reason", async () => {
    const person = await server.person()
    const connection = await connect(person)
    for (let n = 0; n < 20; n++) await connection.client.listen({ resourcesListChanged: true })
    await server.run(
      Effect.flatMap(ChangeWaiters, ({ count }) => Effect.promise(() => until("twenty", () => count() === 20)))
    )
    await expect(connection.client.listen({ resourcesListChanged: true })).rejects.toThrow(/At most 20 requests/)
    await connection.close()
  })

  it("a server that stops ends every stream", async () => {
    const stopping = await startServer()
    const { token } = await stopping.person()
    const connection = await overHttp(modern, { url: stopping.url, token })
    const subscription = await connection.client.listen({ resourcesListChanged: true })
    await stopping.run(Effect.flatMap(ChangeWaiters, ({ close }) => close))
    expect(await subscription.closed).toBe("graceful")
    await connection.close()
    await stopping.stop()
  })
})

describe("over stdio", () => {
  it("of 2026-07-28 a client listens", async () => {
    const connection = await overStdio(modern)
    const { add, uri } = await something(connection)
    const heard = heardBy(connection, modern)
    const subscription = await connection.client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] })
    await add("Rake")
    await hears(heard, uri)
    expect(heard).toStrictEqual([uri])
    await something(connection)
    await hears(heard, "list_changed")
    await subscription.close()
    await connection.close()
  })

  it.each(["present SDK, older protocol", "maintenance SDK"] as const)("%s: a client subscribes", async (kind) => {
    const connection = await overStdio(kind)
    const { client } = connection
    expect(client.getServerCapabilities().resources).toStrictEqual({ subscribe: true, listChanged: true })
    const [first, second] = [await something(connection), await something(connection)]
    const heard = heardBy(connection, kind)
    await client.subscribeResource({ uri: first.uri })
    await client.subscribeResource({ uri: second.uri })
    await first.add("Rake")
    await hears(heard, first.uri)
    await client.unsubscribeResource({ uri: first.uri })
    await first.add("Spade")
    await second.add("Broom")
    await hears(heard, second.uri)
    expect(heard).toStrictEqual([first.uri, second.uri])
    await something(connection)
    await hears(heard, "list_changed")
    await connection.close()
  })

  it.each([modern, "present SDK, older protocol"] as const)(
    "%s: a URI with a slash at its end is notified of as it was subscribed to",
    async (kind) => {
      const connection = await overStdio(kind)
      const { add, uri } = await something(connection)
      const heard = heardBy(connection, kind)
      const slashed = `${uri}/`
      if (kind === modern) await connection.client.listen({ resourceSubscriptions: [slashed] })
      else await connection.client.subscribeResource({ uri: slashed })
      await add("Rake")
      await hears(heard, slashed)
      expect(heard).toStrictEqual([slashed])
      await connection.close()
    }
  )

  it.each(["present SDK, older protocol", "maintenance SDK"] as const)(
    "%s: a client that subscribes to no resource gets what reading it is answered with",
    async (kind) => {
      const connection = await overStdio(kind)
      const { client, ok } = connection
      const { list } = await ok("create_list", { title: "Gone" })
      await ok("delete_list", { list_id: list.id })
      for (const uri of [`list://${list.id}`, "list://none", "day://someday", "file:///etc/hosts", "anything"]) {
        const refusal = (asked: Promise<unknown>) =>
          asked.then(
            () => "done",
            ({ code, message }) => [code, message]
          )
        const read = await refusal(client.readResource({ uri }))
        expect(read, uri).not.toBe("done")
        expect(await refusal(client.subscribeResource({ uri })), uri).toStrictEqual(read)
      }
      await client.subscribeResource({ uri: "day://2031-05-01" })
      await connection.close()
    }
  )
})

describe("the days that have a word", () => {
  it.effect("are announced when they mean other dates: at midnight of the owner, and in another time zone", () =>
    Effect.gen(function* () {
      const [accounts, keys] = [yield* Accounts, yield* ApiKeys]
      yield* TestClock.setTime(Date.parse("2026-11-21T22:59:00Z"))
      const { id } = yield* accounts.create({ email: "ann@example.com", timezone: "Europe/Vienna" })
      const { token } = yield* keys.create({ account: id })
      const heard: Array<string> = []
      const announced = Effect.sync(() => heard.splice(0))
      const identify = keys.identify(token)
      const following = yield* Effect.forkChild(
        followResources(identify, yield* beginResources(identify), (event) => {
          if (!("uri" in event)) heard.push(event.kind)
          else if (!event.uri.endsWith("/")) heard.push(event.uri)
        })
      )
      const days = ["day://yesterday", "day://today", "day://tomorrow"]
      yield* TestClock.adjust("59 seconds")
      expect(yield* announced).toStrictEqual([])
      yield* TestClock.adjust("31 seconds")
      expect(yield* announced).toStrictEqual(days)
      yield* TestClock.adjust("5 minutes")
      expect(yield* announced).toStrictEqual([])
      yield* accounts.update(id, { timezone: "America/New_York" })
      yield* TestClock.adjust("30 seconds")
      expect(yield* announced).toStrictEqual(days)
      yield* Fiber.interrupt(following)
    }).pipe(Effect.provide(inMemory))
  )
})

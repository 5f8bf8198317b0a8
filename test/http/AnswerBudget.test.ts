import { expect, layer } from "@effect/vitest"
import { MaxAnswerBytes } from "@lists-and-things/domain/size/AnswerBudget"
import { until } from "@lists-and-things/testing/Until"
import { Effect, Layer } from "effect"
import { connect, type Socket } from "node:net"
import { type Client, serverLayer, testServer } from "./TestServer.ts"

/** Room for one of the lists below while it is read, but not beside another that is on its way. */
const limited = serverLayer.pipe(Layer.provide(Layer.succeed(MaxAnswerBytes, 80 * 1024 ** 2)))

/** A list of 14 MiB: more than the buffers of a connection take. */
const largeList = async ({ ask }: Client): Promise<string> => {
  const { body } = await ask("POST", "/lists", { title: "Large" })
  const items = Array.from({ length: 8 }, () => ({ text: "a note", note: "x".repeat(900_000) }))
  for (let n = 0; n < 2; n++) await ask("POST", "/things/bulk", { list_id: body.list.id, items })
  return body.list.id
}

/** Sends a request and reads nothing of its answer. */
const slowReader = ({ token, url }: Client, path: string, body?: object): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    const sent = body === undefined ? "" : JSON.stringify(body)
    socket.write(`${body === undefined ? "GET" : "PATCH"} /api/v1${path} HTTP/1.1\r\nHost: a\r\n`)
    socket.write(`Authorization: Bearer ${token}\r\nContent-Length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`)
    socket.once("readable", () => resolve(socket))
  })

layer(limited, { excludeTestServices: true })("answers under way", (it) => {
  const test = (name: string, run: (client: Client) => Promise<void>) =>
    it.effect(name, () =>
      Effect.flatMap(testServer, (server) => Effect.promise(async () => run(await server.client())))
    )

  test("stay within the memory budget: answers beyond it wait, and get a 503 in the end", async (client) => {
    const id = await largeList(client)
    const { ask } = client
    expect((await ask("GET", `/lists/${id}`)).status).toBe(200)
    const reader = await slowReader(client, `/lists/${id}`)
    for (const path of [`/lists/${id}`, `/lists/${id}/markdown`, `/fetch?id=${id}`]) {
      const answer = await ask("GET", path)
      expect([answer.status, answer.headers.get("retry-after")]).toStrictEqual([503, "1"])
      expect(answer.body.error).toContain("busy with other large answers")
      expect(answer.headers.get("x-ratelimit-limit")).toBe("1000")
    }
    expect((await ask("GET", "//healthz")).status).toBe(200)
    expect((await ask("GET", "//readyz")).status).toBe(200)
    expect((await ask("GET", "/lists")).status).toBe(200)
    reader.destroy()
    // Answers wait for some seconds before they are refused; a slow machine may take longer to free memory.
    await until("answers that waited for room", async () => {
      const another = await slowReader(client, `/lists/${id}`)
      const waiting = [ask("GET", `/lists/${id}`), ask("GET", `/lists/${id}/markdown`)]
      expect((await ask("GET", "/lists")).status).toBe(200)
      another.destroy()
      return (await Promise.all(waiting)).every(({ status }) => status === 200)
    })
  })

  test("stay within it on pages of long things and in searches too", async (client) => {
    const id = await largeList(client)
    const { ask } = client
    const paths = [`/things?list_id=${id}`, "/search?query=note", "/changes"]
    for (const path of paths) expect((await ask("GET", path)).status).toBe(200)
    const reader = await slowReader(client, `/lists/${id}`)
    for (const path of paths) {
      const answer = await ask("GET", path)
      expect([answer.status, answer.headers.get("retry-after")]).toStrictEqual([503, "1"])
    }
    expect((await ask("GET", "/things?completed=true")).status).toBe(200)
    reader.destroy()
    await until("room again", async () => (await ask("GET", paths[0]!)).status === 200)
  })
})

layer(limited, { excludeTestServices: true })("answers of writes that are not read", (it) => {
  it.effect("refuse further writes of this account, and of no other", () =>
    Effect.gen(function* () {
      const { client } = yield* testServer
      yield* Effect.promise(async () => {
        const [one, other] = [await client(), await client()]
        const readers: Array<Socket> = []
        const { body } = await one.ask("POST", "/things", { text: "a note", note: "\u0001".repeat(1_000_000) })
        for (let n = 0; n < 8; n++)
          readers.push(await slowReader(one, `/things/${body.thing.id}`, { favorited: n % 2 === 0 }))
        const refused = await one.ask("POST", "/things", { text: "one more" })
        expect([refused.status, refused.headers.get("retry-after")]).toStrictEqual([503, "1"])
        expect(refused.body.error).toContain("nothing was changed")
        expect((await one.ask("GET", "/lists")).status).toBe(200)
        expect((await other.ask("POST", "/things", { text: "something" })).status).toBe(201)
        for (const reader of readers) reader.destroy()
        await until("room again", async () => (await one.ask("POST", "/things", { text: "again" })).status === 201)
      })
    })
  )
})

layer(serverLayer, { excludeTestServices: true })("answers that are not read", (it) => {
  it.effect("leave room for the large answers of other accounts", () =>
    Effect.gen(function* () {
      const { client } = yield* testServer
      yield* Effect.promise(async () => {
        const [one, other] = [await client(), await client()]
        const [ofOne, ofOther] = [await largeList(one), await largeList(other)]
        const readers: Array<Socket> = []
        const isFull = async () => {
          readers.push(await slowReader(one, `/lists/${ofOne}`))
          return (await one.ask("GET", `/lists/${ofOne}`)).status === 503
        }
        await until("an account that has taken all it may", isFull)
        expect((await other.ask("GET", `/lists/${ofOther}`)).status).toBe(200)
        for (const reader of readers) reader.destroy()
      })
    })
  )
})

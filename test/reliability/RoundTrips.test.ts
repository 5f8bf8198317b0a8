import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { type AddressInfo, connect, createServer } from "node:net"
import { afterAll, expect, it } from "@effect/vitest"
import { type Answer, ask, json } from "./Ask.ts"
import { type Host, launch, listening, openInstallation, socketOf, through } from "./Installation.ts"
import { statements } from "./Statements.ts"

/** Statements that were sent on one connection without waiting for an answer. */
interface Flush {
  readonly connection: number
  readonly statements: ReadonlyArray<string>
}

/** The flushes of all connections, in the order in which they were sent. */
let flushes: Array<Flush> = []
let connections = 0

const installation = await openInstallation(["fsync=off"])

/** The context switches of a process's threads; undefined while one runs or can run. */
const sleepOf = (pid: number | undefined): string | undefined => {
  const tasks = `/proc/${pid}/task`
  const threads = readdirSync(tasks).map((id) => readFileSync(`${tasks}/${id}/status`, "utf8"))
  const asleep = threads.every((status) => /^State:\s+[SIZX]/m.test(status))
  return asleep ? threads.map((status) => status.match(/^(?:Pid|\w+_switches):.*/gm)).join() : undefined
}

/**
 * Whether a process sleeps until it receives something: then it has sent everything that needs no answer.
 * The main thread is not enough, since it also sleeps while others collect garbage for it.
 */
const isWaiting = (pid: number | undefined): boolean => {
  try {
    const sleep = sleepOf(pid)
    return sleep !== undefined && sleep === sleepOf(pid)
  } catch {
    return !existsSync(`/proc/${pid}/task`)
  }
}

/** Forwards what the server under test sends once that waits for the answer, in however many pieces it came. */
const proxy = createServer((client) => {
  const server = connect(socketOf(installation.postgres))
  const connection = connections++
  const seen: Array<string> = []
  const inspect = statements((sql) => {
    seen.push(sql)
    return undefined
  })()
  const held: Array<Buffer> = []
  /** Forwards at the end of a turn, when everything that arrived in it has been read. */
  const passOn = () =>
    setImmediate(() => {
      if (!isWaiting(host.child.pid)) return void passOn()
      setImmediate(() => {
        for (const bytes of held.splice(0)) {
          inspect(bytes)
          server.write(bytes)
        }
        if (seen.length > 0) flushes.push({ connection, statements: seen.splice(0) })
      })
    })
  client.on("data", (bytes: Buffer) => {
    if (held.push(bytes) === 1) passOn()
  })
  server.on("data", (bytes) => client.write(bytes))
  client.on("error", () => undefined).on("close", () => server.destroy())
  server.on("error", () => undefined).on("close", () => client.destroy())
})
await once(proxy.listen(0, "127.0.0.1"), "listening")
const host: Host = launch(through((proxy.address() as AddressInfo).port))
await listening(host)
const person = await installation.person()
const { token } = person
afterAll(async () => {
  host.child.kill("SIGKILL")
  await host.ended
  await installation.close()
  proxy.close()
})

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

const send = async (method: Method, path: string, body?: unknown): Promise<Answer> => {
  const answer = await ask(host.url, method, path, body === undefined ? { token } : { token, body })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer
}

const newList = async (): Promise<string> =>
  json<{ list: { id: string } }>(await send("POST", "/lists", { title: "Chores" })).list.id

const newThing = async (listId: string, reminder?: unknown): Promise<string> => {
  const made = await send("POST", "/things", { text: "Water the plants", list_id: listId })
  const { id } = json<{ thing: { id: string } }>(made).thing
  if (reminder !== undefined) await send("PUT", `/things/${id}/reminder`, reminder)
  return id
}

/** The kinds of statements in each flush of a call. */
const flushesOf = async (call: () => Promise<unknown>): Promise<ReadonlyArray<string>> => {
  flushes = []
  await call()
  return ofCall(flushes).map(({ statements }) => statements.map(nameOf).join(", "))
}

/**
 * Statements of the webhook deliverer (twice a second), the server's sign of life (once a minute), and cleanup, of which a
 * keyed write drops old answers at random, about once per MiB of answers.
 */
const background =
  /webhook|^insert into servers|^with (?:old|sized) as|^delete from oauth_clients|^select (?:distinct r|w)\.owner_id from/

/** The flushes without background work, which sometimes uses transactions. */
const ofCall = (sent: ReadonlyArray<Flush>): ReadonlyArray<Flush> => {
  const isBackground = ({ statements }: Flush) => statements.every((sql) => background.test(sql.trimStart()))
  const connections = new Set(sent.filter(isBackground).map(({ connection }) => connection))
  const isAroundIt = ({ connection, statements }: Flush) =>
    connections.has(connection) && statements.every((sql) => sql === "begin" || sql === "commit")
  return sent.filter((flush) => !isBackground(flush) && !isAroundIt(flush))
}

const nameOf = (sql: string): string => {
  if (/write_things|revise_things/.test(sql)) return "write"
  if (sql.includes("key_counts")) return "admit"
  return sql.startsWith("select") && sql.includes("from json_to_recordset") ? "read" : sql
}

/** The number of statements in each flush of a call's only transaction, including BEGIN and COMMIT. */
const transactionOf = async (call: () => Promise<unknown>): Promise<ReadonlyArray<number>> => {
  flushes = []
  await call()
  const sent = ofCall(flushes)
  const begin = sent.find(({ statements }) => statements.includes("begin"))
  const own = sent.filter(({ connection }) => connection === begin?.connection).map(({ statements }) => statements)
  const from = own.findIndex((sent) => sent.includes("begin"))
  const to = own.findLastIndex((sent) => sent.includes("commit"))
  expect([from, to].every((at) => at >= 0)).toBe(true)
  return own.slice(from, to + 1).map((sent) => sent.length)
}

const complete = (id: string) => send("PATCH", `/things/${id}`, { completed: true })

it("completing a plain thing takes one statement, after a read in the flush that admits the request", async () => {
  const id = await newThing(await newList())
  // Once a request of the key has read something, the next one knows whose key it is.
  await send("GET", `/things/${id}`)
  expect(await flushesOf(() => complete(id))).toStrictEqual(["admit, read", "write"])
})

it("a repeated read needs only the admission until the account changes", async () => {
  const path = `/things/${await newThing(await newList())}`
  const read = () => flushesOf(() => send("GET", path))
  // The answer is cached from the second read on.
  await read()
  expect(await read()).toStrictEqual(["admit, read"])
  expect(await read()).toStrictEqual(["admit"])
  await send("PATCH", path, { text: "Cacti" })
  expect(await read()).toStrictEqual(["admit, read"])
  expect(await read()).toStrictEqual(["admit"])
  const other = await installation.keyOf(person)
  await ask(host.url, "PATCH", path, { token: other.token, body: { text: "Ferns" } })
  expect(await read()).toStrictEqual(["admit", "read"])
})

it("a read of things takes one flush", async () => {
  const path = `/things?list_id=${await newList()}`
  await send("GET", "/things")
  expect(await flushesOf(() => send("GET", path))).toHaveLength(1)
  expect(await flushesOf(() => send("GET", "/things?tag=errands"))).toHaveLength(1)
})

it("a tool call is admitted in the same flush as its read, after its key is looked up", async () => {
  const id = await newThing(await newList())
  const call = async (name: string, args: object) => {
    const answer = await ask(host.url, "POST", "//mcp", {
      token,
      headers: { accept: "application/json, text/event-stream" },
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }
    })
    expect(json<{ result: { isError?: boolean } }>(answer).result.isError, answer.text).not.toBe(true)
    expect(answer.headers["x-ratelimit-limit"]).toBeDefined()
  }
  await call("get_today", {})
  for (const [name, args] of [
    ["get_thing", { thing_id: id }],
    ["list_things", {}],
    ["list_lists", {}],
    ["get_today", {}]
  ] as const) {
    const flushes = await flushesOf(() => call(name, args))
    expect(flushes[2], name).toMatch(/^admit, /)
  }
})

it("adding a thing takes one statement", async () => {
  const list = await newList()
  expect(await flushesOf(() => newThing(list))).toStrictEqual(["admit", "write"])
})

it("completing and adding take no more with a precondition or an idempotency key", async () => {
  const list = await newList()
  const id = await newThing(list)
  const { etag } = (await send("GET", `/things/${id}`)).headers
  const terms = { "if-match": String(etag), "idempotency-key": "complete" }
  const completing = (headers: Readonly<Record<string, string>>) =>
    ask(host.url, "PATCH", `/things/${id}`, { token, body: { completed: true }, headers })
  expect(await flushesOf(() => completing(terms))).toStrictEqual(["admit, read", "write"])
  const { etag: changed } = (await send("GET", `/things/${id}`)).headers
  expect(await flushesOf(() => completing({ "if-match": String(changed) }))).toStrictEqual(["admit, read", "write"])
  const add = () =>
    ask(host.url, "POST", "/things", {
      token,
      body: { text: "Milk", list_id: list },
      headers: { "idempotency-key": "add" }
    })
  expect(await flushesOf(add)).toStrictEqual(["admit", "write"])
})

it("a failing precondition is decided without a write, and a used idempotency key gives the first answer", async () => {
  const list = await newList()
  const id = await newThing(list)
  const ended = (headers: Readonly<Record<string, string>>) =>
    ask(host.url, "PATCH", `/things/${id}`, { token, body: { completed: true }, headers })
  const refused = await flushesOf(async () => expect((await ended({ "if-match": '"other"' })).status).toBe(412))
  expect(refused).toHaveLength(4)
  expect(refused).not.toContain("write")
  const [first, again] = [await ended({ "idempotency-key": "twice" }), await ended({ "idempotency-key": "twice" })]
  expect([again.status, again.text]).toStrictEqual([first.status, first.text])
  expect(again.headers["x-operation-id"]).toBe(first.headers["x-operation-id"])
})

it("completing a thing takes no more with a reminder, repeating or not, or an idempotency key", async () => {
  const list = await newList()
  const weekly = { at: "2099-01-05T09:00:00Z", repeat: "weekly" }
  const completing = (id: string, headers: Readonly<Record<string, string>>) =>
    ask(host.url, "PATCH", `/things/${id}`, { token, body: { completed: true }, headers })
  for (const reminder of [{ at: "2099-01-05T09:00:00Z" }, weekly, weekly]) {
    const id = await newThing(list, reminder)
    const { etag } = (await send("GET", `/things/${id}`)).headers
    const terms = { "if-match": String(etag), "idempotency-key": id }
    expect(await flushesOf(() => completing(id, terms))).toStrictEqual(["admit, read", "write"])
  }
  const id = await newThing(list, weekly)
  expect(await flushesOf(() => complete(id))).toStrictEqual(["admit, read", "write"])
  expect(await flushesOf(() => send("PATCH", `/things/${id}`, { text: "Cacti" }))).toStrictEqual([
    "admit, read",
    "write"
  ])
})

it("completing a repeating thing in a transaction takes four flushes of 3, 1, 3 and 6 statements", async () => {
  const [list, other] = [await newList(), await newList()]
  const weekly = { at: "2099-01-05T09:00:00Z", repeat: "weekly" }
  // The first completion makes the list of that day.
  await complete(await newThing(list, weekly))
  const id = await newThing(list, weekly)
  await send("POST", "/things", { clone_of: id, list_id: other })
  const patch = { completed: true }
  expect(await transactionOf(() => send("PATCH", `/things/${id}`, patch))).toStrictEqual([3, 1, 3, 6])
})

it("adding many takes two flushes: begin, lock, list, end and size; add, touch, record and commit", async () => {
  const items = (count: number) => Array.from({ length: count }, (_, n) => ({ text: `Pot ${n}` }))
  const list = await newList()
  const add = (count: number) => send("POST", "/things/bulk", { list_id: list, items: items(count) })
  expect(await transactionOf(() => add(20))).toStrictEqual([5, 4])
  // Of 500, the first hundred are added by a separate statement. Once the process has added more than one statement
  // takes, the connection plans anew.
  expect(await transactionOf(() => add(500))).toStrictEqual([5, 6])
  expect(await transactionOf(() => add(500))).toStrictEqual([5, 5])
})

it("setting and removing a reminder, and removing a thing, take one statement", async () => {
  const id = await newThing(await newList())
  // Once a request of the key has read something, the next one knows whose key it is.
  await send("GET", `/things/${id}`)
  const keyed = (method: Method, path: string, body?: unknown) =>
    ask(host.url, method, path, {
      token,
      headers: { "idempotency-key": `${method}-${id}` },
      ...(body === undefined ? {} : { body })
    })
  const calls = [
    () => send("PUT", `/things/${id}/reminder`, { at: "2099-01-05T09:00:00Z" }),
    () => keyed("PUT", `/things/${id}/reminder`, { at: "2099-01-06T09:00:00Z" }),
    () => send("DELETE", `/things/${id}/reminder`),
    () => send("PUT", `/things/${id}/reminder`, { at: "2099-01-05T09:00:00Z" }),
    () => keyed("DELETE", `/things/${id}`)
  ]
  for (const call of calls) expect(await flushesOf(call)).toStrictEqual(["admit, read", "write"])
})

it("moving a thing takes one more flush, for the name of the list", async () => {
  const [from, to] = [await newList(), await newList()]
  const id = await newThing(from)
  await send("GET", `/things/${id}`)
  const [admitted, list, written, ...more] = await flushesOf(() => send("PATCH", `/things/${id}`, { list_id: to }))
  expect([admitted, written, more]).toStrictEqual(["admit, read", "write", []])
  expect(list).toMatch(/^select .* from lists l where l.owner_id = \$1 and l.id = \$2$/)
})

it("moving a thing to a day without a list takes five flushes", async () => {
  const id = await newThing(await newList())
  expect(await transactionOf(() => send("PATCH", `/things/${id}`, { list: "2026-12-24" }))).toStrictEqual([
    3, 1, 1, 2, 4
  ])
})

it("removing many takes two flushes: begin, lock and read; remove, touch, record and commit", async () => {
  const list = await newList()
  const ids = [await newThing(list), await newThing(list)]
  expect(await transactionOf(() => send("DELETE", "/things/bulk", { ids }))).toStrictEqual([3, 4])
})

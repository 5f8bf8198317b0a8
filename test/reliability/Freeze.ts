import assert from "node:assert/strict"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { NodeCrypto } from "@effect/platform-node"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { Effect, Layer, Redacted } from "effect"
import * as NodePasswordHasher from "@lists-and-things/platform-node/NodePasswordHasher"
import { Browser } from "../signin/Browser.ts"
import { ask } from "./Ask.ts"
import { calls, counted, type Largest, makeLargest, markup, misordered } from "./FreezeData.ts"
import { type Host, openInstallation, type Installation } from "./Installation.ts"

/** The effect of one request on others. Times are in milliseconds. */
export interface Freeze {
  readonly operation: string
  /** The largest request, in words. */
  readonly request: string
  readonly status: number
  readonly took: number
  /** Processor time of the longest turn of the event loop: the least time that other requests wait. */
  readonly turn: number
  /** The largest delay of a timer and the longest time of `/healthz`, on this machine. */
  readonly delay: number
  readonly health: number
}

interface Case {
  readonly operation: string
  readonly request: string
  readonly run: () => Promise<{ readonly status: number }>
}

const password = "correct horse battery staple"

const makeOwner = (installation: Installation) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { email, id } = yield* accounts.create({ email: "freeze@example.com" })
      yield* accounts.setPassword(id, Redacted.make(password))
      const { token } = yield* (yield* ApiKeys).create({ account: id, rateLimit: 1_000_000_000 })
      return { email, token, feed: yield* accounts.feedToken(id) }
    }).pipe(
      Effect.provide(
        useCases.pipe(
          Layer.provideMerge(PgStorage.layer({ url: installation.postgres.url(), maxConnections: 2 })),
          Layer.provideMerge(NodePasswordHasher.layer),
          Layer.provideMerge(NodeCrypto.layer)
        )
      )
    )
  )

interface Owner {
  readonly email: string
  readonly token: string
  readonly feed: string
}

const ten = 10 * 1024 * 1024
const listOfHeadings = (count: number, line: string) => `# Imported\n\n${line.repeat(count)}`
const upTo = (length: number, line: string) => line.repeat(Math.floor(length / line.length))

const reading = (url: string, { token, feed }: Owner, data: Largest, browser: Browser): ReadonlyArray<Case> => {
  const get = (path: string) => () => ask(url, "GET", path, { token })
  const tool = (name: string, args: object) => () => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }
    return ask(url, "POST", "//mcp", { token, body, headers: { accept: "application/json, text/event-stream" } })
  }
  return [
    { operation: "GET /lists/{id}", request: "20,000 things, 12 MB", run: get(`/lists/${data.many}`) },
    { operation: "GET /lists/{id}", request: "2,000 dense texts, 15 MB", run: get(`/lists/${data.dense}`) },
    { operation: "GET /lists/{id}", request: "5,000 reminders", run: get(`/lists/${data.reminding}`) },
    {
      operation: "GET /lists/{id}",
      request: "max_text=100 of the dense",
      run: get(`/lists/${data.dense}?max_text=100`)
    },
    { operation: "GET /lists/{id}/markdown", request: "20,000 things", run: get(`/lists/${data.many}/markdown`) },
    { operation: "GET /lists/{id}/markdown", request: "2,000 dense texts", run: get(`/lists/${data.dense}/markdown`) },
    { operation: "GET /lists/{id}/markdown", request: "nested 1,000 deep", run: get(`/lists/${data.nested}/markdown`) },
    { operation: "GET /fetch", request: "20,000 things", run: get(`/fetch?id=${data.many}`) },
    { operation: "GET /fetch", request: "2,000 dense texts", run: get(`/fetch?id=${data.dense}`) },
    { operation: "GET /fetch", request: "30 texts of 9,000 spaces", run: get(`/fetch?id=${data.blank}`) },
    { operation: "GET /search", request: "a rare character", run: get(`/search?query=${encodeURIComponent("¬")}`) },
    { operation: "GET /search", request: "a word in 20,000 things", run: get("/search?query=nothing") },
    {
      operation: "GET /search",
      request: "a query of 1,500 marks",
      run: get(`/search?query=${encodeURIComponent(misordered(1_500))}`)
    },
    { operation: "GET /tags", request: "100,000 different tags", run: get("/tags") },
    { operation: "GET /things", request: "a page of dense texts", run: get(`/things?list_id=${data.dense}`) },
    { operation: "GET /reminders", request: "of 5,000", run: get("/reminders") },
    {
      operation: "GET /reminders.ics",
      request: "5,000 reminders",
      run: () => ask(url, "GET", `//reminders.ics?token=${feed}`)
    },
    { operation: "GET /lists/{id} (page)", request: "20,000 things", run: () => browser.get(`/lists/${data.many}`) },
    {
      operation: "GET /lists/{id} (page)",
      request: "2,000 dense texts",
      run: () => browser.get(`/lists/${data.dense}`)
    },
    {
      operation: "GET /lists/{id} (page)",
      request: "nested 1,000 deep",
      run: () => browser.get(`/lists/${data.nested}`)
    },
    { operation: "get_list (tool)", request: "20,000 things", run: tool("get_list", { list_id: data.many }) },
    { operation: "fetch (tool)", request: "2,000 dense texts", run: tool("fetch", { id: data.dense }) },
    { operation: "list_tags (tool)", request: "100,000 tags", run: tool("list_tags", {}) },
    {
      operation: "import_markdown (tool)",
      request: "1,000,000 characters of markup",
      run: tool("import_markdown", { markdown: `# M\n\n${upTo(990_000, `- [ ] ${markup}\n`)}` })
    }
  ]
}

const writing = (url: string, { email, token }: Owner, data: Largest): ReadonlyArray<Case> => {
  const send = (method: string, path: string, body: unknown) => () => ask(url, method, path, { token, body })
  const items = (make: (at: number) => object) => counted(500, make)
  const into = data.blank
  const bulk = (request: string, make: (at: number) => object): Case => ({
    operation: "POST /things/bulk",
    request,
    run: send("POST", "/things/bulk", { list_id: into, items: items(make) })
  })
  const newest = async (): Promise<string> =>
    JSON.parse((await ask(url, "GET", "/operations", { token })).text).operations[0].id
  const imported = (request: string, markdown: string): Case => ({
    operation: "POST /lists/import",
    request,
    run: send("POST", "/lists/import", { markdown })
  })
  const stranger = (path: string, body: string, type: string, bearer?: string) => async () => {
    const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      body,
      redirect: "manual",
      headers: { "content-type": type, accept: "application/json, text/event-stream", origin: url, ...authorization }
    })
    await answer.arrayBuffer()
    return { status: answer.status }
  }
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
  const formType = "application/x-www-form-urlencoded"
  const values = JSON.stringify({ items: counted(4_999, () => [..."123456789012345678"]) })
  return [
    bulk("500 texts of 10,000 characters", () => ({ text: "x".repeat(10_000) })),
    bulk("500 dense texts of 10,000 characters", () => ({ text: markup.repeat(100).slice(0, 10_000) })),
    bulk("500 texts of 10,000 marks to sort", () => ({ text: misordered(10_000) })),
    bulk("500 urls of 8,180 dots", () => ({ text: "x", url: `${"a.".repeat(2_045)}${".".repeat(4_090)}:x` })),
    bulk("500 with 50 tags and 10 photos", (at) => ({
      text: "x",
      tags: counted(50, (tag) => `t${at} ${tag}`),
      photos: counted(10, (photo) => `https://example.com/${at}/${photo}`)
    })),
    {
      operation: "POST /things/bulk",
      request: "500 unknown names of lists",
      run: send("POST", "/things/bulk", { items: items((at) => ({ text: "x", list: `unknown ${at}` })) })
    },
    {
      operation: "POST /things/bulk",
      request: "skip_duplicates in 5,000 things",
      run: send("POST", "/things/bulk", {
        list_id: data.reminding,
        skip_duplicates: true,
        items: items((at) => ({ text: `${at}` }))
      })
    },
    {
      operation: "POST /lists",
      request: "500 dense things",
      run: send("POST", "/lists", {
        title: "new",
        things: items(() => ({ text: markup.repeat(100).slice(0, 10_000) }))
      })
    },
    imported("5,000 lines of `- ` × 200", listOfHeadings(2_450, `${"- ".repeat(200)}\n`)),
    imported("20,000 things", listOfHeadings(20_000, "- [ ] a thing\n")),
    imported("1,000,000 characters of markup", upTo(1_000_000, `- [ ] ${markup}\n`)),
    imported("1,000,000 characters of marks to sort", `- ${misordered(9_000)}\n`.repeat(110)),
    imported(
      "links to one long definition",
      `[a]: https://e.org/${"x".repeat(8_000)}\n\n${"- [a] [a] [a] [a]\n".repeat(19_000)}`
    ),
    {
      operation: "POST /things/markdown",
      request: "5,000 things, skip_duplicates, into 20,000",
      run: send("POST", "/things/markdown", {
        list_id: data.nested,
        skip_duplicates: true,
        markdown: "- level 7\n".repeat(5_000)
      })
    },
    {
      operation: "POST /things",
      request: "a note of 1,000,000 characters",
      run: send("POST", "/things", { list_id: into, text: "x", note: markup.repeat(9_000) })
    },
    {
      operation: "PATCH /things/{id}",
      request: "a note for 5,000 linked copies, refused",
      run: send("PATCH", `/things/${data.original}`, { note: markup.repeat(9_000) })
    },
    {
      operation: "PATCH /things/bulk",
      request: "500 of 5,000 linked copies",
      run: send("PATCH", "/things/bulk", { ids: data.copyIds.slice(0, 500), set: { completed: true } })
    },
    {
      operation: "PATCH /things/bulk",
      request: "500 copies get 50 tags",
      run: send("PATCH", "/things/bulk", {
        ids: data.copyIds.slice(500, 1_000),
        set: { tags: counted(50, (tag) => `c${tag}`) }
      })
    },
    {
      operation: "DELETE /things/bulk",
      request: "500 of 5,000 linked copies",
      run: send("DELETE", "/things/bulk", { ids: data.copyIds.slice(0, 500) })
    },
    {
      operation: "any with a body",
      request: "10 MiB of nested values",
      run: send("POST", "/things/bulk", JSON.parse(values))
    },
    {
      operation: "any with a body",
      request: "10 MiB in one text",
      run: send("POST", "/lists", { title: "x".repeat(ten - 100) })
    },
    {
      operation: "POST /mcp, bad token",
      request: "10 MiB",
      run: stranger("/mcp", values.repeat(20).slice(0, ten), "application/json", "lat_no_no")
    },
    {
      operation: "POST /oauth/register",
      request: "10 MiB",
      run: stranger("/oauth/register", values.repeat(20).slice(0, ten), "application/json")
    },
    {
      operation: "POST /oauth/register",
      request: "64 KB",
      run: stranger(
        "/oauth/register",
        JSON.stringify({
          client_name: misordered(10_000),
          redirect_uris: counted(1_200, (at) => `https://example.com/${at}`)
        }),
        "application/json"
      )
    },
    {
      operation: "POST /sign-in",
      request: "email of 32,000 marks to sort",
      run: stranger("/sign-in", form({ email: misordered(32_000), password: "x" }), formType)
    },
    {
      operation: "POST /sign-in",
      request: "password of 32,000 marks to sort",
      run: stranger("/sign-in", form({ email, password: misordered(32_000) }), formType)
    },
    {
      operation: "DELETE /lists/{id}",
      request: "20,000 things",
      run: () => ask(url, "DELETE", `/lists/${data.nested}`, { token })
    },
    {
      operation: "GET /operations/{id}",
      request: "20,000 things, deleted",
      run: async () => ask(url, "GET", `/operations/${await newest()}`, { token })
    },
    {
      operation: "POST /operations/{id}/undo",
      request: "20,000 things, deleted",
      run: async () => ask(url, "POST", `/operations/${await newest()}/undo`, { token })
    },
    {
      operation: "POST /operations/{id}/undo",
      request: "the undo of that",
      run: async () => ask(url, "POST", `/operations/${await newest()}/undo`, { token })
    }
  ]
}

/** Reads the line of the preloaded `LoopDelay.ts` about the server's event loop since the last call. */
const loopOf = async (host: Host): Promise<{ readonly delay: number; readonly work: number }> => {
  const before = host.err().length
  process.kill(host.child.pid!, "SIGUSR2")
  for (;;) {
    const said = /event loop (\{.*\})\n/.exec(host.err().slice(before))?.[1]
    if (said !== undefined) return JSON.parse(said) as { delay: number; work: number }
    if (host.child.exitCode !== null) throw new Error(`It ended: ${host.err()}`)
    await once(host.child.stderr!, "data")
  }
}

const measure = async (host: Host, { operation, request, run }: Case): Promise<Freeze> => {
  await sleep(300)
  await loopOf(host)
  const under = { way: true }
  const probe = (async () => {
    let slowest = 0
    while (under.way) {
      const from = performance.now()
      await ask(host.url, "GET", "//healthz")
      slowest = Math.max(slowest, performance.now() - from)
      await sleep(1)
    }
    return slowest
  })()
  const from = performance.now()
  const { status } = await run()
  const took = performance.now() - from
  under.way = false
  const health = await probe
  const { delay, work } = await loopOf(host)
  const rounded = Object.fromEntries(
    Object.entries({ took, turn: work, delay, health }).map(([name, ms]) => [name, Math.round(ms)])
  )
  return { operation, request, status, ...rounded } as unknown as Freeze
}

/** Sends the largest valid request of each operation, and those of strangers; measures how long others wait. */
export const freezes = async (only: RegExp): Promise<ReadonlyArray<Freeze>> => {
  const installation = await openInstallation(["fsync=off"])
  try {
    const owner = await makeOwner(installation)
    const preload = join(import.meta.dirname, "LoopDelay.ts")
    const host = await installation.serve({ env: { NODE_OPTIONS: `--import ${preload}` } })
    const data = await makeLargest(host.url, owner.token)
    const browser = new Browser(host.url)
    assert.equal((await browser.signIn(owner.email, password)).status, 303)
    await calls(host.url, owner.token)("GET", "/today")

    const found: Array<Freeze> = []
    for (const each of [...reading(host.url, owner, data, browser), ...writing(host.url, owner, data)]) {
      if (!only.test(`${each.operation} ${each.request}`)) continue
      const freeze = await measure(host, each)
      console.info(JSON.stringify(freeze))
      found.push(freeze)
    }
    return found
  } finally {
    await installation.close()
  }
}

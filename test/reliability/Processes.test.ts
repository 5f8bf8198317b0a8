import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { until } from "@lists-and-things/testing/Until"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { openApiDocument } from "@lists-and-things/http/docs/OpenApiDocument"
import { operations } from "../http/Operations.ts"
import { type Answer, ask, json } from "./Ask.ts"
import { call, prepare } from "./EveryStatement.ts"
import { rowsOf } from "./OwnerState.ts"
import { openInstallation, through } from "./Installation.ts"
import { startFaultProxy } from "./FaultProxy.ts"

const installation = await openInstallation()
const hosts = await Promise.all(Array.from({ length: 4 }, () => installation.serve({ env: { LAT_LOG: "trace" } })))
const [one, two] = [hosts[0]!, hosts[1]!]
afterAll(() => installation.close())

describe("a write under an Idempotency-Key", () => {
  it("has one effect and one answer for 20 concurrent requests over two processes and 5 later ones", async () => {
    for (const id of ["createList", "createThing", "createThings", "appendMarkdown", "importMarkdown", "updateThing"]) {
      const of = operations[id]!
      const prepared = await prepare(installation, one.url)
      const owner = prepared.person.accountId
      const before = (await rowsOf(installation.postgres, owner)).length
      const headers = { "idempotency-key": "the-key" }
      const parallel = Array.from({ length: 20 }, (_, n) => call((n % 2 === 0 ? one : two).url, of, prepared, headers))
      const answers = await Promise.all(parallel)
      const rows = await rowsOf(installation.postgres, owner)
      for (let n = 0; n < 5; n++) answers.push(await call(hosts[n % 4]!.url, of, prepared, headers))
      for (const answer of answers) expect([answer.status, answer.text]).toStrictEqual([of.success, answers[0]!.text])
      expect(await rowsOf(installation.postgres, owner)).toStrictEqual(rows)
      const single = await prepare(installation, one.url)
      await call(one.url, of, single)
      expect(rows.length - before).toBe((await rowsOf(installation.postgres, single.person.accountId)).length - before)
      const other = await ask(two.url, of.method, of.good.path(prepared.on), {
        token: prepared.person.token,
        headers,
        body: { text: "other", title: "other", markdown: "- other", items: [{ text: "other" }] }
      })
      // A body that is invalid for the operation is refused before the key is looked up.
      expect([400, 422]).toContain(other.status)
    }
  })

  it("is refused with another body", async () => {
    const { token } = await installation.person()
    const headers = { "idempotency-key": "k" }
    const create = (title: string) => ask(one.url, "POST", "/lists", { token, headers, body: { title } })
    expect((await create("a")).status).toBe(201)
    expect((await create("b")).status).toBe(422)
    expect((await create("a")).status).toBe(201)
  })
})

describe("a revoked key", () => {
  it("is accepted by no process once the revocation has returned, even under load", async () => {
    for (let round = 0; round < 3; round++) {
      const { keyId, token } = await installation.person()
      const state = { isRevoked: false, late: 0, accepted: 0, refused: 0, isOver: false }
      const worker = async (url: string) => {
        while (!state.isOver) {
          const sentAfter = state.isRevoked
          const { status } = await ask(url, "GET", "/tags", { token })
          if (status === 200) state.accepted++
          if (status === 200 && sentAfter) state.late++
          if (status !== 200) {
            expect(status).toBe(401)
            state.refused++
          }
        }
      }
      const load = Promise.all(hosts.flatMap(({ url }) => Array.from({ length: 4 }, () => worker(url))))
      await until("load", () => state.accepted >= 50)
      await installation.revoke(keyId)
      state.isRevoked = true
      await until("a hundred that come after it", () => state.refused + state.late >= 100)
      state.isOver = true
      await load
      expect(state.late).toBe(0)
    }
  })
})

describe("the rate limit of a key", () => {
  it("admits exactly 1,000 of 1,200 concurrent requests over four processes", async () => {
    const { token } = await installation.person({ rateLimit: 1_000 })
    const sent = Array.from({ length: 1_200 }, (_, n) => ask(hosts[n % 4]!.url, "GET", "/tags", { token }))
    const answers = await Promise.all(sent)
    for (const { status } of answers) expect([200, 429, 503]).toContain(status)
    // On a slow machine, a request may find the pool exhausted before or after its admission.
    const admitted = answers.filter(({ headers, status }) => status !== 429 && "x-ratelimit-remaining" in headers)
    const unknown = answers.filter(({ headers, status }) => status === 503 && !("x-ratelimit-remaining" in headers))
    const remaining = new Set(admitted.map(({ headers }) => Number(headers["x-ratelimit-remaining"])))
    expect(remaining.size).toBe(admitted.length)
    for (const left of remaining) expect([left >= 0, left < 1_000]).toStrictEqual([true, true])
    expect(admitted.length + unknown.length).toBeGreaterThanOrEqual(1_000)
  })
})

/** Everything that a client sees, without headers of the single request and with the sent ids replaced. */
const seen = ({ headers, status, text }: Answer, sent: ReadonlyArray<string>) => {
  const { date, "x-request-id": id, "x-ratelimit-remaining": left, "x-ratelimit-reset": reset, ...rest } = headers
  expect([date, id, left, reset].every((value) => typeof value === "string")).toBe(true)
  return sent.reduce((words, id) => words.replaceAll(id, "the id"), JSON.stringify([status, rest, text]))
}

describe("owners", () => {
  it("are isolated: operations answer foreign ids like unknown ids, byte for byte, and change nothing", async () => {
    const ann = await prepare(installation, one.url)
    const bob = await prepare(installation, one.url)
    const before = await rowsOf(installation.postgres, ann.person.accountId)
    const nobody = {
      listId: "0199f0c2-7a51-7c3e-9d1b-000000000000",
      thingId: "0199f0c2-7a51-7c3e-9d1b-000000000001",
      operationId: "0199f0c2-7a51-7c3e-9d1b-000000000002",
      webhookId: "0199f0c2-7a51-7c3e-9d1b-000000000003",
      deliveryId: "0199f0c2-7a51-7c3e-9d1b-000000000004"
    }
    const theirIds = Object.values({ ...ann.on }).filter((each) => each !== "")
    const sent = [...theirIds, ...Object.values(nobody)]
    let compared = 0
    for (const [id, of] of Object.entries(operations)) {
      const uses = [of.good.path(ann.on), JSON.stringify(of.good.body?.(ann.on) ?? {})].join(" ")
      if (!theirIds.some((each) => uses.includes(each))) continue
      const foreign = await call(one.url, of, { person: bob.person, on: ann.on })
      const unknown = await call(one.url, of, { person: bob.person, on: nobody })
      expect([id, seen(foreign, sent)]).toStrictEqual([id, seen(unknown, sent)])
      compared++
    }
    expect(compared).toBeGreaterThanOrEqual(15)
    const borrowed = [
      ["PATCH", `/things/${bob.on.thingId}`, { list_id: ann.on.listId }, { list_id: nobody.listId }],
      ["PATCH", `/things/${bob.on.thingId}`, { list_ref: ann.on.listId }, { list_ref: nobody.listId }],
      ["POST", "/things", { text: "a", list_ref: ann.on.listId }, { text: "a", list_ref: nobody.listId }],
      ["POST", "/things", { text: "a", clone_of: ann.on.thingId }, { text: "a", clone_of: nobody.thingId }]
    ] as const
    for (const [method, path, theirs, none] of borrowed) {
      const answers = [theirs, none].map((body) => ask(one.url, method, path, { token: bob.person.token, body }))
      const [foreign, unknown] = await Promise.all(answers)
      expect(foreign!.status).toBe(unknown!.status)
      if (foreign!.status >= 400) expect(seen(foreign!, sent)).toBe(seen(unknown!, sent))
    }
    expect(await rowsOf(installation.postgres, ann.person.accountId)).toStrictEqual(before)
  })
})

describe("secrets", () => {
  it("are in no log, error, command line, table or interface description", async () => {
    const { person } = await prepare(installation, one.url)
    const { token } = person
    const errors = [
      await ask(one.url, "GET", `/lists/${token}`, { token }),
      await ask(one.url, "GET", `/things?tag=${token}&page=x`, { token }),
      await ask(one.url, "GET", "/tags", { token: `${token}x` }),
      await ask(one.url, "POST", "/lists", { token, body: { [token]: 1 } }),
      await ask(one.url, "GET", `//nowhere/${token}`)
    ]
    for (const { status } of errors) expect(status).toBeGreaterThanOrEqual(400)
    const unlucky = await startFaultProxy({ path: `${installation.postgres.folder}/.s.PGSQL.5432` })
    const third = await installation.serve({ database: through(unlucky.port), env: { LAT_LOG: "trace" } })
    unlucky.set({ kind: "reset" })
    errors.push(await ask(third.url, "GET", "/tags", { token }))
    expect(errors.at(-1)!.status).toBe(503)
    const secret = token.slice(-20)
    for (const { text } of [errors[0]!, errors[2]!, errors.at(-1)!]) expect(text).not.toContain(secret)
    for (const host of [...hosts, third]) {
      const told = host.err() + readFileSync(`/proc/${host.child.pid}/cmdline`, "utf8")
      expect(told).not.toContain(secret)
      expect(told).not.toContain("not-checked-here")
    }
    const tables = await installation.postgres.sql(
      "select table_name as name from information_schema.tables where table_schema = 'public'"
    )
    expect(tables.length).toBeGreaterThan(8)
    for (const { name } of tables) {
      const found = await installation.postgres.sql(
        `select 1 from "${String(name)}" t where to_jsonb(t)::text like '%${secret}%'`
      )
      expect([name, found.length]).toStrictEqual([name, 0])
    }
    const described = (await ask(one.url, "GET", "//openapi.json")).text + JSON.stringify(openApiDocument(one.url))
    for (const known of [secret, person.keyId, "not-checked-here"]) expect(described).not.toContain(known)
    third.child.kill("SIGKILL")
    await third.ended
    await unlucky.close()
  })
})

const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'"
const letGo = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'"
const sleeping = "select 1 from pg_stat_activity where wait_event = 'PgSleep'"

describe("a server that gets SIGTERM under load", () => {
  /** Ends a server while eight requests wait in its database; returns how many of them it carried out. */
  const endedUnderLoad = async (): Promise<number> => {
    const host = await installation.serve()
    const { accountId, token } = await installation.person()
    const stuck = connect(host.port, "127.0.0.1")
    stuck.on("error", () => undefined)
    stuck.write(
      `POST /api/v1/lists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{`
    )
    const hold = `do $$ begin perform 1 from write_clocks where owner_id = '${accountId}' for update; perform pg_sleep(90); end $$`
    const held = installation.postgres.sql(hold).catch(() => undefined)
    await until("the account is locked", async () => (await installation.postgres.sql(sleeping)).length > 0)
    const items = Array.from({ length: 300 }, (_, n) => ({ text: `item ${n}` }))
    const flying = Array.from({ length: 8 }, (_, n) =>
      ask(host.url, "POST", "/things/bulk", {
        token,
        body: { list: "2026-12-24", items: items.map((item) => ({ text: `${item.text} ${n}` })) }
      })
    )
    let answered = 0
    for (const each of flying) void each.then(() => answered++)
    // All of them wait in the database for the account's lock, or have given up.
    await until("eight that wait", async () => (await installation.postgres.sql(waiting)).length + answered >= 8)
    host.child.kill("SIGTERM")
    await installation.postgres.sql(letGo)
    const answers = await Promise.all(flying)
    await held
    for (const { status } of answers) expect([201, 503]).toContain(status)
    const made = answers.filter(({ status }) => status === 201)
    if (made.length > 0) expect(made.at(-1)!.headers["connection"]).toBe("close")
    await expect(ask(host.url, "GET", "//healthz")).rejects.toThrow()
    expect(await host.ended).toBe(0)
    const day = await ask(one.url, "GET", "/today?date=2026-12-24", { token })
    expect(json<{ things: ReadonlyArray<unknown> }>(day).things.length).toBe(300 * made.length)
    stuck.destroy()
    return made.length
  }

  it("answers every request in flight, accepts no new one, and exits with 0 despite a stuck client", async () => {
    // If the machine stalls for two seconds, all of them have given up.
    await until("requests in flight that are carried out", async () => (await endedUnderLoad()) > 0)
  })

  it("exits with 0 after clients left in the middle of large answers", async () => {
    const host = await installation.serve()
    const { token } = await installation.person()
    // More than the system buffers for a client that does not read, in writes far below the statement timeout.
    const items = Array.from({ length: 50 }, (_, n) => ({ text: `${n} ${"a long line ".repeat(800)}` }))
    for (let n = 0; n < 30; n++) {
      const made = await ask(host.url, "POST", "/things/bulk", { token, body: { list: "2026-12-24", items } })
      expect(made.status).toBe(201)
    }
    const path = "/today?date=2026-12-24"
    const whole = await ask(host.url, "GET", path, { token })
    expect(whole.text.length).toBeGreaterThan(13_000_000)
    expect(whole.headers["content-length"]).toBe(String(Buffer.byteLength(whole.text)))
    for (let n = 0; n < 3; n++) {
      const client = connect(host.port, "127.0.0.1")
      client.write(`GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      await new Promise((resolve) => client.once("data", resolve))
      client.pause()
      // When the server answers another request, it has written as much as it can.
      expect((await ask(host.url, "GET", "/lists", { token })).status).toBe(200)
      client.destroy()
    }
    expect((await ask(host.url, "GET", "/lists", { token })).status).toBe(200)
    host.child.kill("SIGTERM")
    expect(await host.ended).toBe(0)
  })
})

import assert from "node:assert/strict"
import { until } from "@lists-and-things/testing/Until"
import { type Fixture, type OperationCase, operations, deadUrl } from "../http/Operations.ts"
import { type Answer, ask, json } from "./Ask.ts"
import { startFaultProxy } from "./FaultProxy.ts"
import { shapeOf } from "./OwnerState.ts"
import { type Host, openInstallation, type Person, socketOf, type Installation, through } from "./Installation.ts"
import { type Fault, statements } from "./Statements.ts"

/** The ways in which a statement fails: the connection is lost before or after it, or the server refuses it. */
export const faults: ReadonlyArray<Fault> = [
  "cut-before",
  "cut-after",
  ...["08006", "57P01", "53300", "53100", "40001", "40P01", "57014"].map((state) => ({ state }))
]

interface Prepared {
  readonly person: Person
  readonly on: Fixture
}

/** Creates a webhook with a delivery. */
const hook = async (url: string, token: string) => {
  const webhook = await ask(url, "POST", "/webhooks", { token, body: { url: deadUrl, events: ["operation"] } })
  const webhookId = json<{ webhook: { id: string } }>(webhook).webhook.id
  const pinged = await ask(url, "POST", `/webhooks/${webhookId}/test`, { token })
  return { webhookId, deliveryId: json<{ delivery: { id: string } }>(pinged).delivery.id }
}

/** Creates a person with a list, a thing and a reminder, in the same way each time. */
export const prepare = async (installation: Installation, url: string, hasWebhook = false): Promise<Prepared> => {
  const person = await installation.person()
  const { token } = person
  const body = { title: "List", things: [{ text: "Oat milk" }] }
  const made = await ask(url, "POST", "/lists", { token, body })
  assert.equal(made.status, 201, made.text)
  const listId = json<{ list: { id: string } }>(made).list.id
  const viewed = await ask(url, "GET", `/lists/${listId}`, { token })
  assert.equal(viewed.status, 200, viewed.text)
  const view = json<{ things: ReadonlyArray<{ id: string }> }>(viewed)
  const thingId = view.things[0]!.id
  const reminder = { at: "2099-01-05T09:00:00Z", repeat: "weekly" }
  const set = await ask(url, "PUT", `/things/${thingId}/reminder`, { token, body: reminder })
  assert.equal(set.status, 200)
  const hooked = hasWebhook ? await hook(url, token) : { webhookId: "", deliveryId: "" }
  const operationId = String(set.headers["x-operation-id"])
  return { person, on: { listId, thingId, operationId, ...hooked } }
}

export const call = (
  url: string,
  of: OperationCase,
  { on, person }: Prepared,
  headers: Readonly<Record<string, string>> = {}
): Promise<Answer> =>
  ask(url, of.method, of.good.path(on), {
    token: person.token,
    headers,
    ...(of.good.body === undefined ? {} : { body: of.good.body(on) })
  })

interface Bench {
  readonly installation: Installation
  readonly host: Host
  /** Counts statements from now on; fails that with this number (from 1), or the COMMIT of an operation. */
  readonly failing: (which: number | "commit", fault: Fault) => void
  readonly count: () => number
  readonly sql: () => ReadonlyArray<string>
}

const onBench = async <A>(use: (bench: Bench) => Promise<A>): Promise<A> => {
  const installation = await openInstallation(["fsync=off"])
  let [seen, which, fault]: [Array<string>, number | "commit", Fault] = [[], 0, "cut-before"]
  const inspect = statements((sql) => {
    // After an outage, the server checks whether the database answers again; that is not part of a request.
    if (sql === "select 1") return undefined
    seen.push(sql)
    const isMeant = which === "commit" ? isCommit(seen) : seen.length === which
    return isMeant ? fault : undefined
  })
  const proxy = await startFaultProxy(socketOf(installation.postgres), inspect)
  try {
    const host = await installation.serve({ database: through(proxy.port), env: { LAT_WEBHOOK_DELIVERY: "off" } })
    const failing = (wanted: number | "commit", how: Fault) => {
      seen = []
      which = wanted
      fault = how
    }
    return await use({ installation, host, failing, count: () => seen.length, sql: () => seen })
  } finally {
    await installation.close()
    await proxy.close()
  }
}

/** Whether the last statement commits an operation, not background work of a server. */
const isCommit = (seen: ReadonlyArray<string>): boolean =>
  seen.at(-1) === "commit" && seen.some((sql) => /\boperations\b/.test(sql))

/**
 * Fails every statement of every operation in the ways that `choose` names for it. Returns the number of each outcome;
 * throws on a partial effect or an unexpected answer.
 */
export const failEveryStatement = (choose: (at: number) => ReadonlyArray<Fault>): Promise<Record<string, number>> =>
  onBench(async ({ count, failing, host, sql, installation }) => {
    const ended: Record<string, number> = {}
    let at = 0
    for (const [id, of] of Object.entries(operations)) {
      const hasWebhook = /webhook|deliver/i.test(id)
      const model = await prepare(installation, host.url, hasWebhook)
      const before = await shapeOf(installation.postgres, model.person.accountId)
      // This call also prepares what is prepared once for each connection.
      failing(0, "cut-before")
      assert.equal((await call(host.url, of, model)).status, of.success)
      const total = count()
      const texts = sql()
      const after = await shapeOf(installation.postgres, model.person.accountId)
      for (let nth = 1; nth <= total; nth++) {
        for (const fault of choose(at++)) {
          const what = `${id}, statement ${nth} of ${total} (${texts[nth - 1]?.slice(0, 60)}), ${JSON.stringify(fault)}`
          const prepared = await prepare(installation, host.url, hasWebhook)
          failing(nth, fault)
          const answer = await call(host.url, of, prepared)
          failing(0, fault)
          const state = await shapeOf(installation.postgres, prepared.person.accountId)
          const isAfter = same(state, after)
          assert.ok(isAfter || same(state, before), `neither before nor after: ${what}`)
          assert.ok(
            answer.status === of.success || answer.status === (isFull(fault) ? 507 : 503),
            `${answer.status}: ${what}\n${host.err().slice(-3_000)}`
          )
          if (answer.status === of.success) assert.ok(isAfter, `acknowledged and not there: ${what}`)
          else if (answer.status === 503) assert.equal(answer.headers["retry-after"], "1", what)
          const kind = `${answer.status} ${isAfter && !same(before, after) ? "after" : "before"}`
          ended[kind] = (ended[kind] ?? 0) + 1
        }
      }
    }
    await assertNoLeak(installation, host)
    return ended
  })

const isFull = (fault: Fault): boolean => typeof fault === "object" && fault.state === "53100"

const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => a.join("\n") === b.join("\n")

/** Asserts that every connection can be used again, concurrently. */
const assertNoLeak = async (installation: Installation, host: Host): Promise<void> => {
  const { token } = await installation.person()
  // A request that waits a second for a connection is refused, as on a slow machine; with a leak, all repetitions fail.
  await until("forty writes at once", async () => {
    const writes = Array.from({ length: 40 }, (_, n) =>
      ask(host.url, "POST", "/lists", { token, body: { title: `after ${n}` } })
    )
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    for (const status of statuses) assert.ok(status === 201 || status === 503)
    return !statuses.includes(503)
  })
  const open = await installation.postgres.sql("select 1 from pg_stat_activity where state like 'idle in transaction%'")
  assert.equal(open.length, 0)
}

/** Cuts the connection around COMMIT: expects 503, and one effect and answer of repetitions with the key. */
export const cutAroundCommit = (rounds: number): Promise<Record<string, number>> =>
  onBench(async ({ failing, host, installation }) => {
    const seen: Record<string, number> = {}
    for (let round = 0; round < rounds; round++) {
      for (const fault of ["cut-before", "cut-after"] as const) {
        const of = operations["createThings"]!
        const model = await prepare(installation, host.url)
        failing(0, fault)
        assert.equal((await call(host.url, of, model, { "idempotency-key": "first" })).status, 201)
        const after = await shapeOf(installation.postgres, model.person.accountId)

        const prepared = await prepare(installation, host.url)
        const before = await shapeOf(installation.postgres, prepared.person.accountId)
        failing("commit", fault)
        const lost = await call(host.url, of, prepared, { "idempotency-key": "k" })
        failing(0, fault)
        assert.equal(lost.status, 503)
        assert.match(lost.text, /may or may not have been made/)
        const state = await shapeOf(installation.postgres, prepared.person.accountId)
        assert.deepEqual(state, fault === "cut-before" ? before : after)
        const again = await call(host.url, of, prepared, { "idempotency-key": "k" })
        const third = await call(host.url, of, prepared, { "idempotency-key": "k" })
        assert.deepEqual([again.status, third.status], [201, 201])
        assert.equal(third.text, again.text)
        assert.deepEqual(await shapeOf(installation.postgres, prepared.person.accountId), after)
        seen[fault] = (seen[fault] ?? 0) + 1
      }
    }
    await assertNoLeak(installation, host)
    return seen
  })

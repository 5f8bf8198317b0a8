import { afterAll, describe, expect, it } from "@effect/vitest"
import { until } from "@lists-and-things/testing/Until"
import { ask, json } from "../reliability/Ask.ts"
import { startFaultProxy } from "../reliability/FaultProxy.ts"
import { type Host, launch, openInstallation, socketOf, through } from "../reliability/Installation.ts"
import { type Fault, statements } from "../reliability/Statements.ts"
import { type Receiver, receivers } from "./Receivers.ts"
import { nothingWaits, remindSoon, shareOverTwo } from "./Sharing.ts"

const installation = await openInstallation(["fsync=off"])
const quiet = await installation.serve({ env: { LAT_WEBHOOK_DELIVERY: "off" } })
afterAll(() => installation.close())
const starting = receivers()

/** Statements of a delivering server, in the order in which an event passes through them. */
const steps: Readonly<Record<string, RegExp>> = {
  "computing a moment": /insert into reminder_moments as m/,
  "announcing an operation": /update webhook_accounts f set stamp/,
  "announcing a reminder": /update reminder_moments m set due_at/,
  claiming: /update webhook_deliveries d set lease_until = clock\.now/,
  "recording the answer": /update webhook_deliveries d set attempts = d\.attempts \+ 1/
}

/**
 * Creates an account with a webhook, an operation, and a reminder that is due soon; returns the ids of all its events.
 */
const withEvents = async (url: string): Promise<ReadonlyArray<string>> => {
  const { accountId, token } = await installation.person()
  const body = { url, events: ["operation", "reminder.due"] }
  expect((await ask(quiet.url, "POST", "/webhooks", { token, body })).status).toBe(201)
  const made = await ask(quiet.url, "POST", "/lists", { token, body: { title: "A list", things: [{ text: "Thing" }] } })
  const { list } = json<{ readonly list: { readonly id: string } }>(made)
  const view = await ask(quiet.url, "GET", `/lists/${list.id}`, { token })
  const [thing] = json<{ readonly things: ReadonlyArray<{ readonly id: string }> }>(view).things
  const { at, id } = await remindSoon(quiet.url, token, thing!.id, 1_000)
  const operations = await installation.postgres.sql(`select id from operations where owner_id = '${accountId}'`)
  return [...operations.map(({ id }) => `operation_${String(id)}`), `reminder_${id}_${at.getTime()}_due`]
}

/**
 * Starts a server that is killed at a statement, before the database gets it or after it has run it; waits for its end.
 */
const killedAt = async (statement: RegExp, when: Fault): Promise<void> => {
  const held: { victim?: Host; isDone: boolean } = { isDone: false }
  const judge = (sql: string) => {
    if (held.isDone || !statement.test(sql)) return undefined
    held.isDone = true
    return when
  }
  const kill = () => void held.victim?.child.kill("SIGKILL")
  const proxy = await startFaultProxy(socketOf(installation.postgres), statements(judge), kill)
  try {
    // Set before the server starts, since it may reach the statement before it listens.
    held.victim = launch(through(proxy.port))
    await held.victim.ended
    expect(held.victim.child.signalCode).toBe("SIGKILL")
  } finally {
    kill()
    await proxy.close()
  }
}

const countsOf = ({ received }: Receiver) => {
  const bodies = Map.groupBy(received, ({ headers }) => headers["webhook-id"]!)
  for (const [id, same] of bodies) expect([id, new Set(same.map(({ body }) => body)).size]).toStrictEqual([id, 1])
  return new Map([...bodies].map(([id, same]) => [id, same.length]))
}

describe("servers that are killed while they deliver", () => {
  it("lose nothing: every event arrives, and repeated ones have the same id", { timeout: 900_000 }, async () => {
    const endpoint = await starting("answers")
    const slow = await starting("slow", "12000")
    const expected: Array<string> = []
    for (const statement of Object.values(steps))
      for (const when of ["cut-before", "cut-after"] as const) {
        expected.push(...(await withEvents(endpoint.url)))
        await killedAt(statement, when)
      }
    const heard = await withEvents(slow.url)
    const sending = await installation.serve()
    await until("a request that is under way", () => slow.received.length > 0)
    sending.child.kill("SIGKILL")
    await sending.ended

    const survivor = await installation.serve()
    await until("every event", () => {
      const ids = new Set([...endpoint.received, ...slow.received].map(({ headers }) => headers["webhook-id"]))
      return [...expected, ...heard].every((id) => ids.has(id))
    })
    await nothingWaits(installation)
    survivor.child.kill("SIGTERM")
    expect(await survivor.ended).toBe(0)
    expect(new Set(countsOf(endpoint).keys())).toStrictEqual(new Set(expected))
    const again = countsOf(slow)
    expect(new Set(again.keys())).toStrictEqual(new Set(heard))
    expect(Math.max(...again.values())).toBe(2)
    const unanswered = "select 1 from webhook_deliveries where status is distinct from 200"
    expect(await installation.postgres.sql(unanswered)).toStrictEqual([])
  })
})

describe("a server that gets SIGTERM", () => {
  it("releases a delivery that takes too long, and the next server delivers it", async () => {
    const endpoint = await starting("slow", "12000")
    const ids = await withEvents(endpoint.url)
    const first = await installation.serve()
    await until("requests that are under way", () => endpoint.received.length >= 2)
    first.child.kill("SIGTERM")
    expect(await first.ended).toBe(0)
    const leased = "select 1 from webhook_deliveries where lease_until is not null"
    expect(await installation.postgres.sql(leased)).toStrictEqual([])
    const next = await installation.serve()
    await nothingWaits(installation)
    next.child.kill("SIGTERM")
    await next.ended
    expect(new Set(countsOf(endpoint).keys())).toStrictEqual(new Set(ids))
  })
})

describe("two servers on one database", () => {
  it("share 2,000 reminders that are due at once: all arrive, none twice", { timeout: 900_000 }, async () => {
    const many = 2_000
    const { made, operations, reminders } = await shareOverTwo(installation, await starting("answers"), many)
    expect([reminders.length, new Set(reminders).size]).toStrictEqual([many, many])
    expect(operations).toStrictEqual(made)
  })
})

import { until } from "@lists-and-things/testing/Until"
import { ask, json } from "../reliability/Ask.ts"
import type { Installation } from "../reliability/Installation.ts"
import type { Receiver } from "./Receivers.ts"

/** The number of operations that are announced in addition to the reminders. */
const renames = 20

/** The `webhook-id`s of the deliveries of an event, in order. */
const arrived = ({ received }: Receiver, event: string): ReadonlyArray<string> =>
  received.filter(({ body }) => body.startsWith(`{"type":"${event}"`)).map(({ headers }) => headers["webhook-id"]!)

/**
 * Sets a reminder that is due after `millis`, while no server delivers; returns its time. Repeats with a longer delay
 * if it may have been due when it was set, since such a reminder is not announced.
 */
export const remindSoon = async (
  url: string,
  token: string,
  thing: string,
  millis: number
): Promise<{ readonly at: Date; readonly id: string }> => {
  const at = new Date(Date.now() + millis)
  const set = await ask(url, "PUT", `/things/${thing}/reminder`, { token, body: { at: at.toISOString() } })
  if (set.status !== 200) throw new Error(`${set.status}: ${set.text}`)
  if (Date.now() >= at.getTime()) return remindSoon(url, token, thing, 2 * millis)
  return { at, id: json<{ readonly reminder: { readonly id: string } }>(set).reminder.id }
}

/** Creates a list with `many` things; returns their ids. */
const makeThings = async (url: string, token: string, many: number) => {
  const ids: Array<string> = []
  for (let from = 0; from < many; from += 500) {
    const things = Array.from({ length: Math.min(500, many - from) }, (_, at) => ({ text: `Thing ${from + at}` }))
    const made = await ask(url, "POST", "/lists", { token, body: { title: `Many ${from}`, things } })
    const { list } = json<{ readonly list: { readonly id: string } }>(made)
    const view = json<{ readonly things: ReadonlyArray<{ readonly id: string }> }>(
      await ask(url, "GET", `/lists/${list.id}`, { token })
    )
    ids.push(...view.things.map(({ id }) => id))
  }
  return ids
}

/**
 * Lets reminders become due while no server delivers, then starts two. Returns what arrived, and the operations in
 * order.
 */
export const shareOverTwo = async (installation: Installation, endpoint: Receiver, many: number) => {
  const { accountId, token } = await installation.person()
  const { url } = await installation.serve({ env: { LAT_WEBHOOK_DELIVERY: "off" } })
  const hook = (event: string) => ask(url, "POST", "/webhooks", { token, body: { url: endpoint.url, events: [event] } })
  const things = await makeThings(url, token, many)
  await hook("reminder.due")
  for (let from = 0; from < many; from += 20)
    await Promise.all(things.slice(from, from + 20).map((id) => remindSoon(url, token, id, 5_000)))
  await hook("operation")
  for (let at = 0; at < renames; at++) await ask(url, "POST", "/lists", { token, body: { title: `List ${at}` } })
  const operations = (
    await installation.postgres.sql(
      `select id from operations where owner_id = '${accountId}' order by stamp desc limit ${renames}`
    )
  ).map(({ id }) => `operation_${String(id)}`)
  const servers = await Promise.all([installation.serve(), installation.serve()])
  await until(
    "every reminder and operation",
    () => arrived(endpoint, "reminder.due").length >= many && arrived(endpoint, "operation").length >= renames
  )
  await nothingWaits(installation)
  for (const { child } of servers) child.kill("SIGTERM")
  await Promise.all(servers.map(({ ended }) => ended))
  return {
    reminders: arrived(endpoint, "reminder.due"),
    operations: arrived(endpoint, "operation"),
    made: operations.toReversed()
  }
}

/** Waits until no delivery is waiting. */
export const nothingWaits = (installation: Installation): Promise<void> =>
  until("a log in which nothing waits", async () => {
    const sql = "select count(*)::int4 as waiting from webhook_deliveries where next_attempt is not null"
    return (await installation.postgres.sql(sql))[0]?.["waiting"] === 0
  })

import { afterAll, describe, expect, it } from "@effect/vitest"
import { until } from "@lists-and-things/testing/Until"
import { ask, json } from "../reliability/Ask.ts"
import { openStand } from "../reliability/Stand.ts"
import { receiver } from "./Receivers.ts"

const stand = await openStand(["fsync=off"])
const hosts = await Promise.all([stand.serve(), stand.serve()])
const endpoint = await receiver("answers")
afterAll(async () => {
  await endpoint.stop()
  await stand.close()
})

const many = 300
const things = Array.from({ length: many }, (_, at) => ({ text: `Thing ${at}` }))

describe("two servers on one database", () => {
  it("share what is due at once: everything arrives, and nothing twice", async () => {
    const { token } = await stand.person()
    const [{ url }, other] = hosts as [(typeof hosts)[0], (typeof hosts)[0]]
    const hook = { url: endpoint.url, events: ["reminder.due", "operation"] }
    expect((await ask(url, "POST", "/webhooks", { token, body: hook })).status).toBe(201)
    const made = await ask(url, "POST", "/lists", { token, body: { title: "Many", things } })
    const list = json<{ list: { id: string } }>(made).list.id
    const view = json<{ things: ReadonlyArray<{ id: string }> }>(await ask(url, "GET", `/lists/${list}`, { token }))
    const at = new Date(Date.now() + 40_000).toISOString()
    for (let from = 0; from < many; from += 20)
      await Promise.all(
        view.things
          .slice(from, from + 20)
          .map(({ id }, each) =>
            ask(each % 2 === 0 ? url : other.url, "PUT", `/things/${id}/reminder`, { token, body: { at } })
          )
      )
    const received = (event: string) =>
      endpoint.received
        .filter(({ body }) => body.startsWith(`{"type":"${event}"`))
        .map(({ headers }) => headers["webhook-id"]!)
    await until(
      "every reminder and operation",
      () => received("reminder.due").length + received("operation").length >= 2 * many + 1
    )
    await until("a log in which nothing waits", async () => {
      const sql = "select count(*)::int4 as waiting from webhook_deliveries where next_attempt is not null"
      return (await stand.postgres.sql(sql))[0]?.["waiting"] === 0
    })
    for (const event of ["reminder.due", "operation"]) {
      const ids = received(event)
      expect(new Set(ids).size).toBe(ids.length)
    }
    expect([received("reminder.due").length, received("operation").length]).toStrictEqual([many, many + 1])
  })
})

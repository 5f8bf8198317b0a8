import { afterAll, describe, expect, it } from "@effect/vitest"
import { until } from "@lists-and-things/testing/Until"
import { ask, json } from "../reliability/Ask.ts"
import { openInstallation } from "../reliability/Installation.ts"
import { receivers } from "./Receivers.ts"
import { shareOverTwo } from "./Sharing.ts"

const installation = await openInstallation(["fsync=off"])
afterAll(() => installation.close())
const starting = receivers()

interface Logged {
  readonly attempts: number
  readonly status: number | null
  readonly next_attempt: string | null
}

describe("two servers on one database", () => {
  it("share events that are due at once: all arrive, operations in order, and none twice", async () => {
    const many = 300
    const { made, operations, reminders } = await shareOverTwo(installation, await starting("answers"), many)
    expect([reminders.length, new Set(reminders).size]).toStrictEqual([many, many])
    expect(operations).toStrictEqual(made)
  })
})

describe("a server that gets SIGTERM", () => {
  it("finishes the delivery in progress, and stores its outcome", async () => {
    const endpoint = await starting("slow", "1500")
    const { token } = await installation.person()
    const host = await installation.serve()
    const hook = { url: endpoint.url, events: ["operation"] }
    const made = await ask(host.url, "POST", "/webhooks", { token, body: hook })
    const { id } = json<{ readonly webhook: { readonly id: string } }>(made).webhook
    await ask(host.url, "POST", "/lists", { token, body: { title: "A list" } })
    await until("the request", () => endpoint.received.length > 0)
    host.child.kill("SIGTERM")
    expect(await host.ended).toBe(0)
    const other = await installation.serve({ env: { LAT_WEBHOOK_DELIVERY: "off" } })
    const log = await ask(other.url, "GET", `/webhooks/${id}/deliveries`, { token })
    expect(json<{ readonly deliveries: ReadonlyArray<Logged> }>(log).deliveries).toMatchObject([
      { attempts: 1, status: 200, next_attempt: null }
    ])
    expect(endpoint.received).toHaveLength(1)
  })
})

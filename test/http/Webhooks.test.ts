import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect } from "@effect/vitest"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { scopes } from "@lists-and-things/domain/model/Scope"
import { Context, Effect } from "effect"
import { contract } from "./Given.ts"

/** A receiver on the loopback, where the servers of these tests let webhooks go. */
const receiving = async <A>(use: (url: string, bodies: ReadonlyArray<string>) => Promise<A>): Promise<A> => {
  const bodies: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      bodies.push(body)
      response.end("thanks")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const url = "https://hooks.example.com/lists"

contract("webhooks", (given) => {
  given("show their secret when they are made and when it is rotated, and never else", async ({ ask }) => {
    const made = await ask("POST", "/webhooks", { url, events: ["operation"], description: "mirror" })
    expect(made.status).toBe(201)
    expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
    expect(made.body.webhook).toMatchObject({
      url,
      events: ["operation"],
      format: "standard",
      description: "mirror",
      enabled: true,
      disabled_reason: null,
      last_success: null,
      last_failure: null
    })
    const { id } = made.body.webhook
    expect((await ask("GET", `/webhooks/${id}`)).body).toStrictEqual({ webhook: made.body.webhook })
    expect((await ask("GET", "/webhooks")).body).toStrictEqual({ webhooks: [made.body.webhook] })
    const rotated = await ask("POST", `/webhooks/${id}/rotate`)
    expect(rotated.status).toBe(200)
    expect(rotated.body.secret).toMatch(/^whsec_/)
    expect(rotated.body.secret).not.toBe(made.body.secret)
  })

  given("are changed and deleted; deleting an unknown one succeeds as well", async ({ ask }) => {
    const { id } = (await ask("POST", "/webhooks", { url, events: ["operation"] })).body.webhook
    const changed = await ask("PATCH", `/webhooks/${id}`, { enabled: false, events: ["reminder.due"], format: "ntfy" })
    expect(changed.body.webhook).toMatchObject({ enabled: false, events: ["reminder.due"], format: "ntfy" })
    expect((await ask("DELETE", `/webhooks/${id}`)).status).toBe(200)
    expect((await ask("GET", `/webhooks/${id}`)).status).toBe(404)
    expect((await ask("DELETE", `/webhooks/${id}`)).status).toBe(200)
  })

  given("are twenty at most", async ({ ask }) => {
    for (let made = 0; made < 20; made++)
      expect((await ask("POST", "/webhooks", { url, events: ["operation"] })).status).toBe(201)
    const refused = await ask("POST", "/webhooks", { url, events: ["operation"] })
    expect(refused.status).toBe(400)
    expect(refused.body.error).toMatch(/20/)
  })

  given("go to no private address, and the refusal names the variable that opens one", async ({ ask }) => {
    for (const host of [
      "10.0.0.1",
      "192.168.1.5",
      "169.254.169.254",
      "127.0.0.2",
      "0x7f.0.0.2",
      "2130706434",
      "[::1]",
      "[::ffff:10.0.0.1]",
      "[64:ff9b::a00:1]",
      "100.64.0.1",
      "0.0.0.0",
      "255.255.255.255"
    ]) {
      const refused = await ask("POST", "/webhooks", { url: `https://${host}/`, events: ["operation"] })
      expect([host, refused.status]).toStrictEqual([host, 400])
      expect(refused.body.error).toContain("LAT_WEBHOOK_ALLOW")
    }
    const plain = await ask("POST", "/webhooks", { url: "http://93.184.216.34/", events: ["operation"] })
    expect(plain.status).toBe(400)
    expect(plain.body.error).toMatch(/https.*LAT_WEBHOOK_ALLOW|LAT_WEBHOOK_ALLOW.*https/)
    expect((await ask("GET", "/webhooks")).body.webhooks).toStrictEqual([])
  })

  given("are refused with what is wrong", async ({ ask }) => {
    for (const [body, field] of [
      [{ events: ["operation"] }, "url"],
      [{ url, events: [] }, "events"],
      [{ url, events: ["thing.created"] }, "events"],
      [{ url, events: ["operation"], format: "xml" }, "format"],
      [{ url: "ftp://example.com", events: ["operation"] }, "url"],
      [{ url: "https:///example.com", events: ["operation"] }, "url"]
    ] as const) {
      const refused = await ask("POST", "/webhooks", body)
      expect(refused.status).toBe(400)
      expect(refused.body.error).toContain(field)
    }
  })

  given("are for keys with all five scopes", async (client, server) => {
    for (const missing of scopes) {
      const allowed = scopes.filter((scope) => scope !== missing)
      const other = await server.client({ accountOf: client, scopes: allowed })
      expect((await other.ask("GET", "/webhooks")).status).toBe(403)
      expect((await other.ask("POST", "/webhooks", { url, events: ["operation"] })).status).toBe(403)
    }
  })

  given("send a ping at once, answer with its outcome, and log it", async ({ ask }) => {
    await receiving(async (own, bodies) => {
      const { id } = (await ask("POST", "/webhooks", { url: own, events: ["reminder.due"] })).body.webhook
      const pinged = await ask("POST", `/webhooks/${id}/test`)
      expect(pinged.status).toBe(200)
      expect(bodies.map((body) => (JSON.parse(body) as { readonly type: string }).type)).toStrictEqual(["ping"])
      const log = (await ask("GET", `/webhooks/${id}/deliveries`)).body
      expect(log).toMatchObject({ page: 0, page_size: 50, has_more: false })
      expect(log.deliveries).toHaveLength(1)
      expect(log.deliveries[0]).toMatchObject({
        event: "ping",
        attempts: 1,
        status: 200,
        answer: "thanks",
        next_attempt: null
      })
      const replayed = await ask("POST", `/webhooks/${id}/deliveries/${log.deliveries[0].id}/replay`)
      expect(replayed.status).toBe(200)
    })
  })

  given("ping once under an Idempotency-Key, however often it is sent", async ({ ask }) => {
    await receiving(async (own, bodies) => {
      const { id } = (await ask("POST", "/webhooks", { url: own, events: ["operation"] })).body.webhook
      const ping = () => ask("POST", `/webhooks/${id}/test`, undefined, { headers: { "idempotency-key": "ping-1" } })
      const answers = [...(await Promise.all([ping(), ping(), ping()])), await ping()]
      for (const { body, status } of answers) expect([status, body]).toStrictEqual([200, answers[0]!.body])
      expect(bodies).toHaveLength(1)
      const other = await ask(
        "POST",
        "/webhooks",
        { url: own, events: ["operation"] },
        { headers: { "idempotency-key": "ping-1" } }
      )
      expect(other.status).toBe(422)
      expect((await ask("GET", `/webhooks/${id}/deliveries`)).body.deliveries).toHaveLength(1)
    })
  })

  given("are unknown to other accounts", async (client, server) => {
    const { id } = (await client.ask("POST", "/webhooks", { url, events: ["operation"] })).body.webhook
    const other = await server.client()
    expect((await other.ask("GET", `/webhooks/${id}`)).status).toBe(404)
    expect((await other.ask("PATCH", `/webhooks/${id}`, { enabled: false })).status).toBe(404)
    expect((await other.ask("DELETE", `/webhooks/${id}`)).status).toBe(200)
    expect((await client.ask("GET", `/webhooks/${id}`)).status).toBe(200)
  })

  given("of a key that is revoked are switched off, and say why", async (client, server) => {
    const maker = await server.client({ accountOf: client })
    const { id } = (await maker.ask("POST", "/webhooks", { url, events: ["operation"] })).body.webhook
    await Effect.runPromise(Context.get(server.context, ApiKeys).revoke(maker.keyId))
    const { webhook } = (await client.ask("GET", `/webhooks/${id}`)).body
    expect(webhook.enabled).toBe(false)
    expect(webhook.disabled_reason).toMatch(/key/)
  })
})

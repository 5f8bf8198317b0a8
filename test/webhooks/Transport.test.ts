import { afterAll, describe, expect, it } from "@effect/vitest"
import { WebhookTransport } from "@lists-and-things/domain/ports/WebhookTransport"
import * as NodeWebhookTransport from "@lists-and-things/platform-node/NodeWebhookTransport"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { type Receiver, receiver } from "./Receivers.ts"

/** One attempt at receivers that are processes. */

const started: Array<Receiver> = []
afterAll(() => Promise.all(started.map(({ stop }) => stop())))

const starting = async (behaviour: string, argument?: string) => {
  const one = await receiver(behaviour, argument)
  started.push(one)
  return one
}

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

const sendTo = (url: string, { allow = ["127.0.0.1"], secrets = [secret], body = '{"type":"ping"}' } = {}) => {
  const timestamp = Math.floor(Date.now() / 1000)
  return Effect.runPromise(
    Effect.flatMap(WebhookTransport, ({ send }) =>
      send({
        url,
        body,
        headers: { "webhook-id": "msg_1", "webhook-timestamp": String(timestamp) },
        signed: { text: `msg_1.${timestamp}.${body}`, secrets }
      })
    ).pipe(Effect.provide(NodeWebhookTransport.layer(allow)))
  )
}

describe("an attempt", () => {
  it("is a POST whose signature another library verifies, with each secret", async () => {
    const { received, url } = await starting("answers")
    const former = `whsec_${Buffer.alloc(32, 9).toString("base64")}`
    const body = '{"type":"ping","text":"ü 🦊"}'
    expect(await sendTo(url, { secrets: [secret, former], body })).toMatchObject({ status: 200, text: "ok" })
    const [request] = received
    expect(request?.request).toBe("POST /hook HTTP/1.1")
    for (const each of [secret, former])
      expect(new Webhook(each).verify(request!.body, request!.headers)).toStrictEqual(JSON.parse(body))
    const other = new Webhook(`whsec_${Buffer.alloc(32, 8).toString("base64")}`)
    expect(() => other.verify(request!.body, request!.headers)).toThrow()
    expect(() => new Webhook(secret).verify(`${request!.body} `, request!.headers)).toThrow()
  })

  it("takes any status, and Retry-After with it; a redirect is not followed", async () => {
    const target = await starting("answers")
    expect(await sendTo((await starting("fails")).url)).toMatchObject({ status: 500, text: "no", retryAfter: null })
    expect(await sendTo((await starting("later", "17")).url)).toMatchObject({ status: 503, retryAfter: "17" })
    expect(await sendTo((await starting("redirects", target.url)).url)).toMatchObject({ status: 302 })
    expect(target.received).toStrictEqual([])
  })

  it("with a 2xx head has succeeded, whatever its body does, and reads little of it", async () => {
    expect(await sendTo((await starting("drips a body")).url)).toMatchObject({ status: 200 })
    const flood = await sendTo((await starting("floods")).url)
    expect([flood.status, flood.text.length]).toStrictEqual([200, 200])
  })

  it("without an answer says why: nobody there, a reset, no HTTP, a name that is none", async () => {
    const gone = await starting("answers")
    await gone.stop()
    expect(await sendTo(gone.url)).toMatchObject({ status: null, text: expect.stringContaining("ECONNREFUSED") })
    expect(await sendTo((await starting("resets")).url)).toMatchObject({ status: null })
    expect(await sendTo((await starting("garbage")).url)).toMatchObject({ status: null })
    expect(await sendTo("https://no-such-name.invalid/")).toMatchObject({ status: null })
  })

  it("connects to nothing that is not allowed, also where the URL was once", async () => {
    const inside = await starting("answers")
    for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "localhost"]) {
      const refused = await sendTo(`http://${host}:${inside.port}/`, { allow: [] })
      expect(refused.status).toBeNull()
      expect(refused.text).toContain("LAT_WEBHOOK_ALLOW")
    }
    expect(inside.received).toStrictEqual([])
    expect(await sendTo(`http://localhost:${inside.port}/`, { allow: ["127.0.0.0/8"] })).toMatchObject({ status: 200 })
  })

  it("obeys no proxy variables", async () => {
    const [proxy, target] = [await starting("answers"), await starting("answers")]
    process.env["http_proxy"] = process.env["HTTP_PROXY"] = proxy.url
    expect(await sendTo(target.url)).toMatchObject({ status: 200 })
    expect([proxy.received.length, target.received.length]).toStrictEqual([0, 1])
    delete process.env["http_proxy"]
    delete process.env["HTTP_PROXY"]
  })

  it("ends where no head is there after 15 seconds, also one that drips", { timeout: 120_000 }, async () => {
    const answers = await Promise.all(
      ["silent", "drips a head"].map(async (behaviour) => sendTo((await starting(behaviour)).url))
    )
    for (const answer of answers) expect(answer).toMatchObject({ status: null, text: "No answer within 15 seconds." })
  })
})

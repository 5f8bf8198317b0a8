import { createHmac } from "node:crypto"
import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import { verifyWebhook, WebhookRejected } from "../src/Webhooks.ts"

const [secret, other] = ["one", "two"].map((each) => `whsec_${Buffer.from(`${each} `.repeat(8)).toString("base64")}`)
/** The time of the specification's example, in seconds. */
const now = 1_614_265_330
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: now * 1000 }))
afterEach(() => void vi.useRealTimers())

const id = "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W"
const body = JSON.stringify({ type: "ping", timestamp: "2026-11-22T09:00:00.000Z", data: { note: "ä €" } })

const signatureOf = (key: string, timestamp: string, text = body) =>
  `v1,${createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"))
    .update(`${id}.${timestamp}.${text}`)
    .digest("base64")}`

const good = signatureOf(secret!, String(now))

/** A request that is received `late` seconds after it was sent; `differs` overrides headers of a valid one. */
const received = (late: number, differs: object = {}) => {
  const timestamp = String(now - late)
  return {
    body,
    secret: secret!,
    headers: {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatureOf(secret!, timestamp),
      ...differs
    }
  }
}

describe("a webhook request", () => {
  it("is accepted if it is signed with the secret", async () => {
    const { headers, ...rest } = received(0)
    expect(await verifyWebhook({ ...rest, headers })).toStrictEqual(JSON.parse(body))
    expect(await verifyWebhook({ ...rest, headers: new Headers(headers) })).toMatchObject({ type: "ping" })
    expect(await verifyWebhook({ ...rest, headers, body: Buffer.from(body) })).toMatchObject({ type: "ping" })
  })

  it("is accepted as in the example of the specification", async () => {
    const event = await verifyWebhook({
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      body: '{"test": 2432232314}',
      headers: {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
      }
    })
    expect(event).toStrictEqual({ test: 2432232314 })
  })

  it("is accepted while a secret is rotated, on either side", async () => {
    const both = received(0)
    const timestamp = both.headers["webhook-timestamp"]
    const signatures = `v1a,AAAA v1,AAAA ${signatureOf(other!, timestamp)} ${signatureOf(secret!, timestamp)}`
    const request = { ...both, headers: { ...both.headers, "webhook-signature": signatures } }
    expect(await verifyWebhook(request)).toMatchObject({ type: "ping" })
    expect(await verifyWebhook({ ...received(0), secret: [other!, secret!] })).toMatchObject({ type: "ping" })
  })

  it.each([
    ["another body", { body: `${body} ` }, /No signature/],
    ["another secret", { secret: other! }, /No signature/],
    ["no secret", { secret: [] }, /No signature/]
  ])("is refused with %s", async (_name, differs, reason) => {
    const verified = verifyWebhook({ ...received(0), ...differs })
    await expect(verified).rejects.toThrow(WebhookRejected)
    await expect(verified).rejects.toThrow(reason)
  })

  it.each([
    ["another id", { "webhook-id": "msg_other" }, /No signature/],
    ["a signature of another kind", { "webhook-signature": "v1a,AAAA" }, /No signature/],
    ["the signature as one of another kind", { "webhook-signature": good.replace("v1,", "v2,") }, /No signature/],
    ["the beginning of the signature", { "webhook-signature": good.slice(0, "v1,".length + 4) }, /No signature/],
    ["an empty signature", { "webhook-signature": "v1," }, /No signature/],
    ["no signature", { "webhook-signature": undefined }, /no header webhook-signature/],
    ["no id", { "webhook-id": "" }, /no header webhook-id/],
    ["no time", { "webhook-timestamp": "yesterday" }, /no time in seconds/]
  ])("is refused with %s", async (_name, headers, reason) => {
    await expect(verifyWebhook(received(0, headers))).rejects.toThrow(reason)
  })

  it("is refused if it is older than five minutes or more than five minutes in the future", async () => {
    expect(await verifyWebhook(received(290))).toMatchObject({ type: "ping" })
    expect(await verifyWebhook(received(-290))).toMatchObject({ type: "ping" })
    await expect(verifyWebhook(received(310))).rejects.toThrow(/older than five minutes/)
    await expect(verifyWebhook(received(-310))).rejects.toThrow(/clock is wrong/)
  })

  it("is refused with a message if the secret is malformed", async () => {
    for (const secret of ["whsec_", "whsec_not base64!"])
      await expect(verifyWebhook({ ...received(0), secret })).rejects.toThrow(/secret is whsec_ and base64/)
  })
})

import { scrypt } from "node:crypto"
import { promisify } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { WebhookTransport } from "@lists-and-things/domain/ports/WebhookTransport"
import * as NodeWebhookTransport from "@lists-and-things/platform-node/NodeWebhookTransport"
import { allowedBy } from "@lists-and-things/platform-node/WebhookAddresses"
import { hosts, ranges } from "@lists-and-things/settings/Kinds"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import type { Resolve } from "@lists-and-things/platform-node/NameLookup"
import { nameServer, type Zone } from "./NameServer.ts"
import { receivers } from "./Receivers.ts"

/** Makes one attempt at a receiver that runs as a process. */

const starting = receivers()

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

interface Sent {
  readonly allow?: ReadonlyArray<string>
  readonly secrets?: ReadonlyArray<string>
  readonly body?: string
  readonly resolve?: Resolve | undefined
}

const sendTo = (
  url: string,
  { allow = ["127.0.0.1"], body = '{"type":"ping"}', resolve, secrets = [secret] }: Sent = {}
) => {
  const timestamp = Math.floor(Date.now() / 1000)
  return Effect.runPromise(
    Effect.flatMap(WebhookTransport, ({ send }) =>
      send({
        url,
        body,
        headers: { "webhook-id": "msg_1", "webhook-timestamp": String(timestamp) },
        signed: { text: `msg_1.${timestamp}.${body}`, secrets }
      })
    ).pipe(Effect.provide(NodeWebhookTransport.layer(allow, resolve)))
  )
}

/** Makes attempts with names that a test name server resolves. */
const withNames = async (
  zone: Zone,
  use: (
    send: (url: string, allow?: ReadonlyArray<string>) => ReturnType<typeof sendTo>,
    resolve: Resolve
  ) => Promise<void>
) => {
  const { resolve, stop } = await nameServer(zone)
  try {
    await use((url, allow = []) => sendTo(url, { allow, resolve }), resolve)
  } finally {
    stop()
  }
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

  it("returns any status with its Retry-After, and follows no redirect", async () => {
    const target = await starting("answers")
    expect(await sendTo((await starting("fails")).url)).toMatchObject({ status: 500, text: "no", retryAfter: null })
    expect(await sendTo((await starting("later", "17")).url)).toMatchObject({ status: 503, retryAfter: "17" })
    expect(await sendTo((await starting("redirects", target.url)).url)).toMatchObject({ status: 302 })
    expect(target.received).toStrictEqual([])
  })

  it("with a 2xx head succeeds, whatever happens to the body, of which it keeps little", async () => {
    expect(await sendTo((await starting("drips a body")).url)).toMatchObject({ status: 200 })
    const flood = await sendTo((await starting("floods")).url)
    expect([flood.status, flood.text.length]).toStrictEqual([200, 200])
    for (const broken of ["breaks off a body", "mangles a body", "says too much"])
      expect(await sendTo((await starting(broken)).url), broken).toMatchObject({ status: 200 })
  })

  it("has no status after a refused connection, a reset, invalid HTTP or an unknown name", async () => {
    const gone = await starting("answers")
    await gone.stop()
    expect(await sendTo(gone.url)).toMatchObject({ status: null, text: expect.stringContaining("ECONNREFUSED") })
    expect(await sendTo((await starting("resets")).url)).toMatchObject({ status: null })
    expect(await sendTo((await starting("garbage")).url)).toMatchObject({ status: null })
    expect(await sendTo("https://no-such-name.invalid/")).toMatchObject({ status: null })
  })

  it("never connects to an address that is not allowed, however the host is written", async () => {
    const inside = await starting("answers")
    for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "localhost"]) {
      const refused = await sendTo(`http://${host}:${inside.port}/`, { allow: [] })
      expect(refused.status).toBeNull()
      expect(refused.text).toContain("LAT_WEBHOOK_ALLOW")
    }
    expect(inside.received).toStrictEqual([])
    expect(await sendTo(`http://localhost:${inside.port}/`, { allow: ["127.0.0.0/8"] })).toMatchObject({ status: 200 })
  })

  it("survives receivers that violate HTTP", async () => {
    const statusOf = async (behaviour: string) => (await sendTo((await starting(behaviour)).url)).status
    expect(await statusOf("switches protocols")).toBeNull()
    expect(await statusOf("has a huge head")).toBeNull()
    expect(await sendTo((await starting("continues for ever")).url)).toMatchObject({
      status: null,
      text: "More than 10 interim answers (1xx) came before an answer."
    })
    const packed = await sendTo((await starting("compresses")).url)
    expect([packed.status, packed.text.length <= 200]).toStrictEqual([200, true])
  })

  it("sends the user name and password of the URL, and fails if they are malformed", async () => {
    const { port, received } = await starting("answers")
    await sendTo(`http://user:p%40ss%0d%0ax:%20y@127.0.0.1:${port}/`)
    expect(received[0]!.headers["authorization"]).toBe(`Basic ${btoa("user:p@ss\r\nx: y")}`)
    expect(received[0]!.headers["x"]).toBeUndefined()
    expect(await sendTo(`http://user:100%@127.0.0.1:${port}/`)).toMatchObject({
      status: null,
      text: expect.stringContaining("URI malformed")
    })
    expect(received).toHaveLength(1)
  })

  it("connects to the checked addresses, even if the name resolves to others by then", async () => {
    const inside = await starting("answers")
    const rebinding: Zone = (_, time) => (time === 1 ? ["93.184.215.14"] : ["127.0.0.1", "0:0:0:0:0:0:0:1"])
    await withNames(rebinding, async (send, resolve) => {
      const url = `https://changes.example:${inside.port}/`
      const refusal = Effect.flatMap(WebhookTransport, (transport) => transport.refusal(url))
      const layer = NodeWebhookTransport.layer([], resolve)
      expect(await Effect.runPromise(Effect.provide(refusal, layer))).toBeUndefined()
      expect((await send(url)).text).toContain("127.0.0.1 is not a public address")
    })
    const both: Zone = () => ["10.255.255.1", "127.0.0.1", "fe80:0:0:0:0:0:0:1"]
    await withNames(both, async (send) => {
      expect((await send(`https://inside.example:${inside.port}/`)).text).toContain("LAT_WEBHOOK_ALLOW")
      expect(inside.received).toStrictEqual([])
      expect(await send(`http://inside.example:${inside.port}/`, ["127.0.0.1"])).toMatchObject({ status: 200 })
    })
    expect(inside.received).toHaveLength(1)
  })

  it("at a name whose name server is silent delays no other attempt", async () => {
    const inside = await starting("answers")
    const zone: Zone = (name) => (name === "good.example" ? ["127.0.0.1"] : "silence")
    await withNames(zone, async (send) => {
      const silent = Array.from({ length: 50 }, (_, at) => send(`https://silent-${at}.example/`))
      const first = await Promise.race([send(`http://good.example:${inside.port}/`, ["127.0.0.1"]), ...silent])
      expect(first.status).toBe(200)
      // Passwords and files use the same threads as the system's name resolution.
      const hashed = promisify(scrypt)("a password", "salt", 32).then(() => "hashed")
      expect(await Promise.race([hashed, ...silent.map((each) => each.then(() => "refused"))])).toBe("hashed")
      for (const { status } of await Promise.all(silent)) expect(status).toBeNull()
    })
  })

  it("ignores proxy variables", async () => {
    const [proxy, target] = [await starting("answers"), await starting("answers")]
    process.env["http_proxy"] = process.env["HTTP_PROXY"] = proxy.url
    expect(await sendTo(target.url)).toMatchObject({ status: 200 })
    expect([proxy.received.length, target.received.length]).toStrictEqual([0, 1])
    delete process.env["http_proxy"]
    delete process.env["HTTP_PROXY"]
  })

  it("ends after 15 seconds without a complete head, even if the receiver sends it slowly", async () => {
    const answers = await Promise.all(
      ["silent", "drips a head"].map(async (behaviour) => sendTo((await starting(behaviour)).url))
    )
    for (const answer of answers) expect(answer).toMatchObject({ status: null, text: "No answer within 15 seconds." })
  })
})

describe("an address or a range of LAT_WEBHOOK_ALLOW", () => {
  const entries = [
    ...["127.0.0.1", "10.0.0.0/8", "10.1.2.3/08", "0.0.0.0/0", "::1", "::/0", "2001:DB8::/32", "::1.2.3.4"],
    ...["::ffff:10.0.0.0/104", "::ffff:a00:0/103", "::ffff:0.0.0.0/96", "::ffff:10.0.0.1"]
  ]

  it.each(entries)("%s is allowed as the settings read it", (entry) => {
    expect(hosts.read(entry)).toStrictEqual([entry])
    expect(ranges.show(allowedBy([entry]).ranges)).toBe(ranges.show(ranges.read(entry)!))
  })

  it.each(["::ffff:0.0.0.0/95", "10.0/8", "127.1", "fe80::1%eth0", "10.0.0.0/33"])(
    "%s is refused by the settings",
    (entry) => {
      expect(hosts.read(entry)).toBeUndefined()
    }
  )
})

import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { WebhookTransport } from "@lists-and-things/domain/ports/WebhookTransport"
import * as NodeWebhookTransport from "@lists-and-things/platform-node/NodeWebhookTransport"
import { until } from "@lists-and-things/testing/Until"
import { Effect } from "effect"
import { ownPort } from "../setup/OwnPort.ts"
import { receiver } from "./Receivers.ts"

/** Tests the receivers of `examples/webhooks` unchanged. */

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const example = (name: string) => fileURLToPath(new URL(`../../examples/webhooks/${name}`, import.meta.url))
const event = JSON.stringify({
  type: "reminder.due",
  data: { thing: { text: "Wäsche aufhängen" }, due_at: "2026-11-22T11:16:17.000Z" }
})

const send = (url: string, { age = 0, id = "msg_1", signedWith = secret } = {}) => {
  const timestamp = Math.floor(Date.now() / 1000) - age
  return Effect.runPromise(
    Effect.flatMap(WebhookTransport, (transport) =>
      transport.send({
        url,
        body: event,
        headers: { "webhook-id": id, "webhook-timestamp": String(timestamp) },
        signed: { text: `${id}.${timestamp}.${event}`, secrets: [signedWith] }
      })
    ).pipe(Effect.provide(NodeWebhookTransport.layer(["127.0.0.1"])))
  )
}

const folder = mkdtempSync(join(tmpdir(), "lat-examples-"))
const stops: Array<() => void> = [() => rmSync(folder, { recursive: true })]
afterAll(() => stops.forEach((stop) => stop()))

describe.each([
  ["receive.ts", process.execPath],
  ["receive.py", "python3"]
])("%s", (name, program) => {
  it("prints each genuine delivery once, and refuses others", async () => {
    const port = await ownPort()
    const child = spawn(program, [example(name)], {
      env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
    stops.push(() => child.kill("SIGKILL"))
    const printed: Array<string> = []
    createInterface({ input: child.stdout }).on("line", (line) => printed.push(line))
    const url = `http://127.0.0.1:${port}/`
    await until("the receiver listens", () => said === `Waits at ${url}\n`)
    expect((await send(url, { signedWith: "whsec_AAAA" })).status).toBe(401)
    expect((await send(url, { age: 600 })).status).toBe(401)
    for (const timestamp of ["²", String(Math.floor(Date.now() / 1000))]) {
      const headers = { "webhook-id": "msg_3", "webhook-timestamp": timestamp, "webhook-signature": "v1,é" }
      expect((await fetch(url, { method: "POST", body: event, headers })).status).toBe(401)
    }
    expect((await send(url)).status).toBe(204)
    expect((await send(url)).status).toBe(204)
    expect((await send(url, { id: "msg_2" })).status).toBe(204)
    await until("two lines", () => printed.length >= 2)
    expect(said.match(/^Refused msg_1: .* WEBHOOK_SECRET$/gm)).toHaveLength(2)
    expect(printed).toStrictEqual(Array(2).fill("Reminder: Wäsche aufhängen (2026-11-22T11:16:17.000Z)"))
  })
})

it.each([
  ["receive.ts", process.execPath],
  ["receive.py", "python3"]
])("%s without a secret prints its usage", (name, program) => {
  const { PATH } = process.env
  const { status, stderr } = spawnSync(program, [example(name)], { env: { PATH }, encoding: "utf8" })
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/^Usage: WEBHOOK_SECRET=whsec_… \w+ receive\.\w+, with .*\n$/)
  ])
})

describe("verify.sh", () => {
  it("accepts genuine requests and refuses others", async () => {
    const one = await receiver("answers")
    stops.push(() => void one.stop())
    await send(one.url)
    const { body, headers } = one.received[0]!
    const run = (text: string, ...args: ReadonlyArray<string>) =>
      spawnSync("sh", [example("verify.sh"), ...args], { input: text, env: { ...process.env, WEBHOOK_SECRET: secret } })
        .status
    const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
      (name) => headers[name]!
    ) as [string, string, string]
    expect(run(body, id, timestamp, signature)).toBe(0)
    expect(run(body, id, timestamp, `v1,AAAA ${signature}`)).toBe(0)
    expect(run(`${body} `, id, timestamp, signature)).toBe(1)
    expect(run(body, "msg_2", timestamp, signature)).toBe(1)
    expect(run(body, id, String(Number(timestamp) - 600), signature)).toBe(1)
  })

  // Unlike dash, bash evaluates text in arithmetic, commands included; where bash is sh, a stranger could run them.
  it.each(["sh", "bash"])("refuses a timestamp that is no number, and runs no command in it (%s)", (shell) => {
    const marker = join(folder, shell)
    const args = [example("verify.sh"), "msg_1", `PATH[$(touch '${marker}')0]`, "v1,AAAA"]
    const { status, stderr } = spawnSync(shell, args, { input: "{}", env: { ...process.env, WEBHOOK_SECRET: secret } })
    expect([status, stderr.toString(), existsSync(marker)]).toStrictEqual([1, "the timestamp is no number\n", false])
  })
})

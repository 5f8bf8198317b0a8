/**
 * Receives webhooks and prints what they say, if their signature is right: `node receive.ts`, with the secret of the
 * webhook in WEBHOOK_SECRET. Needs nothing but Node 22.18 or newer.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"

const { PORT = "8787", WEBHOOK_SECRET: secret } = process.env
if (secret === undefined) {
  process.stderr.write(
    "Usage: WEBHOOK_SECRET=whsec_… node receive.ts, with the secret that was shown with the webhook\n"
  )
  process.exit(2)
}
const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")

/** Messages that were seen: each may arrive more than once. */
const seen = new Set<string>()

const isGenuine = (headers: IncomingHttpHeaders, body: Buffer): boolean => {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    String(headers[name] ?? "")
  ) as [string, string, string]
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest()
  return signatures.split(" ").some((each) => {
    const given = Buffer.from(each.replace(/^v1,/, ""), "base64")
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

// oxlint-disable-next-line typescript/no-explicit-any -- the event as docs/webhooks.md shows it
const lineOf = (type: string, data: any): string => {
  if (type === "reminder.due") return `Reminder: ${data.thing.text} (${data.due_at})`
  return type === "operation" ? `Changed: ${data.operation.summary}` : type
}

createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const body = Buffer.concat(chunks)
    const genuine = isGenuine(request.headers, body)
    response.writeHead(genuine ? 204 : 401).end()
    const id = String(request.headers["webhook-id"])
    if (!genuine) process.stderr.write(`Refused ${id}: it is too old, or not signed with WEBHOOK_SECRET\n`)
    if (!genuine || seen.has(id)) return
    seen.add(id)
    const { data, type } = JSON.parse(body.toString("utf8"))
    process.stdout.write(`${lineOf(type, data)}\n`)
  })
}).listen(Number(PORT), "127.0.0.1", () => process.stderr.write(`Waits at http://127.0.0.1:${PORT}/\n`))

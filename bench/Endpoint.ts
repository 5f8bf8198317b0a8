import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * The endpoint of a webhook, in its own process: answers after 50 ms. Prints its port; `GET /` returns, for each
 * reminder that arrived, how many milliseconds after its moment.
 */

const answerMillis = 50
const late = new Map<string, number>()

const server = createServer((request, response) => {
  if (request.method === "GET") return void response.end(JSON.stringify([...late.values()]))
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (chunk: string) => (body += chunk))
  request.on("end", () => {
    const event = JSON.parse(body) as { readonly timestamp: string }
    late.set(String(request.headers["webhook-id"]), Date.now() - Date.parse(event.timestamp))
    setTimeout(() => response.end("ok"), answerMillis)
  })
})
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})

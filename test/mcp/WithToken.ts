import { createServer, request as send } from "node:http"
import type { AddressInfo } from "node:net"

/** A proxy that adds a bearer token to each request, for tools that cannot send one. */
export const startWithToken = async (target: string, token: string) => {
  const { hostname, port } = new URL(target)
  const proxy = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    const forwarded = send({ hostname, port, path: request.url, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on("error", () => response.destroy())
    request.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    stop: () => new Promise<void>((resolve) => proxy.close(() => resolve())).finally(() => proxy.closeAllConnections())
  }
}

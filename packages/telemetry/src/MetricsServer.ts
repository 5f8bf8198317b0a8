import { Effect } from "effect"
import { createServer } from "node:http"
import { listenProblem } from "@lists-and-things/web/ListenProblem"
import { contentType } from "./MetricsPage.ts"

/**
 * Serves only the metrics, on a separate port without a token, until the scope closes. Returns the port; 0 takes a free
 * one. Fails with the message of `listenProblem` if the address cannot be bound.
 */
export const serveMetrics = (options: {
  readonly host: string
  readonly port: number
  readonly page: () => Promise<string>
}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => listen(options),
        catch: (cause) => new Error(listenProblem("LAT_METRICS_PORT", options, cause))
      }),
      ({ server }) =>
        Effect.promise(
          () =>
            new Promise<void>((resolve) => {
              server.close(() => resolve())
              server.closeAllConnections()
            })
        )
    ),
    ({ port }) => port
  )

const listen = ({ host, page, port }: Parameters<typeof serveMetrics>[0]) => {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): void =>
      void response
        .writeHead(status, { "content-type": contentType, "x-content-type-options": "nosniff", ...headers })
        .end(request.method === "HEAD" ? "" : body)
    request.resume()
    if (request.url?.split("?", 1)[0] !== "/metrics") return answer(404, "Only /metrics is here.\n")
    if (request.method !== "GET" && request.method !== "HEAD") return answer(405, "Use GET.\n", { allow: "GET, HEAD" })
    page().then(
      (text) => answer(200, text),
      () => answer(500, "The metrics cannot be read.\n")
    )
  })
  server.maxConnections = 64
  return new Promise<{ readonly server: typeof server; readonly port: number }>((resolve, reject) => {
    server.once("error", reject)
    server.listen({ host, port }, () => {
      // An error of accept(2) concerns one connection, and without a listener it would end the process.
      server.on("error", () => undefined)
      const address = server.address()
      resolve({ server, port: typeof address === "object" && address !== null ? address.port : port })
    })
  })
}

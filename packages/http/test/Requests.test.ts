import { expect, it } from "@effect/vitest"
import { Context, Effect, Logger } from "effect"
import { HttpServerResponse } from "effect/http"
import { Listener } from "../src/edge/Listener.ts"
import { Requests } from "../src/edge/Requests.ts"
import { raw } from "./EdgeServer.ts"

it("an answer that cannot be written ends its connection, and is logged", async () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const context = Context.make(Logger.CurrentLoggers, new Set([logger]))
  const answer = Effect.succeed(HttpServerResponse.empty({ headers: { "x-broken": "a\nb" } }))
  const exchange = () => ({ context, answer })
  const requests = new Requests({ operation: exchange, again: exchange, routed: Effect.never }, Context.empty())
  const listener = new Listener()
  listener.serve(() => requests.connection())
  const port = await listener.listen({ host: "127.0.0.1", port: 0 })
  await expect(raw(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).rejects.toThrow("closed without an answer")
  expect(lines).toStrictEqual([expect.stringContaining("An answer could not be written")])
  await listener.stop(0)
})

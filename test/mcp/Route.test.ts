import { describe, expect, it } from "@effect/vitest"
import { type HandlerServices, layer, type WebHandler } from "@lists-and-things/mcp/http/Route"
import { Context, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"

const request = () => new Request("http://lists.test/mcp", { method: "POST" })

/** A server whose handler is made by the given effects, one after the other. */
const serverOf = (...making: ReadonlyArray<Effect.Effect<WebHandler>>) => {
  let made = 0
  const next = Effect.suspend(() => making[made++]!)
  const services = Layer.succeedContext(Context.empty() as Context.Context<HandlerServices>)
  const { handler } = HttpRouter.toWebHandler(layer(next).pipe(Layer.provide(services)), { disableLogger: true })
  return { status: async () => (await handler(request())).status, made: () => made }
}

const answers = Effect.succeed<WebHandler>(() => Promise.resolve(new Response("{}", { status: 202 })))

describe("the handler of tool calls", () => {
  it("is made once, with the first request", async () => {
    const server = serverOf(answers)
    expect(server.made()).toBe(0)
    expect([await server.status(), await server.status(), server.made()]).toStrictEqual([202, 202, 1])
  })

  it("is made anew where that has failed", async () => {
    const server = serverOf(Effect.die(new Error("Cannot find module")), answers)
    expect([await server.status(), await server.status(), server.made()]).toStrictEqual([500, 202, 2])
  })
})

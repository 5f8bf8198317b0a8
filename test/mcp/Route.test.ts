import { describe, expect, it } from "@effect/vitest"
import { type HandlerServices, idleMillis, layer, type WebHandler } from "@lists-and-things/mcp/http/Route"
import { Context, Deferred, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { TestClock } from "effect/testing"

const request = () => new Request("http://lists.test/mcp", { method: "POST" })

const services = Layer.succeedContext(Context.empty() as Context.Context<HandlerServices>)

/** A server that creates its handler by the given effects, one after the other. */
const serverOf = (...making: ReadonlyArray<Effect.Effect<WebHandler>>) => {
  let made = 0
  const next = Effect.suspend(() => making[made++]!)
  const { handler } = HttpRouter.toWebHandler(layer(next).pipe(Layer.provide(services)), { disableLogger: true })
  return { status: async () => (await handler(request())).status, made: () => made }
}

const answers = Effect.succeed<WebHandler>(() => Promise.resolve(new Response("{}", { status: 202 })))

describe("the handler of tool calls", () => {
  it("is created once, by the first request", async () => {
    const server = serverOf(answers)
    expect(server.made()).toBe(0)
    expect([await server.status(), await server.status(), server.made()]).toStrictEqual([202, 202, 1])
  })

  it.effect("is made without a request after a while", () =>
    Effect.gen(function* () {
      const made = yield* Deferred.make<void>()
      const making = Effect.andThen(Deferred.succeed(made, undefined), answers)
      yield* Layer.build(layer(making).pipe(Layer.provide([services, HttpRouter.layer])))
      yield* TestClock.adjust(idleMillis - 1)
      expect(yield* Deferred.isDone(made)).toBe(false)
      yield* TestClock.adjust(1)
      yield* Deferred.await(made)
    })
  )

  it("is created by the next request if that failed", async () => {
    const server = serverOf(Effect.die(new Error("Cannot find module")), answers)
    expect([await server.status(), await server.status(), server.made()]).toStrictEqual([500, 202, 2])
  })
})

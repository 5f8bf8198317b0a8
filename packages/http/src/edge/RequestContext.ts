import { Context, Effect, Layer, Scope } from "effect"
import { randomUUID } from "node:crypto"
import type { HttpServerRequest } from "effect/http"

const ours = "@lists-and-things/"

/**
 * The initial context of a request's fiber: loggers and runtime settings only. It stays small because it is copied
 * several times per request; handlers hold the services that they use.
 */
export const requestContext = (context: Context.Context<never>): Context.Context<never> =>
  Context.makeUnsafe(new Map([...context.mapUnsafe].filter(([key]) => !key.startsWith(ours))))

/** An `HttpApi` merges the context that its handlers were built with into each request's: so it gets only this. */
export const builtWith = <A, E, S extends ReadonlyArray<Context.Key<unknown, unknown>>>(
  handlers: Layer.Layer<A, E, Context.Service.Identifier<S[number]>>,
  ...services: S
): Layer.Layer<A, E, Context.Service.Identifier<S[number]>> =>
  Layer.effectContext(
    Effect.updateContext(Layer.build(handlers), Context.pick(Scope.Scope, ...services) as never)
  ) as Layer.Layer<A, E, Context.Service.Identifier<S[number]>>

/** Id of the current request in the log. */
export const RequestId = Context.Reference<string>("@lists-and-things/http/RequestId", { defaultValue: () => "" })

/** The client's id if it is safe to log, otherwise a new one. */
export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const given = request.headers["x-request-id"]
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

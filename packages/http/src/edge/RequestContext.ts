import { Context, Effect, Layer, Scope } from "effect"

const ours = "@lists-and-things/"

/**
 * What the fiber of a request starts with: loggers and settings of the runtime. Handlers hold the services that they
 * use, and a context is copied several times on the way of a request.
 */
export const requestContext = (context: Context.Context<never>): Context.Context<never> =>
  Context.makeUnsafe(new Map([...context.mapUnsafe].filter(([key]) => !key.startsWith(ours))))

/** Handlers of an `HttpApi` keep what they were built with and merge it into each request's context: so only this. */
export const builtWith = <A, E, S extends ReadonlyArray<Context.Key<unknown, unknown>>>(
  handlers: Layer.Layer<A, E, Context.Service.Identifier<S[number]>>,
  ...services: S
): Layer.Layer<A, E, Context.Service.Identifier<S[number]>> =>
  Layer.effectContext(
    Effect.updateContext(Layer.build(handlers), Context.pick(Scope.Scope, ...services) as never)
  ) as Layer.Layer<A, E, Context.Service.Identifier<S[number]>>

import { Context, Function } from "effect"
import { randomUUID } from "node:crypto"
import { HttpMiddleware, type HttpServerRequest } from "effect/http"

const ours = "@lists-and-things/"

/**
 * The initial context of a request's fiber: loggers and runtime settings only. It is kept small because it is copied
 * several times per request; handlers hold their own services. The library's span per request is disabled, since it
 * would contain the whole URL with tokens and texts; `traced` makes one without them.
 */
export const requestContext = (context: Context.Context<never>): Context.Context<never> =>
  Context.add(
    Context.makeUnsafe<never>(new Map([...context.mapUnsafe].filter(([key]) => !key.startsWith(ours)))),
    HttpMiddleware.TracerDisabledWhen,
    Function.constTrue
  )

/** Id of the current request in the log. */
export const RequestId = Context.Reference<string>("@lists-and-things/http/RequestId", { defaultValue: () => "" })

/** The client's id if it is safe to log, otherwise a new one. */
export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const given = request.headers["x-request-id"]
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

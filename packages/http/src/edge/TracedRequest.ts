import { Effect, Option } from "effect"
import { HttpTraceContext, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Routes } from "./Routes.ts"

/**
 * Wraps a request in a span that continues the trace of its `traceparent`. The span has the route instead of the path,
 * and no text of the request.
 */
export const traced = <E, R>(
  { headers, method, url }: HttpServerRequest.HttpServerRequest,
  routes: Routes["Service"],
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => {
  const route = routes.routeOf(method, url) ?? "(no route)"
  const parent = Option.getOrUndefined(HttpTraceContext.fromHeaders(headers))
  return answer.pipe(
    Effect.tap(({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)),
    Effect.withSpan(`${method} ${route}`, {
      kind: "server",
      ...(parent === undefined ? { root: true } : { parent }),
      attributes: { "http.request.method": method, "http.route": route }
    })
  )
}

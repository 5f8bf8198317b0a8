import { Effect, Layer } from "effect"
import { FindMyWay, HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import * as Context from "effect/Context"
import type { DeferredCaller } from "@lists-and-things/domain/caller/DeferredCaller"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { percentDecoded } from "@lists-and-things/domain/text/Urls"

/** Ids are opaque: an overlong one is an unknown id, not an unknown route. */
const routing = {
  maxParamLength: 16_384,
  caseSensitive: true,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: false
}

/** The path of a URL, without the query. */
export const pathOf = (url: string): string => {
  const end = url.indexOf("?")
  return end < 0 ? url : url.slice(0, end)
}

/** The path without a trailing slash, which declared paths do not have. */
const withoutSlash = (path: string): string => (path.endsWith("/") ? path.slice(0, -1) : path)

/** Whether the path is percent-encoded UTF-8. */
export const isDecodable = (url: string): boolean => !url.includes("%") || percentDecoded(pathOf(url)) !== undefined

/**
 * The URL in a form that the routing table reads correctly. A `;` is escaped, since the table takes it for the
 * beginning of the query. In a path that is not valid percent-encoding, `%` is escaped, since any text may be sent as
 * an id (docs/decisions.md#ids).
 */
const inPath = (url: string): string => {
  if (!url.includes(";") && isDecodable(url)) return url
  const path = pathOf(url)
  const plain = path.replaceAll(";", "%3B")
  return (isDecodable(plain) ? plain : plain.replaceAll("%", "%25")) + url.slice(path.length)
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

type Request = HttpServerRequest.HttpServerRequest

/** A request for an operation, with its path and query not yet decoded. */
export interface Incoming {
  readonly request: Request
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
}

/** The answer to a request, which begins when it is run, and the caller of that request. */
export interface Served {
  readonly caller: DeferredCaller
  readonly answer: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | Caller
  >
}

export type Serving = (incoming: Incoming) => Served

/** The operations, by method and path; and the methods of every path, for 405 and `Allow`. */
export class Routes extends Context.Service<
  Routes,
  {
    readonly serve: (method: string, path: string, serving: Serving) => void
    /** Undefined when the request is for no operation; `HEAD` is served as `GET`. */
    readonly answerTo: (request: Request) => ReturnType<Serving> | undefined
    /** Empty when no route matches the path. `GET` implies `HEAD`, and any method implies `OPTIONS`. */
    readonly methodsOf: (url: string) => ReadonlyArray<string>
    /** The declared path, such as `/api/v1/things/:id`; undefined if no route matches. */
    readonly routeOf: (method: string, url: string) => string | undefined
  }
>()("@lists-and-things/http/Routes") {}

/** A declared path; `serving` is set for operations, and not for routes of the router. */
interface Known {
  readonly path: string
  readonly serving?: Serving
}

/** The table of operations, and a router for everything else, which records the routes added to it. */
export const layer: Layer.Layer<HttpRouter.HttpRouter | Routes> = Layer.effectContext(
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    const known = FindMyWay.make<Known>(routing)
    const concrete = new Set<string>()
    const remember = (method: string, path: FindMyWay.PathInput, serving?: Serving) => {
      if (!/[:*]/.test(path)) concrete.add(path)
      const route = serving === undefined ? { path } : { path, serving }
      return method === "*" ? known.all(path, route) : known.on(method, path, route)
    }
    const addAll: typeof router.addAll = (routes) =>
      Effect.suspend(() => {
        for (const route of routes) {
          remember(route.method, route.path)
          if (route.path.endsWith("/*")) remember(route.method, route.path.slice(0, -2) as FindMyWay.PathInput)
        }
        return router.addAll(routes)
      })
    const remembering = HttpRouter.HttpRouter.of({
      ...router,
      addAll,
      add: ((method: "GET", path: "/", handler: never, options: object) =>
        addAll([HttpRouter.route(method, path, handler, options)])) as never
    })
    /** A concrete path goes before a templated one, as in OpenAPI: `/things/bulk` is no thing, whatever the method. */
    const find = (method: string, url: string) => {
      const address = inPath(url)
      const found = known.find(method === "HEAD" ? "GET" : method, address)
      const path = withoutSlash(pathOf(address))
      return found !== undefined && found.handler.path !== path && concrete.has(path) ? undefined : found
    }
    const methodsOf = (url: string) => {
      const found = methods.filter((method) => find(method, url) !== undefined)
      if (found.length === 0) return []
      return [...found, ...(found.includes("GET") ? ["HEAD"] : []), "OPTIONS"]
    }
    const serve = (method: string, path: string, serving: Serving) =>
      remember(method, path as FindMyWay.PathInput, serving)
    const answerTo = (request: Request) => {
      const found = find(request.method, request.url)
      return found?.handler.serving?.({ request, params: found.params, query: found.searchParams })
    }
    const routeOf = (method: string, url: string) => find(method, url)?.handler.path
    return Context.make(HttpRouter.HttpRouter, remembering).pipe(
      Context.add(Routes, Routes.of({ serve, answerTo, methodsOf, routeOf }))
    )
  }).pipe(Effect.provideService(HttpRouter.RouterConfig, routing))
)

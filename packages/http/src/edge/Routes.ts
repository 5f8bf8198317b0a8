import { Effect, Layer } from "effect"
import { FindMyWay, HttpRouter } from "effect/http"
import * as Context from "effect/Context"

/** Ids are opaque: an overlong one is an unknown id, not an unknown route. */
const routing = {
  maxParamLength: 16_384,
  caseSensitive: true,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: false
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

/** Methods by path, for 405 and `Allow`. */
export class Routes extends Context.Service<
  Routes,
  {
    /** Empty when no route matches the path. `GET` implies `HEAD`, and any method implies `OPTIONS`. */
    readonly methodsOf: (url: string) => ReadonlyArray<string>
  }
>()("@lists-and-things/http/Routes") {}

/** A router that records the routes added to it. */
export const layer: Layer.Layer<HttpRouter.HttpRouter | Routes> = Layer.effectContext(
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    const known = FindMyWay.make<true>(routing)
    const remember = (method: string, path: FindMyWay.PathInput) =>
      method === "*" ? known.all(path, true) : known.on(method, path, true)
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
    const methodsOf = (url: string) => {
      const found = methods.filter((method) => known.find(method, url) !== undefined)
      if (found.length === 0) return []
      return [...found, ...(found.includes("GET") ? ["HEAD"] : []), "OPTIONS"]
    }
    return Context.make(HttpRouter.HttpRouter, remembering).pipe(Context.add(Routes, Routes.of({ methodsOf })))
  }).pipe(Effect.provideService(HttpRouter.RouterConfig, routing))
)

import { Effect, Layer } from "effect"
import type { HttpRouter } from "effect/http"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { ChangeWaiters } from "@lists-and-things/domain/history/ChangeWaiters"
import { listenProblem } from "@lists-and-things/web/ListenProblem"
import * as Edge from "./edge/Edge.ts"
import { Listener } from "./edge/Listener.ts"
import { makeObserve } from "./edge/ObservedRequests.ts"
import { requestContext } from "./edge/RequestContext.ts"
import { Requests } from "./edge/Requests.ts"
import * as Routes from "./edge/Routes.ts"
import { watchFileDescriptors } from "./FileDescriptors.ts"

/** Time for requests in flight after the process was told to stop; the rest of ten seconds is for clean-up. */
const defaultStopTimeout = 7_000
/** Further time for orphaned requests; then the process ends without them. */
const orphanTimeout = 1_000

/** The address cannot be bound. The message is one line for the operator, with what to do. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  message: Schema.String
}) {}

/** Where the server listens, and how it stops. */
export interface ServerConfig {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** Milliseconds for requests in flight after the process was told to stop. */
  readonly stopTimeout?: number
}

/** The bound address; known before the routes are built, so that they can contain it. */
export class BoundAddress extends Context.Service<BoundAddress, { readonly host: string; readonly port: number }>()(
  "@lists-and-things/http/BoundAddress"
) {}

/** The running server. */
export class Server extends Context.Service<Server, BoundAddress["Service"]>()("@lists-and-things/http/Server") {}

/** Request contexts carry no services: handlers take theirs when they are built. Fails to compile otherwise. */
type Built<R> = [HttpRouter.Request.Only<"Requires", R>] extends [never]
  ? unknown
  : { readonly "asked for in a request": HttpRouter.Request.Only<"Requires", R> }

/**
 * Binds the address, builds the given routes (each a layer that adds itself to the `HttpRouter`), and serves them until
 * its scope closes. Then stops gracefully: requests that wait for changes are answered, the others completed
 * (`Listener.stop`). Requests that come before the routes are built wait.
 */
export const layer = <E, R>(routes: Layer.Layer<never, E, R> & Built<R>, config: ServerConfig) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const listener = new Listener()
      // If the routes cannot be built, there are no requests to wait for.
      const port = yield* Effect.acquireRelease(listen(listener, config), () => Effect.promise(() => listener.stop(0)))
      const address = { host: config.host, port }
      return Layer.effect(Server, Effect.as(serve(listener, config.stopTimeout), address)).pipe(
        Layer.provide(routes),
        Layer.provide(Routes.layer),
        Layer.provide(Layer.succeed(BoundAddress, address))
      )
    })
  ) as Layer.Layer<
    Server,
    ListenFailed | E,
    | ApiKeys
    | ChangeWaiters
    | Exclude<HttpRouter.Request.Without<R>, HttpRouter.HttpRouter | Routes.Routes | BoundAddress>
  >

const serve = Effect.fnUntraced(function* (listener: Listener, stopTimeout = defaultStopTimeout) {
  const services = requestContext(yield* Effect.context())
  const requests = new Requests(yield* Edge.make(services), services, yield* makeObserve)
  yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(requests.orphansEnded), orphanTimeout))
  const waiters = yield* ChangeWaiters
  yield* Effect.addFinalizer(() =>
    Effect.all(
      [
        Effect.promise(() => listener.stop(stopTimeout)),
        Effect.andThen(
          Effect.promise(() => listener.lastAnswers),
          waiters.close
        )
      ],
      { concurrency: "unbounded" }
    )
  )
  listener.serve(() => requests.connection())
  yield* Effect.forkScoped(watchFileDescriptors())
})

const listen = (listener: Listener, { host, port }: ServerConfig) =>
  Effect.tryPromise({
    try: () => listener.listen({ host, port }),
    catch: (cause) => new ListenFailed({ message: listenProblem("PORT", { host, port }, cause) })
  })

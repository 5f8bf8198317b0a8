import { ClientAddress } from "@lists-and-things/web/ClientAddress"
import { Observer } from "@lists-and-things/web/Observer"
import { Effect } from "effect"
import type { NodeRequest } from "./NodeRequest.ts"
import { Routes } from "./Routes.ts"

/** Reports each request to the `Observer` when it is over; undefined if nothing observes. */
export const makeObserve = Effect.gen(function* () {
  const { request: ended } = yield* Observer
  const routes = yield* Routes
  const clientAddress = yield* ClientAddress
  if (ended === undefined) return undefined
  return (request: NodeRequest): void => {
    const began = performance.now()
    const { method, response, url } = request
    const client = clientAddress.of(request)
    response.once("close", () =>
      ended({
        method,
        route: routes.routeOf(method, url),
        status: response.headersSent ? response.statusCode : clientGone,
        millis: performance.now() - began,
        hasWaited: request.hasWaited,
        requestId: request.id ?? "-",
        client
      })
    )
  }
})

/** The status of a request whose client left before the answer; nginx uses this number. */
const clientGone = 499

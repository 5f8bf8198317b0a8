import { randomUUID } from "node:crypto"
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Id of the current request in the log. */
export const RequestId = Context.Reference<string>("@lists-and-things/http/RequestId", { defaultValue: () => "" })

/** The client's id if it is safe to log, otherwise a new one. */
export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const given = request.headers["x-request-id"]
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

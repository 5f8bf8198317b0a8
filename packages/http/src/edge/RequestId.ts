import { randomUUID } from "node:crypto"
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Under which id the log knows the request at hand. */
export const RequestId = Context.Reference<string>("@lists-and-things/http/RequestId", { defaultValue: () => "" })

/** The client's own id where it is harmless in a log, else a new one. */
export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const given = request.headers["x-request-id"]
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Where a request came from, for limits on what a stranger may try. Forwarding headers can be forged and are not read. */
export const addressOf = (request: HttpServerRequest.HttpServerRequest): string =>
  Option.getOrElse(request.remoteAddress, () => "unknown")

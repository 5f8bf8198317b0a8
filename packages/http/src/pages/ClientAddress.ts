import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"

/** One household has 2^64 addresses of IPv6: their first half counts. */
const network = (address: string): string => {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address
  const [head = "", tail] = address.split("::", 2)
  const before = head.split(":").filter((each) => each !== "")
  const after = (tail ?? "").split(":").filter((each) => each !== "")
  const groups = [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0"), ...after]
  return `${groups.slice(0, 4).join(":")}::`
}

/** Where a request came from, for limits on what a stranger may try. Forwarding headers can be forged and are not read. */
export const addressOf = (request: HttpServerRequest.HttpServerRequest): string =>
  network(Option.getOrElse(request.remoteAddress, () => "unknown"))

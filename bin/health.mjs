#!/usr/bin/env node
// For container engines: ends with 0 when the server of this machine is ready, as /readyz says, else with 1.
import { get } from "node:http"

/** As the server reads them: blanks around a value do not count, nor the brackets of an address of IPv6. */
const [named, port] = [process.env.HOST, process.env.PORT].map((text = "") => text.trim().replace(/^\[(.*)\]$/, "$1"))
const host = named === "" || named === "0.0.0.0" ? "127.0.0.1" : named === "::" ? "::1" : named

// No agent: that of all requests asks a proxy that the environment names.
const options = { host, port: port || 3000, path: "/readyz", agent: false, signal: AbortSignal.timeout(4_000) }
try {
  get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on("error", () => process.exit(1))
} catch {
  process.exit(1)
}

#!/usr/bin/env node
// For container engines: exits with 0 if the server on this machine is ready (/readyz), otherwise with 1.
import { get } from "node:http"

/** As the server reads them: without surrounding blanks and the brackets of an IPv6 address. */
const [named, port] = [process.env.HOST, process.env.PORT].map((text = "") => text.trim().replace(/^\[(.*)\]$/, "$1"))
const host = named === "" || named === "0.0.0.0" ? "127.0.0.1" : named === "::" ? "::1" : named

// The default agent would use a proxy that the environment names.
const options = { host, port: port || 3000, path: "/readyz", agent: false, signal: AbortSignal.timeout(4_000) }
try {
  get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on("error", () => process.exit(1))
} catch {
  process.exit(1)
}

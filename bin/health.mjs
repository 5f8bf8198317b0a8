#!/usr/bin/env node
// For container engines: ends with 0 when the server of this machine is ready, as /readyz says, else with 1.
import { get } from "node:http"

const { HOST = "", PORT = "" } = process.env
const host = HOST === "" || HOST === "0.0.0.0" ? "127.0.0.1" : HOST === "::" ? "::1" : HOST

// No agent: that of all requests asks a proxy that the environment names.
const options = { host, port: PORT || 3000, path: "/readyz", agent: false, signal: AbortSignal.timeout(4_000) }
try {
  get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on("error", () => process.exit(1))
} catch {
  process.exit(1)
}

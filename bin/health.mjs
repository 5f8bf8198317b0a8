#!/usr/bin/env node
// For container engines: ends with 0 when the server of this machine is ready, as /readyz says, else with 1.
const { HOST = "", PORT = "" } = process.env
const host =
  HOST === "" || HOST === "0.0.0.0" ? "127.0.0.1" : HOST === "::" ? "[::1]" : HOST.includes(":") ? `[${HOST}]` : HOST

try {
  const { status } = await fetch(`http://${host}:${PORT || 3000}/readyz`, { signal: AbortSignal.timeout(4_000) })
  process.exit(status === 200 ? 0 : 1)
} catch {
  process.exit(1)
}

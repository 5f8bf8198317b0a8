import { readOptions } from "@lists-and-things/web/ProgramOptions"

export const usage = `Usage: lat-http [options]

Serves your lists: the REST API, the tools for AI clients, and the pages of the browser. Without DATABASE_URL it runs a
PostgreSQL of its own.

  --port N          port to listen on, in place of PORT; 0 takes a free one
  --host ADDRESS    address to listen on, in place of HOST
  --version         the version
  --help            this text

Everything else is set by variables, which docs/settings.md lists.
`

const shapes = {
  port: { type: "string" },
  host: { type: "string" },
  version: { type: "boolean", short: "V" },
  help: { type: "boolean", short: "h" }
} as const

export const parseOptions = (words: ReadonlyArray<string>) => readOptions("lat-http", shapes, words)

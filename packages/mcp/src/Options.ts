import { readOptions, WrongUsage } from "@lists-and-things/web/ProgramOptions"
import { Effect } from "effect"

export interface Options {
  readonly http: boolean
  readonly port: string | undefined
  readonly host: string | undefined
  readonly account: string | undefined
  readonly readOnly: boolean
  readonly noDelete: boolean
  readonly tools: ReadonlyArray<string> | undefined
  readonly version: boolean
  readonly help: boolean
}

export const usage = `Usage: lat-mcp [options]

Serves your lists as tools to an AI client (Model Context Protocol): over standard input and output, or over HTTP.

  --http            serve /mcp over HTTP instead, on PORT and HOST; every request needs an API key,
                    or the sign-in of the server at PUBLIC_URL
  --port N          port for --http
  --host ADDRESS    address for --http
  --account WHO     account to act for (id or email), where there are several and no LAT_API_KEY is set
  --read-only       only the tools that change nothing
  --no-delete       none of the tools that delete for good
  --tools a,b       only these tools
  --version         the version
  --help            this text

LAT_API_KEY       the API key to act with; on the embedded database it can be left out
LAT_ACCOUNT       the account to act for, where there is neither --account nor LAT_API_KEY
`

const shapes = {
  http: { type: "boolean" },
  port: { type: "string" },
  host: { type: "string" },
  account: { type: "string" },
  "read-only": { type: "boolean" },
  "no-delete": { type: "boolean" },
  tools: { type: "string" },
  version: { type: "boolean", short: "V" },
  help: { type: "boolean", short: "h" }
} as const

export const parseOptions = (words: ReadonlyArray<string>): Effect.Effect<Options, WrongUsage> =>
  Effect.gen(function* () {
    const values = yield* readOptions("lat-mcp", shapes, words)
    const http = values.http ?? false
    const misplaced = http
      ? values.account !== undefined && "--account is for standard input; over HTTP every request has an API key"
      : (values.port ?? values.host) !== undefined && "--port and --host are for --http"
    if (misplaced !== false) return yield* new WrongUsage({ message: misplaced })
    return {
      http,
      port: values.port,
      host: values.host,
      account: values.account,
      readOnly: values["read-only"] ?? false,
      noDelete: values["no-delete"] ?? false,
      tools: values.tools
        ?.split(",")
        .map((name) => name.trim())
        .filter((name) => name !== ""),
      version: values.version ?? false,
      help: values.help ?? false
    }
  })

/** For a person who starts it by hand and sees nothing happen. */
export const onTerminal = (lat: (words: string) => string): string =>
  `Waiting for an AI client on standard input. To connect one: ${lat("setup --assistant NAME")}; --http serves over HTTP; Ctrl-C ends it.\n`

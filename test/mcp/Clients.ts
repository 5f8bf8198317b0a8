import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as OldStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as OldHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Ajv2020 } from "ajv/dist/2020.js"
import { expect } from "@effect/vitest"

/** The clients in use: the present SDK in the newest and in the older protocol, and its maintenance line. */
export const clientKinds = ["present SDK, 2026-07-28", "present SDK, older protocol", "maintenance SDK"] as const
export type ClientKind = (typeof clientKinds)[number]

export const root = join(import.meta.dirname, "../..")
/** JSON that a server answered: each test says what it expects of it. */
// oxlint-disable-next-line typescript/no-explicit-any -- its form is what the tests are about
export type Json = any

const info = { name: "tests", version: "1.0.0" }

interface ListedTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: Json
  readonly outputSchema?: Json
  readonly annotations?: Json
}

interface Result {
  readonly isError: boolean
  /** Of the first content item. */
  readonly text: string
  readonly items: number
  readonly json: Json
}

export interface Connection {
  readonly tools: ReadonlyArray<ListedTool>
  readonly client: Json
  /** A call; what a success holds is checked against the tool's advertised schema. */
  readonly call: (name: string, args?: object) => Promise<Result>
  readonly ok: (name: string, args?: object) => Promise<Json>
  readonly fails: (name: string, args: object | undefined) => Promise<string>
  readonly close: () => Promise<void>
}

export interface HttpTarget {
  readonly url: string
  readonly token: string
}

export interface StdioTarget {
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

export const overHttp = (kind: ClientKind, { url, token }: HttpTarget): Promise<Connection> => {
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const address = new URL(`${url}/mcp`)
  return kind === "maintenance SDK"
    ? connected(new OldClient(info), new OldHttpTransport(address, { requestInit }))
    : connected(presentClient(kind), new StreamableHTTPClientTransport(address, { requestInit }))
}

/** Starts `lat-mcp` as a client's configuration does. */
export const overStdio = (kind: ClientKind, target: StdioTarget = {}): Promise<Connection> => {
  const command = {
    command: join(root, "node_modules/.bin/node"),
    args: [join(root, "bin/lat-mcp.mjs"), ...(target.args ?? [])],
    env: {
      PATH: process.env["PATH"] ?? "",
      LAT_STORAGE: "memory",
      ...target.env
    },
    stderr: "pipe" as const
  }
  return kind === "maintenance SDK"
    ? connected(new OldClient(info), new OldStdioTransport(command))
    : connected(presentClient(kind), new StdioClientTransport(command))
}

const presentClient = (kind: ClientKind) =>
  new Client(info, {
    versionNegotiation: { mode: kind === "present SDK, 2026-07-28" ? { pin: "2026-07-28" } : "legacy" }
  })

const connected = async (client: Json, transport: Json): Promise<Connection> => {
  await client.connect(transport)
  const { tools } = (await client.listTools()) as { tools: ReadonlyArray<ListedTool> }
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
  const validators = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.outputSchema)]))

  const call = async (name: string, args?: object): Promise<Result> => {
    const result = await client.callTool({ name, ...(args === undefined ? {} : { arguments: args }) })
    const isError = result.isError === true
    const text = String(result.content[0]?.text)
    if (!isError) {
      const validate = validators.get(name)
      if (validate !== undefined && !validate(result.structuredContent)) {
        throw new Error(`${name}: ${ajv.errorsText(validate.errors)}`)
      }
      expect(JSON.parse(text)).toEqual(result.structuredContent)
    }
    return { isError, text, items: result.content.length, json: result.structuredContent }
  }
  const ok = async (name: string, args?: object) => {
    const result = await call(name, args)
    if (result.isError) throw new Error(`${name} failed: ${result.text}`)
    return result.json
  }
  const fails = async (name: string, args: object | undefined) => {
    const result = await call(name, args)
    expect(result.isError, `${name} should fail`).toBe(true)
    return result.text
  }
  return { tools, client, call, ok, fails, close: () => client.close() as Promise<void> }
}

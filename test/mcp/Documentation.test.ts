import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { allTools } from "@lists-and-things/mcp/Toolbox"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { type Json, root } from "./Clients.ts"
import { type McpServer, startServer } from "./McpServer.ts"

const text = readFileSync(join(root, "docs/mcp.md"), "utf8")
const readme = readFileSync(join(root, "README.md"), "utf8")
const blocks = [...text.matchAll(/```json\n(.*?)```/gs), ...readme.matchAll(/^(\{ "mcpServers".*)$/gm)]
const configs = blocks.map(([, json]) => JSON.parse(json!))

let server: McpServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

/** Connects as a client with this configuration would: starts the command, or uses the address. */
const transportOf = (entry: Json, token: string) => {
  if (entry.command === undefined) {
    const headers = { Authorization: String(entry.headers.Authorization).replace(/\$\{[^}]*\}/, token) }
    const url = new URL(String(entry.url).replace("http://localhost:3000", server.url))
    return new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  }
  const args = (entry.args as ReadonlyArray<string>).map((arg) => arg.replace("/path/to/lists-and-things", root))
  const env = { PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`, LAT_STORAGE: "memory" }
  return new StdioClientTransport({ command: entry.command, args, env, stderr: "pipe" })
}

describe("the configurations in the documentation", () => {
  it("are eight or more, for stdio and for HTTP", () => {
    const entries = configs.map((config) => Object.values<Json>(config.mcpServers ?? config.servers)[0])
    expect(entries.filter((entry) => entry.command !== undefined).length).toBeGreaterThanOrEqual(5)
    expect(entries.filter((entry) => entry.url !== undefined).length).toBeGreaterThanOrEqual(3)
  })

  it.each(configs.map((config, at) => [at + 1, config] as const))("number %i connects", async (_at, config) => {
    const [entry] = Object.values<Json>(config.mcpServers ?? config.servers)
    const { token } = await server.person()
    const client = new Client({ name: "tests", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(transportOf(entry, token))
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(entry.args?.includes("--no-delete") === true ? 24 : 27)
    const result = await client.callTool({ name: "get_today", arguments: {} })
    expect(result.isError).toBeFalsy()
    await client.close()
  })
})

it("the table names every tool with its scope", () => {
  for (const { name, scopes } of allTools) {
    expect(
      text
        .split("\n")
        .some((line) => line.includes(`\`${name}\``) && scopes.every((scope) => line.includes(`\`${scope}\``))),
      name
    ).toBe(true)
  }
})

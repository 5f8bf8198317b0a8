import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { clientKinds, overHttp, overStdio } from "./Clients.ts"
import { useEveryTool } from "./EveryTool.ts"
import { type McpServer, startServer } from "./McpServer.ts"

let server: McpServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

describe.each(clientKinds)("every tool, with good and bad arguments, by the %s", (kind) => {
  it("over HTTP", async () => {
    const { token } = await server.person()
    const mcp = await overHttp(kind, { url: server.url, token })
    await useEveryTool(mcp)
    await mcp.close()
  })

  it("over stdio", async () => {
    const mcp = await overStdio(kind)
    await useEveryTool(mcp)
    await mcp.close()
  })

  it("an unknown tool is an error of the protocol", async () => {
    const { token } = await server.person()
    const mcp = await overHttp(kind, { url: server.url, token })
    await expect(mcp.client.callTool({ name: "get_lists", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("Did you mean list_lists?")
    })
    await mcp.close()
  })
})

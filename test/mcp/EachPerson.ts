import { afterAll, beforeAll, beforeEach } from "@effect/vitest"
import { type Connection, overHttp } from "./Clients.ts"
import { type McpServer, type Person, type PersonOptions, startServer } from "./McpServer.ts"

/** Starts a server for the tests of a file, and connects a new person for each test. */
export const forEachPerson = (
  connect: (mcp: Connection, person: Person, server: McpServer) => void,
  options: PersonOptions = {}
): void => {
  let server: McpServer
  beforeAll(async () => {
    server = await startServer()
  })
  beforeEach(async () => {
    const person = await server.person(options)
    connect(await overHttp("present SDK, 2026-07-28", { url: server.url, token: person.token }), person, server)
  })
  afterAll(() => server.stop())
}

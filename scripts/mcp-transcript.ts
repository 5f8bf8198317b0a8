import { overHttp } from "../test/mcp/Clients.ts"
import { startServer } from "../test/mcp/McpServer.ts"
import { planADay } from "../test/mcp/PlanADay.ts"

/** Prints the transcript of docs/mcp.md: requests of the client as `→`, then the answers, long ones shortened. */
const shown = (answer: unknown) => {
  const text = JSON.stringify(answer)
  return text.length > 640 ? `${text.slice(0, 640)}…` : text
}

const server = await startServer()
const { token } = await server.person()
const mcp = await overHttp("present SDK, 2026-07-28", { url: server.url, token })
await mcp.ok("create_list", { title: "Errands", things: [{ text: "Dentist" }, { text: "Post office" }] })
const rest = async (path: string) =>
  (await fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).json()
await planADay(mcp, rest, (call, answer) => console.log(`→ ${call}\n${shown(answer)}\n`))
await mcp.close()
await server.stop()

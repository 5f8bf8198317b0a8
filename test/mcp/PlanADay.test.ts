import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { type Json, clientKinds, overHttp } from "./Clients.ts"
import { type McpServer, startServer } from "./McpServer.ts"
import { planADay } from "./PlanADay.ts"

let server: McpServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

it.each(clientKinds)("the %s plans a day, and REST reads what it made", async (kind) => {
  const { token } = await server.person()
  const mcp = await overHttp(kind, { url: server.url, token })
  await mcp.ok("create_list", { title: "Errands", things: [{ text: "Dentist" }, { text: "Post office" }] })
  const rest = async (path: string) =>
    (await fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).json()
  const { dentist, reminder, day } = await planADay(mcp, rest, () => undefined)
  await mcp.close()
  expect(day.list.title).toBe("2027-03-01")
  expect(day.things.map((thing: Json) => [thing.text, thing.tabs, thing.header, thing.tags])).toEqual([
    ["Morning", 0, true, []],
    ["Write the report", 0, false, ["work"]],
    ["Collect the numbers", 1, false, []],
    ["Dentist", 0, false, []]
  ])
  expect(dentist.list_id).toBe(day.list.id)
  expect(day.reminders).toEqual([reminder])
  expect([reminder.at, reminder.alert_minutes]).toEqual(["2027-03-01T13:30:00.000Z", 30])
})

import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { type Connection, type Json, clientKinds, overHttp } from "./Clients.ts"
import { type McpServer, startServer } from "./McpServer.ts"

let server: McpServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

/** Plans a day by five tools; answers the id of the thing that was moved to it. */
const planADay = async (mcp: Connection): Promise<string> => {
  const found = await mcp.ok("search", { query: "dentist" })
  const dentist = found.things[0].id as string
  await mcp.ok("get_today", { date: "2027-03-01" })
  await mcp.ok("create_things", {
    list: "2027-03-01",
    items: [
      { text: "Morning", header: true, type: "none" },
      { text: "Write the report", tags: ["work"] },
      { text: "Collect the numbers", tabs: 1 }
    ],
    request_id: "plan-2027-03-01"
  })
  await mcp.ok("set_reminder", { thing_id: dentist, at: "2027-03-01T14:30", alert_minutes: 30 })
  await mcp.ok("update_thing", { thing_id: dentist, list: "2027-03-01" })
  return dentist
}

it.each(clientKinds)("the %s plans a day, and REST reads what it made", async (kind) => {
  const { token } = await server.person({ timezone: "Europe/Vienna" })
  const mcp = await overHttp(kind, { url: server.url, token })
  await mcp.ok("create_list", { title: "Errands", things: [{ text: "Dentist" }, { text: "Post office" }] })
  const id = await planADay(mcp)
  await mcp.close()
  const read = async (path: string): Promise<Json> =>
    (await fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).json()
  const day = await read("/today?date=2027-03-01")
  const { reminder, thing } = await read(`/things/${id}`)
  expect(day.list.title).toBe("2027-03-01")
  expect(day.things.map((each: Json) => [each.text, each.tabs, each.header, each.tags])).toEqual([
    ["Morning", 0, true, []],
    ["Write the report", 0, false, ["work"]],
    ["Collect the numbers", 1, false, []],
    ["Dentist", 0, false, []]
  ])
  expect(thing.list_id).toBe(day.list.id)
  expect(day.reminders).toEqual([reminder])
  expect([reminder.at, reminder.alert_minutes]).toEqual(["2027-03-01T13:30:00.000Z", 30])
})

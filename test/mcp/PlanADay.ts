import { type Json, type Connection } from "./Clients.ts"

/** What a client did, and what it was answered. */
export type Say = (call: string, answer: unknown) => void

export type Rest = (path: string) => Promise<Json>

export interface Planned {
  readonly dentist: Json
  readonly reminder: Json
  readonly day: Json
}

/** A client plans a day by five tools; what it made is then read over REST. */
export const planADay = async (mcp: Connection, rest: Rest, say: Say): Promise<Planned> => {
  const call = async (name: string, args: object) => {
    const answer = await mcp.ok(name, args)
    say(`${name} ${JSON.stringify(args)}`, answer)
    return answer
  }
  const found = await call("search", { query: "dentist" })
  const dentist = found.things[0].id as string
  await call("get_today", { date: "2027-03-01" })
  await call("create_things", {
    list: "2027-03-01",
    items: [
      { text: "Morning", header: true, type: "none" },
      { text: "Write the report", tags: ["work"] },
      { text: "Collect the numbers", tabs: 1 }
    ],
    request_id: "plan-2027-03-01"
  })
  await call("set_reminder", { thing_id: dentist, at: "2027-03-01T14:30", alert_minutes: 30 })
  await call("update_thing", { thing_id: dentist, list: "2027-03-01" })

  const read = async (path: string) => {
    const answer = await rest(path)
    say(`GET /api/v1${path}`, answer)
    return answer
  }
  const day = await read("/today?date=2027-03-01")
  const { thing, reminder } = await read(`/things/${dentist}`)
  return { dentist: thing, reminder, day }
}

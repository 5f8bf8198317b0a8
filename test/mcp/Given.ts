import type { Connection, Json } from "./Clients.ts"

/** A list of so many things, `Thing 0` first, with further fields of each. */
export const listOf = async (mcp: Connection, count: number, more: (at: number) => object = () => ({})) => {
  const things = Array.from({ length: count }, (_, at) => ({ text: `Thing ${at}`, ...more(at) }))
  return (await mcp.ok("create_list", { title: "Long", things })).list
}

/** Sets a reminder on each thing. */
export const remind = async (mcp: Connection, things: ReadonlyArray<Json>, reminder: (at: number) => object) => {
  for (const [at, thing] of things.entries()) await mcp.ok("set_reminder", { thing_id: thing.id, ...reminder(at) })
}

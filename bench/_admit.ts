import { startTestPostgres } from "@lists-and-things/storage-pg/testing/TestServer"
import pgDriver from "pg"
import { makeWorld } from "./World.ts"
import { readFileSync } from "node:fs"
const pg = await startTestPostgres({ version: 18, settings: ["shared_buffers=512MB"] })
const world = await makeWorld(pg, "large", 50000)
const client = new pgDriver.Client({ connectionString: world.databaseUrl }); await client.connect()
const pid = (await client.query("select pg_backend_pid() as pid")).rows[0].pid
const sched = () => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e3
const { big } = world
const keyId = (await client.query("select id, secret_hash from api_keys where owner_id=$1", [big.id])).rows[0]
const thing = (await client.query("select id from things where owner_id=$1 limit 1", [big.id])).rows[0].id
await client.query(`set plan_cache_mode = ${process.env.PLAN ?? "auto"}`)
const keys = (await client.query("select id, secret_hash from api_keys limit 32")).rows
await client.query(readFileSync(new URL("./_fn.sql", import.meta.url), "utf8"))
import { startProduct } from "./Processes.ts"
import { call, items, makeList } from "./PairRows.ts"
const ours = await startProduct(world.databaseUrl)
const hundred = await makeList(ours, big, 100)
const { value: day } = await call(ours, big, `/today?date=2030-01-01`)
await call(ours, big, "/things/bulk", { list_id: day.list.id, items: items(20) })
for (let i = 0; i < 40; i++) await call(ours, world.writers[0]!, "/things/bulk", { list_id: (i === 0 ? (globalThis as any).L = await makeList(ours, world.writers[0]!, 1) : (globalThis as any).L), items: items(500) })
if (process.env.ANALYZE) await client.query("analyze")
await ours.stop()
const { statements } = await import(process.argv[2]!)
for (let round = 0; round < 3; round++) for (const [name, make] of Object.entries(statements) as any) {
  const { text, values } = make({ key: keyId, owner: big.id, thing, keys, hundred })
  const run = () => client.query({ name, text, values: values() })
  for (let i = 0; i < 50; i++) await run()
  const [c, t] = [sched(), performance.now()]
  const n = name.endsWith('32') ? 300 : 1500
  for (let i = 0; i < n; i++) await run()
  console.log(name.padEnd(20), ((sched() - c) / n).toFixed(0), "µs backend cpu", (((performance.now() - t) / n) * 1000).toFixed(0), "µs wall")
}
if (process.argv[3]) { const { text, values } = statements[process.argv[3]]({ key: keyId, owner: big.id, thing, hundred }); await client.query("set plan_cache_mode=force_generic_plan"); await client.query(`prepare x as ${text}`); const v = values().map((x: any) => typeof x === "number" ? x : `'${x}'`).join(","); for (let i=0;i<3;i++) await client.query(`execute x(${v})`); console.log((await client.query(`explain (analyze, verbose off, buffers off) execute x(${v})`)).rows.map((r: any) => r["QUERY PLAN"]).join("\n")) }
await client.end(); await pg.stop()

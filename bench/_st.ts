import { accountColumns, keyColumns } from "../packages/storage-pg/src/Rows.ts"
import { admit, stamps } from "../packages/storage-pg/src/accounts/KeyStore.ts"
const hour = 3600000
const values = (key: any) => () => { const now = Date.now(); return [now, Math.floor(now / 60000) * 60000, JSON.stringify([{ id: key.id, secretHash: key.secret_hash, requests: 1 }])] }
const single = (sql: string) => sql.replace('${join}','').replace('), locked as', ' where presented.requests % 1 = 0), locked as')
const lateral = (sql: string) => sql.replace(/join api_keys k on k.id = presented.id and k.secret_hash = presented."secretHash" and k.revoked is null/, `cross join lateral (select * from api_keys k where k.id = presented.id and k.secret_hash = presented."secretHash" and k.revoked is null limit 1) k`).replace(/join accounts a on a.id = k.owner_id/, "cross join lateral (select * from accounts a where a.id = k.owner_id limit 1) a").replace(/join write_clocks w on w.owner_id = k.owner_id/, "cross join lateral (select * from write_clocks w where w.owner_id = k.owner_id limit 1) w").replace("from found join key_counts r on r.owner_id = found.owner_id and r.key_id = found.key_id","from found join key_counts r on r.owner_id = found.owner_id and r.key_id = found.key_id")
const fast = (sql: string) => sql.replace(/extended as \([^]*returning u.key_id, u.window_start, u.used, u.granted\n  \), /, "").replace("e.used as counted", "null::int as counted").replace("coalesce(e.granted, 0))", "0)").replace("coalesce(e.granted, 0)", "0").replace("least(requests, reserved + 0)","least(requests, reserved)").replace("coalesce(e.window_start, asked.window_start)","asked.window_start").replace("from asked left join extended e on e.key_id = asked.key_id","from asked")

const fn = (name: string) => `select ${keyColumns}, ${accountColumns}, w.last_write::float8, w.settings_changed::float8, c.window_start::float8, c.used, c.admitted, c.last_used::float8
  from json_to_recordset($3::json) as presented ("id" text, "secretHash" text, requests int4)
    join api_keys k on k.id = presented.id and k.secret_hash = presented."secretHash" and k.revoked is null
    join accounts a on a.id = k.owner_id
    join write_clocks w on w.owner_id = k.owner_id cross join lateral ${name}(k.owner_id, k.id, presented.requests, k.rate_limit, $1, $2, false) c where presented.requests % 1 = 0`
const many = (keys: any) => () => { const now = Date.now(); return [now, Math.floor(now / 60000) * 60000, JSON.stringify(keys.map((key: any) => ({ id: key.id, secretHash: key.secret_hash, requests: 1 })))] }
export const statements = {
  one: () => ({ text: "select 1", values: () => [] }),
  floor: ({ owner, thing }: any) => ({ text: "select * from things where owner_id=$1 and id=$2", values: () => [owner, thing] }),
  admit: ({ key }: any) => ({ text: admit("skip", stamps), values: values(key) }),
  single: ({ key }: any) => ({ text: single(admit("skip", stamps)), values: values(key) }),
  fn: ({ key }: any) => ({ text: fn("count_requests"), values: values(key) }),
  fn2: ({ key }: any) => ({ text: fn("count_requests2"), values: values(key) }),
  admit32: ({ keys }: any) => ({ text: admit("skip", stamps), values: many(keys) }),
  single32: ({ keys }: any) => ({ text: single(admit("skip", stamps)), values: many(keys) }),
  fn32: ({ keys }: any) => ({ text: fn("count_requests"), values: many(keys) }),
  fn232: ({ keys }: any) => ({ text: fn("count_requests2"), values: many(keys) }),
}

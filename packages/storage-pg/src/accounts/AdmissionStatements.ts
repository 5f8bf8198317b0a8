import { clockTolerance } from "@lists-and-things/domain/days/ClockSkew"
import { msPerHour, msPerSecond } from "@lists-and-things/domain/model/EpochMillis"
import type { LockMode } from "../connection/Batcher.ts"
import { accountColumns, keyColumns } from "./AccountRows.ts"

/** SQL: whether the window of a row is open at `$1`. */
const isOpen = (row: "u" | "r"): string =>
  `$1::bigint between ${row}.window_start - ${clockTolerance} and ${row}.window_start + ${msPerHour - 1}`

/** SQL for the second of `$1`, with which a window begins: its end is then exact to the second (`X-RateLimit-Reset`). */
const thisSecond = `($1::bigint - $1::bigint % ${msPerSecond})`

/** SQL for what `key_usage` counts in that window before this statement, and for how many more it can. */
const durable = `case when ${isOpen("u")} then u.used else 0 end`
const granted = `least(asked.wanted, greatest(asked.rate_limit - (${durable}), 0))`

/** SQL for how many requests are counted durably in advance, and so lost in a crash: a hundredth of the limit. */
const inAdvance = "(locked.rate_limit + 99) / 100"

/** With the write timestamps of the accounts, where they lie on the same server. */
export const stamps = {
  columns: ", w.last_write::float8, w.settings_changed::float8",
  join: "join write_clocks w on w.owner_id = k.owner_id"
}
export const noStamps: typeof stamps = { columns: "", join: "" }

/**
 * The counting statement, one per batch of requests for any number of keys. `key_counts` has the exact count and costs no
 * log; where that would pass what `key_usage` has counted, this counts more in advance, which is durable (ADR 81). A key
 * whose row in `key_counts` a crash has emptied is contended.
 */
export const admit = (whenLocked: LockMode, { columns, join }: typeof stamps): string => `with found as materialized (
    select ${keyColumns}, ${accountColumns}${columns}, presented.requests
    from json_to_recordset($3::json) as presented ("id" text, "secretHash" text, requests int4)
    join api_keys k on k.id = presented.id and k.secret_hash = presented."secretHash" and k.revoked is null
    join accounts a on a.id = k.owner_id
    ${join}
    -- Always true. For the planner, which else expects a hundred rows here and reads whole tables for them.
    where presented.requests % 1 = 0
  ), locked as materialized (
    select r.owner_id, r.key_id, found.requests, found.rate_limit, r.window_start, r.last_used,
      case when ${isOpen("r")} then r.used else 0 end as used,
      case when ${isOpen("r")} then r.reserved else 0 end as reserved,
      case when r.last_used - $2::bigint > ${clockTolerance} then $2::bigint
        else greatest(r.last_used, $2::bigint) end as now_used
    from found join key_counts r on r.owner_id = found.owner_id and r.key_id = found.key_id
    for update of r ${whenLocked === "skip" ? "skip locked" : ""}
  ), asked as materialized (
    select locked.*, case when requests <= reserved then 0
      else greatest(least(requests - reserved + ${inAdvance}, rate_limit - used - reserved), 0) end as wanted
    from locked
  ), extended as (
    update key_usage u set
      window_start = case when ${isOpen("u")} then u.window_start else ${thisSecond} end,
      used = ${durable} + ${granted},
      granted = ${granted},
      last_used = asked.now_used
    from asked where u.owner_id = asked.owner_id and u.key_id = asked.key_id
      and (asked.wanted > 0 or asked.now_used is distinct from asked.last_used)
    returning u.key_id, u.window_start, u.used, u.granted
  ), answer as materialized (
    select asked.*, least(requests, reserved + coalesce(e.granted, 0)) as admitted, e.used as counted,
      coalesce(e.granted, 0) as granted, coalesce(e.window_start, asked.window_start) as open_since
    from asked left join extended e on e.key_id = asked.key_id
  ), counted as (
    update key_counts r set
      window_start = a.open_since,
      used = coalesce(a.counted - a.reserved - a.granted, a.used) + a.admitted,
      reserved = a.reserved + a.granted - a.admitted,
      last_used = a.now_used
    from answer a where r.owner_id = a.owner_id and r.key_id = a.key_id
    returning r.key_id, r.window_start, r.used, r.reserved, a.admitted, r.last_used
  )
  select found.*, counted.window_start::float8, counted.used, counted.reserved, counted.admitted,
    counted.last_used::float8
  from found left join counted on counted.key_id = found.key_id`

/**
 * The same for one key alone, `$3` with the hash `$4` and `$5` requests, where they are counted in advance already and the
 * key was used in this minute. No row where they are not, or the key is contended or unknown: nothing is counted then.
 * The physical location of the row is not in the answer: the driver reads it as text, which most locations are not.
 */
export const admitInAdvance = ({ columns, join }: typeof stamps): string => `with found as materialized (
    select ${keyColumns}, ${accountColumns}${columns}
    from api_keys k
    join accounts a on a.id = k.owner_id
    ${join}
    where k.id = $3 and k.secret_hash = $4 and k.revoked is null
  ), locked as materialized (
    select r.ctid as place
    from found join key_counts r on r.owner_id = found.owner_id and r.key_id = found.key_id
    where ${isOpen("r")} and r.reserved >= $5::int4 and r.last_used - $2::bigint between 0 and ${clockTolerance}
    for update of r skip locked
  ), counted as (
    update key_counts r set used = r.used + $5::int4, reserved = r.reserved - $5::int4
    from locked where r.ctid = locked.place
    returning r.window_start, r.used, r.reserved, r.last_used
  )
  select found.*, counted.window_start::float8, counted.used, counted.reserved, $5::int4 as admitted,
    counted.last_used::float8
  from found, counted`

/** Creates missing rows of keys, with nothing counted in advance. */
export const restore = `insert into key_counts (owner_id, key_id, window_start, used, reserved, last_used)
  select owner_id, key_id, -${msPerHour}, 0, 0, null from key_usage
  where key_id in (select id from json_to_recordset($1::json) as presented (id text))
  on conflict do nothing`

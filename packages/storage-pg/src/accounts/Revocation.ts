import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import type { Database } from "../connection/Database.ts"

/** Rows that one statement revokes at most: few enough that it ends well within the statement timeout. */
export const revokedPerStep = 2_000

/** Revokes those of an account ($1) behind an id ($3); answers a row with the last id, or none when none is left. */
const step = (table: string, idType: string): string => `with found as materialized (
    select t.ctid as at, t.id from ${table} t where t.owner_id = $1 and t.id > $3::${idType} and t.revoked is null
    order by t.id limit ${revokedPerStep}
  ), changed as (
    update ${table} t set revoked = $2::bigint where t.ctid = any (array(select at from found)) and t.revoked is null
    returning 1
  )
  select (select count(*) from changed)::int4 as revoked, id::text as last from found order by id desc limit 1`

const tables = {
  api_keys: { first: "", step: step("api_keys", "text") },
  oauth_grants: { first: "00000000-0000-0000-0000-000000000000", step: step("oauth_grants", "uuid") }
}

/** Revokes all rows of an account that are not revoked, in statements of so many; returns how many. */
export const revokeAllOf = (
  db: Database["Service"],
  table: keyof typeof tables,
  owner: AccountId,
  now: EpochMillis
): Stored<number> =>
  Effect.gen(function* () {
    let revoked = 0
    for (let last = tables[table].first; ;) {
      const [row] = yield* db.write(tables[table].step, [owner, now, last])
      if (row === undefined) return revoked
      revoked += row.revoked as number
      last = row.last as string
    }
  })

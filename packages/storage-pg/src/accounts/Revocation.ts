import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { inChunks, chunkStatement, updating } from "../Chunks.ts"
import type { Database } from "../connection/Database.ts"
import { nilId } from "../Ids.ts"

const revoking = (table: string, idType: string): string => {
  const only = "d.revoked is null"
  const change = updating(table, "set revoked = $3::bigint", only)
  return chunkStatement({ table, of: [["owner_id", "uuid"]], order: [["id", idType]], only, change })
}

const tables = {
  api_keys: { start: [""], sql: revoking("api_keys", "text") },
  oauth_grants: { start: [nilId], sql: revoking("oauth_grants", "uuid") }
}

/** Revokes all rows of an account that are not revoked, in statements of so many; returns how many. */
export const revokeAllOf = (
  db: Database["Service"],
  table: keyof typeof tables,
  owner: AccountId,
  now: EpochMillis
): Stored<number> => inChunks(db, tables[table].sql, { of: [owner], start: tables[table].start, rest: [now] })

import type { Row } from "@effect/sql-pg/PgConnection"
import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import { type Entity, type EntityKey, type EntityType, entityTypes } from "@lists-and-things/domain/model/Operation"
import type { StatePart } from "@lists-and-things/domain/ports/HistoryStore"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import type { Database } from "../connection/Database.ts"
import { settingsColumns } from "../Rows.ts"
import * as Tables from "../Tables.ts"
import { entityOf } from "./OperationRows.ts"

/** `id` is the column of the id. */
const selects: Readonly<Record<EntityType, { readonly sql: string; readonly id: string }>> = {
  account: { sql: `select ${settingsColumns} from accounts a where a.id = $1`, id: "a.id" },
  place: { sql: `select ${Tables.places.selected} from places p where p.owner_id = $1`, id: "p.id" },
  list: { sql: `select ${Tables.lists.selected} from lists l where l.owner_id = $1`, id: "l.id" },
  thing: { sql: `select ${Tables.things.selected} from things t where t.owner_id = $1`, id: "t.id" },
  reminder: { sql: `select ${Tables.reminders.selected} from reminders r where r.owner_id = $1`, id: "r.id" }
}

const parts: Readonly<Record<StatePart, { readonly type: EntityType; readonly where: string }>> = {
  account: { type: "account", where: "" },
  places: { type: "place", where: "" },
  lists: { type: "list", where: "" },
  originals: { type: "thing", where: "and t.clone_of is null" },
  copies: { type: "thing", where: "and t.clone_of is not null" },
  reminders: { type: "reminder", where: "" }
}

/** Below every id. */
const beforeAll = "00000000-0000-0000-0000-000000000000"

/** Entities as they are now. */
export const makeState = (db: Database["Service"]) => {
  const ofType = (owner: AccountId, type: EntityType, ids: ReadonlyArray<string>): Stored<ReadonlyArray<Row>> => {
    const { id, sql } = selects[type]
    return db.readLong(`${sql} and ${id} = any ($2::uuid[])`, [owner, ids])
  }

  return {
    current: Effect.fnUntraced(function* (owner: AccountId, keys: ReadonlyArray<EntityKey>) {
      const byType = Map.groupBy(
        keys.filter(({ id }) => isIdForm(id)),
        ({ type }) => type
      )
      const found = new Map<string, Entity>()
      for (const type of entityTypes) {
        const ids = (byType.get(type) ?? []).map(({ id }) => id)
        if (ids.length === 0) continue
        for (const row of yield* ofType(owner, type, ids))
          found.set(`${type} ${row.id as string}`, entityOf(owner, type, row))
      }
      return keys.map(({ id, type }) => found.get(`${type} ${id}`)).filter((entity) => entity !== undefined)
    }),
    state: (
      owner: AccountId,
      part: StatePart,
      after: string | undefined,
      limit: number
    ): Stored<ReadonlyArray<Entity>> => {
      const { type, where } = parts[part]
      const { id, sql } = selects[type]
      return Effect.map(
        db.readLong(`${sql} ${where} and ${id} > $2::uuid order by ${id} limit $3`, [owner, after ?? beforeAll, limit]),
        (rows) => rows.map((row) => entityOf(owner, type, row))
      )
    }
  }
}

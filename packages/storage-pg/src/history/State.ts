import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import {
  type Entity,
  type EntityKey,
  type EntityType,
  entityTypes,
  keyText
} from "@lists-and-things/domain/model/Operation"
import type { StatePart } from "@lists-and-things/domain/ports/HistoryStore"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { chunksOf } from "@lists-and-things/domain/scheduling/Chunks"
import { forEachYielding, mapYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { Effect } from "effect"
import type { Database } from "../connection/Database.ts"
import { nilId } from "../Ids.ts"
import { entityOf, entitySources } from "./OperationRows.ts"

const parts: Readonly<Record<StatePart, { readonly type: EntityType; readonly where: string }>> = {
  account: { type: "account", where: "" },
  places: { type: "place", where: "" },
  lists: { type: "list", where: "" },
  originals: { type: "thing", where: "and t.clone_of is null" },
  copies: { type: "thing", where: "and t.clone_of is not null" },
  reminders: { type: "reminder", where: "" }
}

/** One look-up of each id, however large the planner takes the account for. */
const byEach = Object.fromEntries(
  entityTypes.map((type) => {
    const { id, select } = entitySources[type]
    const found = `${select} and ${id} = given.id limit 1`
    return [type, `select found.* from unnest($2::uuid[]) as given (id) cross join lateral (${found}) as found`]
  })
) as Readonly<Record<EntityType, string>>

/** Entities per statement, whose rows arrive in one turn of the event loop. */
const perRead = 1_000

/** Entities as they are now. */
export const makeState = (db: Database["Service"]) => ({
  current: Effect.fnUntraced(function* (owner: AccountId, keys: ReadonlyArray<EntityKey>) {
    const byType = Map.groupBy(
      keys.filter(({ id }) => isIdForm(id)),
      ({ type }) => type
    )
    const found = new Map<string, Entity>()
    for (const type of entityTypes) {
      const ids = (byType.get(type) ?? []).map(({ id }) => id)
      for (const some of chunksOf(ids, perRead)) {
        const rows = yield* db.readLong(byEach[type], [owner, some])
        yield* forEachYielding(rows, (row) => {
          found.set(keyText({ type, id: row.id as string }), entityOf(owner, type, row))
        })
      }
    }
    const inOrder = yield* mapYielding(keys, (key) => found.get(keyText(key)))
    return inOrder.filter((entity) => entity !== undefined)
  }),
  state: (
    owner: AccountId,
    part: StatePart,
    after: string | undefined,
    limit: number
  ): Stored<ReadonlyArray<Entity>> => {
    const { type, where } = parts[part]
    const { id, select } = entitySources[type]
    return Effect.map(
      db.readLong(`${select} ${where} and ${id} > $2::uuid order by ${id} limit $3`, [owner, after ?? nilId, limit]),
      (rows) => rows.map((row) => entityOf(owner, type, row))
    )
  }
})

import type { Outdated } from "@lists-and-things/domain/days/ClockSkew"
import { Effect } from "effect"
import type { Database } from "./connection/Database.ts"

/** A table whose outdated rows are removed, by an indexed column. */
interface Pruned {
  readonly table: string
  /** The columns of the primary key; without the owner where it is given. */
  readonly key: ReadonlyArray<string>
  /** The parameter with the owner whose rows are removed; of all owners when left out. */
  readonly owner?: string
  readonly column: string
  /** Condition that all removable rows fulfil. */
  readonly only?: string
  /** What to return per removed row; `1` when only their number matters. */
  readonly returning?: string
}

/**
 * Removes at most $3 rows whose column is below $1 or above $2, exclusive, from both ends of the column's index, so
 * that the rows in between are never read. Contended rows are skipped and left for a later run: concurrent processes
 * neither wait for each other nor deadlock.
 */
export const pruneStatement = ({ column, key, only = "true", owner, returning = "1", table }: Pruned): string => {
  const ofOwner = owner === undefined ? "true" : `owner_id = ${owner}::uuid`
  const end = (where: string, order: string) =>
    `(select ${key.join(", ")} from ${table} where ${only} and ${ofOwner} and ${where} order by ${column} ${order} limit $3
      for update skip locked)`
  const same = key.map((each) => `t.${each} = gone.${each}`).join(" and ")
  return `with old as ${end(`${column} < $1`, "asc")}, ahead as ${end(`${column} > $2`, "desc")},
    gone as (select * from old union all select * from ahead limit $3)
    delete from ${table} t using gone where ${ofOwner} and ${same} returning ${returning}`
}

/** Runs a `pruneStatement`; returns how many rows it removed. `others` are its parameters from $4 on. */
export const pruneBy =
  (db: Database["Service"]) =>
  (statement: string, outdated: Outdated, max: number, ...others: ReadonlyArray<string>) =>
    Effect.map(db.write(statement, [outdated.before, outdated.after, max, ...others]), (rows) => rows.length)

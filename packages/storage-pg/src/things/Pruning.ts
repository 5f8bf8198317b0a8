/** A table of which outdated rows are removed, by a column with an index. */
interface Pruned {
  readonly table: string
  /** The columns of its primary key. */
  readonly key: ReadonlyArray<string>
  readonly column: string
  /** What all of its removable rows have in common. */
  readonly only?: string
  /** `1` where nobody asks for more than how many. */
  readonly returning?: string
}

/**
 * Removes at most $3 rows whose column is below $1 or above $2, from both ends of the column's index, so that the rows
 * in between are never read. What another transaction has locked is left for later: processes that do the same at
 * once neither wait for each other nor end in a deadlock.
 */
export const pruneStatement = ({ column, key, only = "true", returning = "1", table }: Pruned): string => {
  const end = (where: string, order: string) =>
    `(select ${key.join(", ")} from ${table} where ${only} and ${where} order by ${column} ${order} limit $3
      for update skip locked)`
  const same = key.map((each) => `t.${each} = gone.${each}`).join(" and ")
  return `with old as ${end(`${column} < $1`, "asc")}, ahead as ${end(`${column} > $2`, "desc")},
    gone as (select * from old union all select * from ahead limit $3)
    delete from ${table} t using gone where ${same} returning ${returning}`
}

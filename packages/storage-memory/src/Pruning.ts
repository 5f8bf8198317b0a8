import { isOutdated, type Outdated } from "@lists-and-things/domain/days/ClockSkew"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** A `Map` or a `Table`. */
type Rows<A> = Pick<Map<string, A>, "entries" | "delete">

/** The keys of at most `max` outdated rows, oldest first. */
export const outdatedKeys = <A>(
  rows: Rows<A>,
  momentOf: (row: A) => EpochMillis | null,
  outdated: Outdated,
  max: number
): ReadonlyArray<string> =>
  Array.from(rows.entries(), ([key, row]) => ({ key, moment: momentOf(row) }))
    .filter(
      (each): each is { key: string; moment: EpochMillis } => each.moment !== null && isOutdated(each.moment, outdated)
    )
    .toSorted((a, b) => a.moment - b.moment)
    .slice(0, max)
    .map(({ key }) => key)

/** Removes outdated rows; returns how many. */
export const prune = <A>(
  rows: Rows<A>,
  momentOf: (row: A) => EpochMillis | null,
  outdated: Outdated,
  max: number
): number => {
  const old = outdatedKeys(rows, momentOf, outdated, max)
  for (const key of old) rows.delete(key)
  return old.length
}

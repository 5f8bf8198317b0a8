import type { AccountId } from "@lists-and-things/domain/model/Ids"
import type { OperationFilter } from "@lists-and-things/domain/ports/HistoryStore"
import type { Params } from "../connection/ConnectionPool.ts"
import { offsetOf } from "../Paging.ts"
import { indexed, operationColumns } from "./OperationRows.ts"

interface Statement {
  readonly sql: string
  readonly params: Params
}

/** The newest operations, among which those on a list or a thing are looked for before the index of entities is used. */
export const newest = 1_000

/**
 * One row more than the page, newest first. `owned` is the owner for statements that use the index of entities.
 *
 * Operations on a list or a thing are looked for among the newest ones, where a busy one has its first pages. Only if
 * these are too few, the index finds the older ones, however many, and they are ordered. Whole rows are read of the page
 * alone. The planner does not look into the subquery of the first limit, and so takes it for a tenth of an owner's
 * operations; if it knew that there are as many as it expects of an owner, it would rather read and sort all.
 *
 * Without these filters, operations are read in their order until there are enough of whom is asked for: the planner does
 * not know how many of an owner's there are, and would rather read and sort them all. It looks for the first rows of a
 * subquery alone where nothing is sorted above it, so what is chosen keeps that order, and is sorted at the end.
 */
export const pageStatement = (
  owner: AccountId,
  filter: OperationFilter,
  { owned, page, size }: { readonly owned: string; readonly page: number; readonly size: number }
): Statement => {
  const params: Array<Params[number]> = [owner]
  const parameter: Parameter = (value) => `$${params.push(value)}`
  const by = filter.byId === undefined ? "true" : `o.by_id = ${parameter(filter.byId)}`
  const times = timesOf(filter, parameter)
  const skipped = offsetOf(page, size)
  const paged = `limit ${parameter(size + 1)} offset ${parameter(skipped)}`
  const inOrder = `select * from operations o where ${["o.owner_id = $1", ...times].join(" and ")} order by o.stamp desc`
  const entities = entitiesOf(filter, parameter)
  if (entities.length === 0) {
    const sql = `select ${operationColumns} from (
        select * from (${inOrder} offset 0) as o where ${by} ${paged}
      ) as o order by o.stamp desc`
    return { sql, params }
  }
  const wanted = parameter(skipped + size + 1)
  const older = [owned, ...times, "o.stamp < last.stamp", ...entities.map(ofIndexed), by].join(" and ")
  const sql = `with recent as materialized (
      select o.stamp, (${[by, ...entities.map(of)].join(" and ")}) is true as is_wanted
      from (${inOrder} limit (select ${parameter(newest + 2 * skipped)}::bigint)) as o
    ), first as materialized (
      select stamp from recent where is_wanted order by stamp desc limit ${wanted}
    ), last as materialized (
      select min(stamp) as stamp from recent having (select count(*) from first) < ${wanted}
    ), found as materialized (
      select stamp from first union all
      select o.stamp from last cross join lateral (select o.stamp from operations o where ${older} offset 0) as o
    ), shown as materialized (select stamp from found order by stamp desc ${paged})
    select ${operationColumns} from shown join operations o on o.owner_id = $1 and o.stamp = shown.stamp
    order by o.stamp desc`
  return { sql, params }
}

/** Adds a parameter; returns how the statement names it. */
type Parameter = (value: Params[number]) => string

const timesOf = ({ before, since }: OperationFilter, parameter: Parameter): ReadonlyArray<string> => [
  ...(since === undefined ? [] : [`o.stamp > ${parameter(since)}::bigint`]),
  ...(before === undefined ? [] : [`o.stamp < ${parameter(before)}::bigint`])
]

/** Where the ids of an entity are, each a parameter and the columns that may have it. */
type Entity = ReadonlyArray<{ readonly id: string; readonly columns: ReadonlyArray<string> }>

/** The list and the thing of the filter; the original of a thing has its reminders. */
const entitiesOf = ({ listId, originalId, thingId }: OperationFilter, parameter: Parameter): ReadonlyArray<Entity> => {
  const entities: Array<Entity> = []
  if (listId !== undefined) entities.push([{ id: parameter(listId), columns: ["lists", "touched_lists"] }])
  if (thingId !== undefined) {
    const itself = { id: parameter(thingId), columns: ["things", "reminded_things"] }
    const original = originalId === undefined ? [] : [{ id: parameter(originalId), columns: ["reminded_things"] }]
    entities.push([itself, ...original])
  }
  return entities
}

const hasId = ({ columns, id }: Entity[number]): string =>
  `(${columns.map((column) => `${id}::uuid = any (o.${column})`).join(" or ")})`

const of = (entity: Entity): string => `(${entity.map(hasId).join(" or ")})`

const ofIndexed = (entity: Entity): string =>
  `(${entity.map((ids) => `${indexed} && array[${ids.id}::uuid] and ${hasId(ids)}`).join(" or ")})`

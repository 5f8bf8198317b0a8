import type { ThingFilter } from "@lists-and-things/domain/ports/ThingStore"
import { tagKey } from "@lists-and-things/domain/text/TextFold"
import type { Params } from "../connection/ConnectionPool.ts"
import { limitAfter, offsetOf } from "../Paging.ts"
import { things } from "../Tables.ts"

/** Bytes of a note that is read among short statements, which would wait for longer ones. */
const shortNote = 16 * 1024

/** The columns of a thing, in which a longer note is null. */
export const withShortNote = things.packed.replace(
  "t.note",
  `case when octet_length(t.note) <= ${shortNote} then t.note end`
)

/** Whether a thing of `withShortNote` is whole. */
export const hasNote = ({ note }: { readonly note: string | null }): boolean => note !== null

/**
 * Whether a page may pass over most of an account, since no index has both what is asked for and the order: a long read.
 * Within a list it passes over no more than a list holds.
 */
export const maySkipMany = ({ completed, listId, tag, type }: ThingFilter): boolean => {
  const ofThings = [completed, type].filter((condition) => condition !== undefined).length
  return tag === undefined ? listId === undefined && ofThings > 1 : listId !== undefined || ofThings > 0
}

/**
 * The statement for one page. It contains only the conditions that the filter sets, so that each of its few forms has
 * its own plan. Ids are found in an index first; only the rows of the page are read in full.
 */
export const pageStatement = (
  owner: string,
  filter: ThingFilter,
  { columns = things.packed, page, size }: { readonly page: number; readonly size: number; readonly columns?: string }
): { readonly sql: string; readonly params: Params } => {
  const params: Array<string | number | boolean> = [owner]
  const conditions: Array<string> = []
  const require = (value: string | number | boolean, condition: (parameter: string) => string) => {
    params.push(value)
    conditions.push(condition(`$${params.length}`))
  }
  const tagged = filter.tag !== undefined
  const sorted = tagged ? "g" : "t"
  const id = tagged ? "g.thing_id" : "t.id"
  if (filter.tag !== undefined) require(tagKey(filter.tag), (tag) => `g.tag_key = ${tag}`)
  if (filter.listId !== undefined) require(filter.listId, (list) => `t.list_id = ${list}`)
  if (filter.completed !== undefined) require(filter.completed, (completed) => `t.completed = ${completed}`)
  if (filter.type !== undefined) require(filter.type, (type) => `t.type = ${type}`)
  if (filter.since !== undefined) require(filter.since, (since) => `${sorted}.${filter.sort} > ${since}`)
  const onThings = filter.listId !== undefined || filter.completed !== undefined || filter.type !== undefined
  const from = tagged
    ? `thing_tags g ${onThings ? "join things t on t.owner_id = g.owner_id and t.id = g.thing_id" : ""}`
    : "things t"
  const where = [`${sorted}.owner_id = $1`, ...conditions].join(" and ")
  if (page === 0 && !tagged) {
    // Without an offset and with a known limit, the generic plan is as good as any other, and is kept.
    const order = `order by t.${filter.sort} desc, t.id desc limit ${size + 1}`
    return { sql: `select ${columns} from things t where ${where} ${order}`, params }
  }
  // One index has this order. Of several conditions, how selective they are decides, and the plan with it.
  const isOrdered = !tagged && conditions.length <= 1
  const next = params.length + 1
  const rest = isOrdered ? limitAfter(size, next) : `limit $${next} offset $${next + 1}`
  const sql = `with found as materialized (
      select ${id} as id, ${sorted}.${filter.sort} as sorted from ${from}
      where ${where}
      order by ${sorted}.${filter.sort} desc, ${id} desc ${rest})
    select ${columns} from found f join things t on t.owner_id = $1 and t.id = f.id
    order by f.sorted desc, f.id desc`
  return { sql, params: [...params, ...(isOrdered ? [] : [size + 1]), offsetOf(page, size)] }
}

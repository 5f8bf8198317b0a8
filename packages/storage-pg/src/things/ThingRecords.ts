import { byKey } from "@lists-and-things/domain/text/TagNames"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { codeUnitsOf } from "@lists-and-things/domain/model/Size"
import { chunksOf } from "@lists-and-things/domain/scheduling/Chunks"
import { forEachYielding, mapYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { Effect } from "effect"
import { columnArrays } from "../ColumnArrays.ts"
import type { Params } from "../connection/ConnectionPool.ts"
import { bytesOf, counted } from "./Counting.ts"
import { composeWrite, type Writing } from "../distribution/ComposedWrite.ts"
import { changing } from "../history/Recorder.ts"
import { things } from "../Tables.ts"

/** Rows per statement; so many are written well within the statement timeout. */
export const maxRows = 500

/** Rows of the first statement of several, which the server works on while the next one is being encoded. */
const firstRows = 100

/** These things in their order, as many at a time as a statement may write. */
export const rowChunks = (written: ReadonlyArray<Thing>): ReadonlyArray<ReadonlyArray<Thing>> => {
  const first = written.length > 2 * firstRows ? firstRows : 0
  const rest = chunksOf(written.slice(first), maxRows)
  return first === 0 ? rest : [written.slice(0, first), ...rest]
}

/**
 * UTF-16 code units of text per statement, unless one thing has more: encoding a statement is one step, and other
 * requests wait for it.
 */
const maxCodeUnits = 2 ** 20

/** These things in their order, with as much text at a time as a statement may write. */
export const textChunks = (written: ReadonlyArray<Thing>): ReadonlyArray<ReadonlyArray<Thing>> => {
  const chunks: Array<ReadonlyArray<Thing>> = []
  let [from, codeUnits] = [0, 0]
  for (const [at, thing] of written.entries()) {
    const own = codeUnitsOf(thing)
    codeUnits += own
    if (codeUnits <= maxCodeUnits || at === from) continue
    chunks.push(written.slice(from, at))
    from = at
    codeUnits = own
  }
  return [...chunks, written.slice(from)]
}

/** `$2` is a JSON array of `thingRecord`s: any number of things per write. */
const given = `given as materialized (
    select ${things.filled("r")}, coalesce(r.tag_keys, '{}') as tag_keys, coalesce(r.tag_names, '{}') as tag_names
    from json_to_recordset($2::json) as r (${things.definitions}, tag_keys text[], tag_names text[]))`

/** The tags of what is given and `known`, a join. */
const putTags = (known: string): Writing => ({
  into: ["thing_tags", "thing_id, tag_key, name, created, updated"],
  values: "g.id, tag.key, tag.name, g.created, g.updated",
  from: `given g ${known} cross join unnest(g.tag_names, g.tag_keys) as tag (name, key)`,
  where: "g.tag_keys <> '{}'",
  ending: `on conflict (owner_id, thing_id, tag_key) do update set name = excluded.name, created = excluded.created,
    updated = excluded.updated`
})

const addedChange = `change as (
    select g.list_id, count(*) as things, sum(${bytesOf("g")})::bigint as bytes from given g group by g.list_id)`

const addedRows = columnArrays(`owner_id uuid, ${things.definitions}, tag_keys text[], tag_names text[]`)

/** `$1` is the owner; `addedThings` are the other parameters. */
export const insertThings = composeWrite(
  [`given as materialized (${addedRows.select})`],
  [
    { into: ["things", things.names], values: things.names, from: "given" },
    { with: [addedChange, ...counted], sql: "select" },
    putTags("")
  ]
)

/** Whether each thing changes in more than `updated`. */
const compared = `compared as materialized (
    select t.id, ${things.differs("t", (name) => `g.${name}`, ["id", "updated"])} as differs
    from things t join given g on g.id = t.id where t.owner_id = $1 and t.id = any ($3::uuid[]))`

const replaced = `replaced as materialized (
    select t.id, t.list_id, ${bytesOf("t")} as bytes from things t
    where t.owner_id = $1 and t.id = any ($3::uuid[]))`

const replacedChange = `change as (
    select c.list_id, sum(c.things)::bigint as things, sum(c.bytes)::bigint as bytes from (
      select list_id, -1 as things, -bytes as bytes from replaced
      union all select g.list_id, 1, ${bytesOf("g")} from given g join replaced on replaced.id = g.id
    ) as c group by c.list_id)`

const untagged = `untagged as (
    delete from thing_tags g using given where g.owner_id = $1 and g.thing_id = any ($3::uuid[])
      and g.thing_id = given.id and g.tag_key <> all (given.tag_keys))`

/**
 * `$3` repeats the ids, so that the planner sees how few rows there are to find. Things of which only `updated` moves
 * are noted as those that are shifted.
 */
export const putThings = changing(3, ({ imaged, shifted }) => ({
  reads: [given, compared, replaced],
  recorded: [
    imaged("thing", "t.id = any (array(select c.id from compared c where c.differs))"),
    shifted("select c.id from compared c where not c.differs")
  ],
  writes: [
    {
      with: [replacedChange, ...counted, untagged],
      sql: `update things t set ${things.assignments("given", ["id"])}
        from given where t.owner_id = $1 and t.id = any ($3::uuid[]) and t.id = given.id`
    },
    putTags("join replaced on replaced.id = g.id")
  ]
}))

const flags = ["favorited", "completed", "canceled", "bold", "italic", "underline", "header", "subheader", "quote"]
const settable = ["tabs integer", "type text", ...flags.map((flag) => `${flag} boolean`)]
const settableNames = settable.map((column) => column.split(" ")[0]!)

/**
 * Sets columns of the things `$2` to the values that the one object in the JSON array `$3` has, and `updated` to `$4`.
 * Citus loses the columns of `json_to_record`.
 */
export const setThings = changing(4, ({ imaged }) => ({
  reads: [`given as materialized (select * from json_to_recordset($3::json) as r (${settable.join(", ")}))`],
  recorded: [imaged("thing", "t.id = any ($2::uuid[])")],
  writes: [
    {
      with: [
        `tagged as (
          update thing_tags g set updated = $4::bigint where g.owner_id = $1 and g.thing_id = any ($2::uuid[]))`
      ],
      sql: `update things t set ${settableNames.map((name) => `${name} = coalesce(given.${name}, t.${name})`).join(", ")},
          updated = $4::bigint
        from given where t.owner_id = $1 and t.id = any ($2::uuid[])`
    }
  ]
}))

/** The changes that `setThings` can make, where they are the same for all of the things. */
export const sameChanges = (
  before: ReadonlyMap<string, Thing>,
  after: ReadonlyArray<Thing>
): { readonly updated: number; readonly changes: string } | undefined => {
  const updated = after[0]?.updated
  let common: string | undefined
  for (const thing of after) {
    const old = before.get(thing.id)
    if (old === undefined || thing.updated !== updated) return undefined
    const { updated: _, ...changed } = things.changes(old, thing)
    const names = Object.keys(changed)
    if (names.length === 0 || !names.every((name) => settableNames.includes(name))) return undefined
    const changes = JSON.stringify(changed)
    if (changes !== (common ??= changes)) return undefined
  }
  return updated === undefined || common === undefined ? undefined : { updated, changes: `[${common}]` }
}

export const thingRecord = (thing: Thing): object =>
  thing.tags.length === 0 ? things.record(thing) : { ...things.record(thing), ...tagRecord(thing) }

const noTags: ReturnType<typeof tagRecord> = { tag_keys: [], tag_names: [] }

export const tagRecord = ({ tags: names }: Thing) => {
  const tags = byKey(names)
  return { tag_keys: [...tags.keys()], tag_names: [...tags.values()] }
}

/** Yields to other fibers, since preparing a long text for searching takes a while. */
export const addedThings = (added: ReadonlyArray<Thing>): Effect.Effect<Params> =>
  Effect.suspend(() => {
    const rows = addedRows.collect()
    const add = (thing: Thing) => {
      const { tag_keys, tag_names } = thing.tags.length === 0 ? noTags : tagRecord(thing)
      rows.add(things.params(thing).concat([tag_keys], [tag_names]))
    }
    return Effect.map(forEachYielding(added, add), rows.params)
  })

/** The records of things as a JSON array. Yields to other fibers, since encoding a long text takes a while. */
export const recordsJson = (written: ReadonlyArray<Thing>): Effect.Effect<string> =>
  Effect.map(
    mapYielding(written, (thing) => JSON.stringify(thingRecord(thing))),
    (records) => `[${records.join(",")}]`
  )

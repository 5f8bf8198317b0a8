import { searchForms } from "@lists-and-things/domain/markdown/TextMarkup"
import { byKey } from "@lists-and-things/domain/text/TagNames"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { mapYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { Effect } from "effect"
import { bytesOf, countChange } from "./Counting.ts"
import { digest } from "./Digest.ts"
import { searchText } from "../search/SearchText.ts"

/** The columns of `things` that an insert or a put writes, with their types, except `owner_id`. */
const columns: ReadonlyArray<readonly [name: string, type: string]> = [
  ["id", "uuid"],
  ["list_id", "uuid"],
  ["rank", "bigint"],
  ["seq", "bigint"],
  ["tabs", "integer"],
  ["favorited", "boolean"],
  ["clone_of", "uuid"],
  ["has_clones", "boolean"],
  ["text", "text"],
  ["text_hash", "uuid"],
  ["search", "text"],
  ["type", "text"],
  ["url", "text"],
  ["url_hash", "uuid"],
  ["tags", "text[]"],
  ["photos", "text[]"],
  ["list_ref", "uuid"],
  ["completed", "boolean"],
  ["canceled", "boolean"],
  ["bold", "boolean"],
  ["italic", "boolean"],
  ["underline", "boolean"],
  ["header", "boolean"],
  ["subheader", "boolean"],
  ["quote", "boolean"],
  ["code", "boolean"],
  ["note", "text"],
  ["markup", "text"],
  ["created", "bigint"],
  ["updated", "bigint"]
]

const names = columns.map(([name]) => name).join(", ")

/** `$2` is a JSON array of `thingRecord`s: any number of things per statement. */
const given = `given as materialized (
    select * from json_to_recordset($2::json) as given (${columns.map((column) => column.join(" ")).join(", ")},
      tag_keys text[], tag_names text[]))`

const givenTags = `select $1::uuid, written.id, tag.key, tag.name, given.created, given.updated
  from written join given on given.id = written.id cross join unnest(given.tag_names, given.tag_keys) as tag (name, key)`

const putTag = `insert into thing_tags (owner_id, thing_id, tag_key, name, created, updated) ${givenTags}
  on conflict (owner_id, thing_id, tag_key) do update set name = excluded.name, created = excluded.created,
    updated = excluded.updated`

export const insertThings = `with ${given}, written as (
    insert into things (owner_id, ${names}) select $1::uuid, ${names} from given returning id
  ), change as (
    select g.list_id, count(*) as things, sum(${bytesOf("g")})::bigint as bytes from given g group by g.list_id
  ), ${countChange}
  ${putTag}`

/** `$3` repeats the ids, so that the planner sees how few rows there are to find. */
export const putThings = `with ${given}, replaced as materialized (
    select t.id, t.list_id, ${bytesOf("t")} as bytes from things t
    where t.owner_id = $1 and t.id = any ($3::uuid[])
  ), change as (
    select c.list_id, sum(c.things)::bigint as things, sum(c.bytes)::bigint as bytes from (
      select list_id, -1 as things, -bytes as bytes from replaced
      union all select g.list_id, 1, ${bytesOf("g")} from given g join replaced on replaced.id = g.id
    ) as c group by c.list_id
  ), ${countChange}, written as (
    update things t set ${columns
      .slice(1)
      .map(([name]) => `${name} = given.${name}`)
      .join(", ")}
    from given where t.owner_id = $1 and t.id = any ($3::uuid[]) and t.id = given.id returning t.id
  ), untagged as (
    delete from thing_tags g using given where g.owner_id = $1 and g.thing_id = any ($3::uuid[])
      and g.thing_id = given.id and g.tag_key <> all (given.tag_keys))
  ${putTag}`

export const textHash = (text: string): string => digest(text.trim())

export const thingRecord = (thing: Thing): object => {
  const tags = byKey(thing.tags)
  return { ...thingColumns(thing), tag_keys: [...tags.keys()], tag_names: [...tags.values()] }
}

/** The records of things as a JSON array. Yields to other fibers, since encoding a long text takes a while. */
export const recordsJson = (things: ReadonlyArray<Thing>): Effect.Effect<string> =>
  Effect.map(
    mapYielding(things, (thing) => JSON.stringify(thingRecord(thing))),
    (records) => `[${records.join(",")}]`
  )

const thingColumns = (thing: Thing): object => ({
  id: thing.id,
  list_id: thing.listId,
  rank: thing.position.sortTime,
  seq: thing.position.sequence,
  tabs: thing.tabs,
  favorited: thing.favorited,
  clone_of: thing.cloneOf,
  has_clones: thing.hasClones,
  text: thing.text,
  text_hash: textHash(thing.text),
  search: searchText(searchForms(thing.text, thing.code)),
  type: thing.type,
  url: thing.url,
  url_hash: thing.url === "" ? null : digest(thing.url),
  tags: thing.tags,
  photos: thing.photos,
  list_ref: thing.listRef,
  completed: thing.completed,
  canceled: thing.canceled,
  bold: thing.bold,
  italic: thing.italic,
  underline: thing.underline,
  header: thing.header,
  subheader: thing.subheader,
  quote: thing.quote,
  code: thing.code,
  note: thing.note,
  markup: thing.markup,
  created: thing.created,
  updated: thing.updated
})

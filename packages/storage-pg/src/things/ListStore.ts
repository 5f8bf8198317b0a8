import { type AccountId, isIdForm, type ListId } from "@lists-and-things/domain/model/Ids"
import { ListStore, type ListTitle } from "@lists-and-things/domain/ports/ListStore"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { searchForms } from "@lists-and-things/domain/markdown/TextMarkup"
import { titleKey } from "@lists-and-things/domain/text/TextFold"
import { Effect, Layer } from "effect"
import { counted, goneChange, stillCounted } from "./Counting.ts"
import { Database } from "../connection/Database.ts"
import { changing, makeRecorder } from "../history/Recorder.ts"
import type { Params } from "../connection/ConnectionPool.ts"
import { search } from "../search/Search.ts"
import { isDeepPage, limitAfter, offsetOf, pageOf } from "../Paging.ts"
import { lists } from "../Tables.ts"

const select = `select ${lists.selected} from lists l where l.owner_id = $1`

/**
 * The first page has its limit in the SQL: with a known limit PostgreSQL keeps one plan (see `ThingPages`). For EXISTS it
 * may read all things of the owner at once; the condition on a day list is written so that it looks for one thing of it.
 */
export const page = (limit: string, kept = open, first = "l.updated"): string => `${select} and ${kept}
    and (l.day is null or (select true from things t where t.owner_id = $1 and t.list_id = l.id limit 1))
  order by ${first} desc, l.id desc ${limit}`
const open = "not l.archived"
const selections = {
  favorited: `${open} and l.favorited`,
  archived: "l.archived",
  ordinary: `${open} and l.day is null`,
  days: `${open} and l.day is not null`
} as const

/** One index lookup per title. */
const byTitles = `select ${lists.selected} from unnest($2::text[]) as given (title_key) cross join lateral (
    select * from lists found where found.owner_id = $1 and md5(found.title_key) = md5(given.title_key)
      and found.title_key = given.title_key order by found.id limit 50) as l`

const titles = `select l.id, left(l.title, 100) as title from lists l
  where l.owner_id = $1 and not l.archived and l.day is null order by l.updated desc, l.id desc limit $2`

const updated = lists.parameter("updated")

const insert = `insert into lists (owner_id, ${lists.names}, counted_at) values ($1, ${lists.parameters}, ${updated})
  on conflict (owner_id, day) where day is not null do nothing returning id`

const update = changing(lists.parameterCount, ({ imaged }) => ({
  recorded: [
    imaged("list", `l.id = ${lists.parameter("id")} and ${lists.differs("l", lists.parameter, ["id", "updated"])}`)
  ],
  writes: [
    {
      sql: `update lists l set ${lists.assignments("given", ["id"])}, ${stillCounted("l", "updated", updated)}
        from (values (${lists.parameters})) as given (${lists.names}) where l.owner_id = $1 and l.id = given.id`
    }
  ]
}))

const touch = `update lists l set updated = $3, ${stillCounted("l", "updated", "$3")}
  where l.owner_id = $1 and l.id = any ($2::uuid[])`

/** Things per statement; so many are deleted well within the statement timeout. */
const chunkSize = 4_000

/** In an order, so that it is the same for each step. */
const chunk = `chunk as materialized (
    select id from things where owner_id = $1 and list_id = $2 order by rank, seq, id limit ${chunkSize})`
const inChunk = "any (array(select c.id from chunk c))"
const orphaned = `t.clone_of = ${inChunk} and t.list_id <> $2`

const deleteThings = changing(
  2,
  ({ imaged }) => ({
    reads: [chunk],
    recorded: [
      imaged("thing", `t.id = ${inChunk}`),
      imaged("reminder", `r.thing_id = ${inChunk}`),
      imaged("thing", orphaned)
    ],
    writes: [
      {
        with: [
          `orphans as (update things t set clone_of = null where t.owner_id = $1 and ${orphaned})`,
          goneChange(`t.id = ${inChunk}`),
          ...counted,
          `gone as (delete from things t where t.owner_id = $1 and t.id = ${inChunk} returning 1)`
        ],
        sql: "select count(*)::int4 as count from gone"
      }
    ]
  }),
  { removes: true, removesAllOf: 2 }
)

const deleteList = changing(
  2,
  ({ imaged }) => ({
    recorded: [imaged("list", "l.id = $2"), imaged("thing", "t.list_ref = $2")],
    writes: [
      {
        with: ["orphans as (update things t set list_ref = null where t.owner_id = $1 and t.list_ref = $2)"],
        sql: "delete from lists where owner_id = $1 and id = $2 returning 1"
      }
    ]
  }),
  { removes: true }
)

export const layer = Layer.effect(
  ListStore,
  Effect.gen(function* () {
    const db = yield* Database
    const recorder = yield* makeRecorder
    const several = (owner: AccountId, rest: string, params: Params = []) =>
      Effect.map(db.read(`${select} ${rest}`, [owner, ...params]), (rows) => rows.map(lists.ofRow(owner)))
    const one = (owner: AccountId, rest: string, value: string) =>
      Effect.map(several(owner, rest, [value]), ([list]) => list)

    /** In chunks, since deleting a thing looks up everything that refers to it. */
    const empty = (owner: AccountId, id: string): Stored<void> =>
      Effect.flatMap(recorder.write(deleteThings, [owner, id], { asRows: true }), ([gone]) =>
        (gone?.count as number) < chunkSize ? Effect.void : empty(owner, id)
      )

    return ListStore.of({
      get: (owner, id) => (isIdForm(id) ? one(owner, "and l.id = $2", id) : Effect.succeed(undefined)),
      getMany: (owner, ids) => {
        const known = ids.filter(isIdForm)
        return known.length === 0 ? Effect.succeed([]) : several(owner, "and l.id = any ($2::uuid[])", [known])
      },
      byDay: (owner, day) => one(owner, "and l.day = $2", day),
      byTitles: (owner, titles) =>
        Effect.map(db.read(byTitles, [owner, [...new Set(titles.map(titleKey))]]), (rows) =>
          rows.map(lists.ofRow(owner))
        ),
      titles: (owner, limit) =>
        Effect.map(db.readLong(titles, [owner, limit]), (rows) =>
          rows.map((row): ListTitle => ({ id: row.id as ListId, title: row.title as string }))
        ),
      page: (owner, number, size, only) =>
        Effect.map(
          number === 0 && only === undefined
            ? db.read(page(`limit ${size + 1}`), [owner])
            : (only === undefined && !isDeepPage(number, size) ? db.read : db.readLong)(
                page(limitAfter(size, 2), only && selections[only], only === "days" ? "l.day" : undefined),
                [owner, offsetOf(number, size)]
              ),
          (rows) => pageOf(rows.map(lists.ofRow(owner)), size)
        ),
      all: (owner) =>
        Effect.map(db.readLong(`${select} order by l.id`, [owner]), (rows) => rows.map(lists.ofRow(owner))),
      search: (owner, query, limit) =>
        search(
          owner,
          {
            table: "lists",
            alias: "l",
            columns: lists.selected,
            read: (sql, params) => Effect.map(db.readLong(sql, params), (rows) => rows.map(lists.ofRow(owner))),
            formsOf: (list) => searchForms(list.title, false)
          },
          query,
          limit
        ),
      insert: (list) =>
        Effect.gen(function* () {
          const added = yield* db.write(insert, lists.params(list))
          if (added.length > 0) {
            yield* recorder.note(list.owner, { stored: ["list", [list.id]] })
            return list
          }
          return (yield* one(list.owner, "and l.day = $2", list.day ?? "")) ?? list
        }),
      put: (list) => recorder.send(update, lists.params(list), { among: [list.id], touchedLists: [list.id] }),
      touch: (owner, ids, updated) =>
        ids.length === 0
          ? Effect.void
          : Effect.andThen(db.send(touch, [owner, ids, updated]), recorder.note(owner, { touchedLists: ids })),
      remove: (owner, id) =>
        isIdForm(id)
          ? db.transaction(
              Effect.gen(function* () {
                yield* empty(owner, id)
                const gone = yield* recorder.write(deleteList, [owner, id])
                return gone.length > 0
              })
            )
          : Effect.succeed(false)
    })
  })
)

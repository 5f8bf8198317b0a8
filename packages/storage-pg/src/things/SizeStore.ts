import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { type AccountId, isIdForm, type ListId } from "@lists-and-things/domain/model/Ids"
import { type Sizes, SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import { nothing, type Size } from "@lists-and-things/domain/model/Size"
import { chunksOf } from "@lists-and-things/domain/scheduling/Chunks"
import { Effect, Layer } from "effect"
import type { ListRef } from "@lists-and-things/domain/ports/ListStore"
import { refsOf } from "../Ids.ts"
import { bytesOf } from "./Counting.ts"
import { Database } from "../connection/Database.ts"

const ofLists = (where: string): string => `select l.id, l.thing_count::float8, l.content_bytes::float8,
    coalesce(l.counted_at = l.updated, false) as counted from lists l where l.owner_id = $1 and ${where}`

const select = `select null::uuid as id, w.thing_count::float8, w.content_bytes::float8,
    coalesce(w.counted_at = w.last_write, false) as counted from write_clocks w where w.owner_id = $1
  union all ${ofLists("l.id = any ($2::uuid[])")}
  union all ${ofLists("l.day = any ($3::text[])")}`

const counted = `select w.thing_count::float8, w.content_bytes::float8 from write_clocks w where w.owner_id = $1`

const uncounted = "select l.id from lists l where l.owner_id = $1 and l.counted_at is distinct from l.updated"

const countLists = `update lists l set thing_count = c.things, content_bytes = c.bytes, counted_at = l.updated
  from (
    select given.id, count(t.id) as things, coalesce(sum(${bytesOf("t")}), 0)::bigint as bytes
    from unnest($2::uuid[]) as given (id) left join things t on t.owner_id = $1 and t.list_id = given.id
    group by given.id
  ) as c where l.owner_id = $1 and l.id = c.id`

const countAccount = `update write_clocks w
  set thing_count = c.things, content_bytes = c.bytes, counted_at = w.last_write
  from (
    select coalesce(sum(l.thing_count), 0)::bigint as things, coalesce(sum(l.content_bytes), 0)::bigint as bytes
    from lists l where l.owner_id = $1
  ) as c where w.owner_id = $1`

/** The counters if they are valid, else a recount that is not stored: nothing of a list that is counted is read. */
export const countList = `select case when l.counted_at = l.updated then l.thing_count else c.things end::float8 as thing_count,
    case when l.counted_at = l.updated then l.content_bytes else c.bytes end::float8 as content_bytes
  from lists l cross join lateral (
    select count(*) as things, coalesce(sum(${bytesOf("t")}), 0)::bigint as bytes from things t
    where t.owner_id = $1 and t.list_id = $2 and l.counted_at is distinct from l.updated
  ) as c
  where l.owner_id = $1 and l.id = $2`

/** Lists per statement; so many are counted well within the statement timeout. */
const chunkSize = 50

const sizeOf = (row: Readonly<Record<string, unknown>>): Size => ({
  things: row.thing_count as number,
  bytes: row.content_bytes as number
})

const make = (db: Database["Service"]): SizeStore["Service"] => {
  /** Recounts what was written by a version without counters, or before counters existed. */
  const count = Effect.fnUntraced(function* (owner: AccountId) {
    const ids = (yield* db.read(uncounted, [owner])).map((row) => row.id as string)
    for (const some of chunksOf(ids, chunkSize)) yield* db.write(countLists, [owner, some])
    yield* db.write(countAccount, [owner])
  })

  const sizes = (owner: AccountId, lists: ReadonlyArray<ListRef>): Effect.Effect<Sizes, StorageUnavailable> =>
    Effect.gen(function* () {
      if (!isIdForm(owner)) return { account: nothing, lists: new Map() }
      const { days, ids } = refsOf(lists)
      let rows = yield* db.read(select, [owner, ids, days])
      if (rows.some((row) => row.counted === false)) {
        yield* count(owner)
        rows = yield* db.read(select, [owner, ids, days])
      }
      const account = rows.find((row) => row.id === null)
      const found = rows.filter((row) => row.id !== null)
      return {
        account: account === undefined ? nothing : sizeOf(account),
        lists: new Map(found.map((row) => [row.id as ListId, sizeOf(row)]))
      }
    })

  const ofList = (owner: AccountId, id: string): Effect.Effect<Size | undefined, StorageUnavailable> =>
    isIdForm(id)
      ? Effect.map(db.readLong(countList, [owner, id]), ([row]) => (row === undefined ? undefined : sizeOf(row)))
      : Effect.succeed(undefined)

  const ofAccount = (owner: AccountId): Effect.Effect<Size, StorageUnavailable> =>
    isIdForm(owner)
      ? Effect.map(db.read(counted, [owner]), ([row]) => (row === undefined ? nothing : sizeOf(row)))
      : Effect.succeed(nothing)

  return SizeStore.of({ ofList, ofAccount, sizes })
}

export const layer = Layer.effect(SizeStore, Effect.map(Database, make))

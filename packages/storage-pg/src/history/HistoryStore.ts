import type { Row } from "@effect/sql-pg/PgConnection"
import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import {
  type Entity,
  type EntityChange,
  type EntityKey,
  type EntityType,
  entityTypes,
  keyText,
  type Operation,
  type OperationId,
  writeTimestampOf
} from "@lists-and-things/domain/model/Operation"
import {
  type EntityChanges,
  type Following,
  type HistoryPoint,
  HistoryStore
} from "@lists-and-things/domain/ports/HistoryStore"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { Page, Stored } from "@lists-and-things/domain/ports/Storage"
import { forEachYielding, mapYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { Engine } from "../Engine.ts"
import { isDeepPage, pageOf } from "../Paging.ts"
import { pageStatement } from "./OperationPages.ts"
import { findOperation, imagedEntity, indexed, operationColumns, operationOf, readImage } from "./OperationRows.ts"
import { makeApplyOnce } from "../Migrating.ts"
import { version as historyOnly } from "../migrations/0010_HistoryOnly.ts"
import { WriteClocks } from "../accounts/WriteClocks.ts"
import { makePruning } from "./HistoryPruning.ts"
import { makeState } from "./State.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/**
 * The owner, of operations that the index finds. On one server `is true` keeps the planner from also reading the primary
 * key of all that the owner ever did, which it takes for little, since there are no statistics of owners.
 */
export const ownedFor = (isDistributed: boolean): string =>
  isDistributed ? "o.owner_id = $1" : "(o.owner_id = $1) is true"

/** The entities of an operation; `n` is the place of the type in `entityTypes`. */
const entities = entityTypes
  .map((type, n) => {
    const ids = type === "account" ? "o.owner_id as id where o.settings" : `unnest(o.${type}s) as id`
    return `select ${n} as n, '${type}' as type, ${ids}`
  })
  .join(" union all ")

/** Also what was only touched or shifted. */
const moved = `${entities} union all select 2, 'list', unnest(o.touched_lists)
  union all select 3, 'thing', unnest(o.shifted_things)`

/** The operation is read whether it has entities or not. */
const changes = `with o as materialized (
    select * from operations o where o.owner_id = $1 and o.stamp = $2 and o.has_images
  ), keys as materialized (
    select k.n, k.type, k.id from o cross join lateral (${entities}) as k order by k.n, k.id limit $3
  ), images as (
    select distinct on (i.type, e.id) i.type, e.id, ${readImage}
    from operation_images i cross join lateral unnest(i.ids, i.images) as e (id, image)
    where i.owner_id = $1 and i.stamp = $2 and i.ids && array(select k.id from keys k)
    order by i.type, e.id, i.part
  )
  select k.type, k.id, i.image, d.id is not null as is_deleted from o left join keys k on true
  left join images i on i.type = k.type and i.id = k.id
  left join lateral unnest(o.deleted) as d (id) on d.id = k.id
  order by k.n, k.id`

/** Entities of an operation that are read by one statement; of more, the images are read in pieces. */
const maxEntitiesAtOnce = 2_000

/** Rows of `operation_images` per statement. */
const partsPerRead = 10

const entityKeys = `with o as materialized (
    select * from operations o where o.owner_id = $1 and o.stamp = $2 and o.has_images
  ), keys as materialized (
    select k.n, k.type, k.id from o cross join lateral (${entities}) as k order by k.n, k.id limit $3
  )
  select k.type, k.id, d.id is not null as is_deleted from o join keys k on true
  left join lateral unnest(o.deleted) as d (id) on d.id = k.id
  order by k.n, k.id`

const imagesFrom = `select i.part, i.type, e.id, ${readImage}
  from (
    select * from operation_images i where i.owner_id = $1 and i.stamp = $2 and i.part > $3 and i.type <> 'shifted'
    order by i.part limit ${partsPerRead}
  ) as i cross join lateral unnest(i.ids, i.images) as e (id, image)
  order by i.part`

const onlyCreated = `select o.has_images and not o.settings and not exists (
    select from operation_images i where i.owner_id = $1 and i.stamp = $2
  ) as only_created from operations o where o.owner_id = $1 and o.stamp = $2`

/**
 * Whether the rows of a CTE have these columns. `is true` keeps the planner from making it a join, which for a table
 * without statistics would be a loop over both; so it is a hash that is built once.
 */
const isIn = (columns: string, rows: string): string => `((${columns}) in (select * from ${rows})) is true`

/** What an operation changed. The index also finds what it only touched, as each thing that is added does with its list. */
const changed = `(${entityTypes
  .filter((type) => type !== "account")
  .map((type) => `o.${type}s`)
  .join(" || ")})`

/** Keys that are looked up in the index; to compare more of them with each operation would be slow. */
const maxIndexed = 100

/**
 * The operations after $2 that are compared with the wanted entities: those that the index finds, and where the account
 * is wanted those on its settings; or with many keys all, each of which is read once.
 */
export const wantedIn = (keys: number, owned: string): string => {
  const after = "select o.* from operations o where o.owner_id = $1 and o.stamp > $2"
  if (keys > maxIndexed) return after
  return `select o.* from operations o where ${owned} and o.stamp > $2 and ${indexed} && $4::uuid[]
    and ${changed} && $4::uuid[]
    union all ${after} and o.settings and 'account' = any ($3::text[]) and (${changed} && $4::uuid[]) is not true`
}

const wanted = (
  candidates: string
): string => `wanted as materialized (select * from unnest($3::text[], $4::uuid[]) as w (type, id)), found as materialized (
    ${candidates}
  )`

/**
 * The operations among `candidates` (`wantedIn`) that changed a wanted entity, oldest first, with those that each
 * changed.
 */
export const later = (candidates: string): string => `with ${wanted(candidates)}
  select ${operationColumns}, k.types, k.ids from found o cross join lateral (
    select array_agg(k.type) as types, array_agg(k.id) as ids
    from (${entities}) as k where ${isIn("k.type, k.id", "wanted")}
  ) as k where k.ids is not null order by o.stamp`

/** The entities that later operations changed, and the images that the next ones have of them, where they have any. */
const imagesAfter = (candidates: string): string => `with ${wanted(candidates)}, next as materialized (
    select min(o.stamp) as stamp, k.type, k.id from found o cross join lateral (${entities}) as k
    where ${isIn("k.type, k.id", "wanted")} group by k.type, k.id
  ), images as (
    select distinct on (i.type, e.id) i.type, e.id, ${readImage}
    from operation_images i cross join lateral unnest(i.ids, i.images) as e (id, image)
    where i.owner_id = $1 and i.stamp = any (array(select distinct n.stamp from next n))
      and ${isIn("i.stamp, i.type, e.id", "next")}
    order by i.type, e.id, i.part
  )
  select n.type, n.id, null::jsonb as image from next n union all select i.type, i.id, i.image from images i`

const withImages = `select o.stamp::float8, o.deleted from operations o
  where o.owner_id = $1 and o.stamp = any ($2::bigint[]) and o.has_images`

const imagesOf = `with asked as materialized (
    select * from unnest($2::bigint[], $3::text[], $4::uuid[]) as a (stamp, type, id)
  )
  select distinct on (i.stamp, i.type, e.id) i.stamp::float8, i.type, e.id, ${readImage}
  from operation_images i cross join lateral unnest(i.ids, i.images) as e (id, image)
  where i.owner_id = $1 and i.stamp = any ($2::bigint[]) and ${isIn("i.stamp, i.type, e.id", "asked")}
  order by i.stamp, i.type, e.id, i.part`

/** How many entities an operation has, also of those that were only touched or shifted: the rows of `moved`. */
const countOfMoved = [
  ...entityTypes.filter((type) => type !== "account").map((type) => `${type}s`),
  "touched_lists",
  "shifted_things"
]
  .map((ids) => `coalesce(cardinality(o.${ids}), 0)`)
  .join(" + ")

/**
 * `taken` are the keys of the page that come before those of an operation. The first one may have been skipped whole.
 * Operations are counted once, in one pass: a join of the counts with the operations is a loop over both wherever the
 * planner expects one of them.
 */
export const following = `with o as materialized (
    select o.*, row_number() over earlier = 1 as is_first,
      sum(o.keys) over earlier - o.keys - least($3::bigint, first_value(o.keys) over earlier) as taken
    from (
      select o.*, o.settings::integer + ${countOfMoved} as keys from operations o
      where o.owner_id = $1 and o.stamp > $2 order by o.stamp limit $4::integer + 1
    ) as o window earlier as (order by o.stamp)
  )
  select o.stamp::float8, o.id, o.keys, k.types, k.ids from o cross join lateral (
    select array_agg(k.type order by k.n, k.id) as types, array_agg(k.id order by k.n, k.id) as ids from (
      select k.n, k.type, k.id from (${moved}) as k order by k.n, k.id
      offset case when o.is_first then $3::bigint else 0 end
      limit $4::bigint - case when o.is_first then 0 else o.taken end
    ) as k
  ) as k where o.is_first or o.taken < $4::bigint order by o.stamp`

const head = `select w.last_write::float8 as at, (
    select o.id from operations o where o.owner_id = $1 and o.stamp <= w.last_write order by o.stamp desc limit 1
  ) as operation from write_clocks w where w.owner_id = $1`

const covers = `select w.history_from <= $2 and (
    select o.id from operations o where o.owner_id = $1 and o.stamp <= $2 order by o.stamp desc limit 1
  ) is not distinct from $3::uuid as covers from write_clocks w where w.owner_id = $1`

const lastWrites =
  "select w.owner_id, w.last_write::float8 as at from write_clocks w where w.owner_id = any ($1::uuid[])"
const validKeys = "select k.id from api_keys k where k.id = any ($1::text[]) and k.revoked is null"

const typesAndIds = (keys: ReadonlyArray<EntityKey>): readonly [ReadonlyArray<string>, ReadonlyArray<string>] => {
  const known = keys.filter(({ id }) => isIdForm(id))
  return [known.map(({ type }) => type), known.map(({ id }) => id)]
}

/** The keys in a row with `types` and `ids`. */
const keysIn = ({ ids, types }: Row): ReadonlyArray<EntityKey> =>
  ((ids ?? []) as ReadonlyArray<string>).map((id, at) => ({ type: (types as ReadonlyArray<EntityType>)[at]!, id }))

const changeOf =
  (owner: AccountId) =>
  (row: Row): EntityChange => {
    const type = row.type as EntityType
    const before = row.image === null ? undefined : imagedEntity(owner, type, row.image)
    const change = before === undefined ? "created" : row.is_deleted === true ? "deleted" : "updated"
    return { type, id: row.id as string, change, before }
  }

const make = (db: Database["Service"], rest: PruningAndState, owned: string): HistoryStore["Service"] => {
  /** The images of an operation, the first one of each entity, by `keyText`. */
  const imagesAt = Effect.fnUntraced(function* (owner: AccountId, at: EpochMillis) {
    const images = new Map<string, unknown>()
    for (let part: number | undefined = -1; part !== undefined;) {
      const rows: ReadonlyArray<Row> = yield* db.readLong(imagesFrom, [owner, at, part])
      yield* forEachYielding(rows, ({ id, image, type }) => {
        const key = keyText({ type: type as EntityType, id: id as string })
        if (!images.has(key)) images.set(key, image)
      })
      part = rows.at(-1)?.part as number | undefined
    }
    return images
  })

  const fewEntitiesOf = Effect.fnUntraced(function* (owner: AccountId, at: EpochMillis, limit: number) {
    const rows = yield* db.readLong(changes, [owner, at, limit + 1])
    if (rows.length === 0) return undefined
    const changed = rows.filter((row) => row.type !== null)
    return pageOf(yield* mapYielding(changed, changeOf(owner)), limit)
  })

  const entitiesOf = Effect.fnUntraced(function* (
    owner: AccountId,
    at: EpochMillis,
    limit: number
  ): Effect.fn.Return<EntityChanges | undefined, StorageUnavailable> {
    const first = yield* fewEntitiesOf(owner, at, Math.min(limit, maxEntitiesAtOnce))
    if (first?.hasMore !== true || limit <= maxEntitiesAtOnce) return first
    const keys = yield* db.readLong(entityKeys, [owner, at, limit + 1])
    const images = yield* imagesAt(owner, at)
    const changed = yield* mapYielding(keys, (row) => {
      const key = keyText({ type: row.type as EntityType, id: row.id as string })
      return changeOf(owner)({ ...row, image: images.get(key) ?? null })
    })
    return pageOf(changed, limit)
  })

  const after = Effect.fnUntraced(function* (owner: AccountId, at: EpochMillis, keys: ReadonlyArray<EntityKey>) {
    const [types, ids] = typesAndIds(keys)
    if (ids.length === 0) return []
    const rows = yield* db.readLong(imagesAfter(wantedIn(ids.length, owned)), [owner, at, types, ids])
    const then = new Map<string, Entity | undefined>()
    yield* forEachYielding(rows, (row) => {
      const key = keyText({ type: row.type as EntityType, id: row.id as string })
      const image = row.image === null ? undefined : imagedEntity(owner, row.type as EntityType, row.image)
      then.set(key, image ?? then.get(key))
    })
    const now = yield* rest.current(
      owner,
      keys.filter((key) => !then.has(keyText(key)))
    )
    for (const entity of now) then.set(keyText({ type: entity.type, id: entity.value.id }), entity)
    return keys.map((key) => then.get(keyText(key))).filter((entity) => entity !== undefined)
  })

  const followingIn = (
    owner: AccountId,
    at: EpochMillis,
    skip: number,
    limit: number
  ): Stored<ReadonlyArray<Following>> =>
    Effect.map(db.readLong(following, [owner, at, skip, limit]), (rows) =>
      rows.map((row, index) => {
        const keys = keysIn(row)
        const before = index === 0 ? skip : 0
        const rest = Math.max(0, (row.keys as number) - before - keys.length)
        return { id: row.id as OperationId, at: row.stamp as EpochMillis, keys, rest }
      })
    )

  return {
    ...rest,
    page: (owner, filter, page, size) => {
      const ids = [filter.thingId, filter.listId].filter((id) => id !== undefined)
      if (!ids.every(isIdForm)) return Effect.succeed<Page<Operation>>({ items: [], hasMore: false })
      const { params, sql } = pageStatement(owner, filter, { owned, page, size })
      // What these filters leave out may be read as well.
      const isFiltered = [filter.byId, ...ids].some((id) => id !== undefined)
      const isLong = isFiltered || isDeepPage(page, size)
      const read = isLong ? db.readLong(sql, params) : db.read(sql, params)
      return Effect.map(read, (rows) => pageOf(rows.map(operationOf(owner)), size))
    },
    get: (owner, id) =>
      Effect.map(findOperation(db, owner, writeTimestampOf(id)), (found) => (found?.id === id ? found : undefined)),
    entities: entitiesOf,
    onlyCreated: (owner, at) => Effect.map(db.read(onlyCreated, [owner, at]), ([row]) => row?.only_created === true),
    after,
    later: (owner, at, keys) => {
      const [types, ids] = typesAndIds(keys)
      if (ids.length === 0) return Effect.succeed([])
      return Effect.map(db.readLong(later(wantedIn(ids.length, owned)), [owner, at, types, ids]), (rows) =>
        rows.map((row) => ({ operation: operationOf(owner)(row), keys: keysIn(row) }))
      )
    },
    changesOf: Effect.fnUntraced(function* (owner, operations) {
      const asked = operations.flatMap(({ at, keys }) => keys.map((key) => ({ at, ...key })))
      const found = new Map<EpochMillis, ReadonlyArray<EntityChange>>()
      if (asked.length === 0) return found
      const stamps = asked.map(({ at }) => String(at))
      const kept = yield* db.readLong(withImages, [owner, [...new Set(stamps)]])
      const deleted = new Map(kept.map((row) => [row.stamp, new Set(row.deleted as ReadonlyArray<string> | null)]))
      const params = [owner, stamps, asked.map(({ type }) => type), asked.map(({ id }) => id)]
      const images = new Map(
        (yield* db.readLong(imagesOf, params)).map((row) => [`${row.stamp} ${row.type} ${row.id}`, row.image])
      )
      for (const { at, keys } of operations) {
        const gone = deleted.get(at)
        const change = ({ id, type }: EntityKey) =>
          changeOf(owner)({ type, id, image: images.get(`${at} ${type} ${id}`) ?? null, is_deleted: gone?.has(id) })
        if (gone !== undefined) found.set(at, keys.map(change))
      }
      return found
    }),
    putUndoneBy: (owner, at, undoneBy) =>
      db.send("update operations set undone_by = $3 where owner_id = $1 and stamp = $2", [owner, at, undoneBy]),
    head: (owner) =>
      Effect.map(db.read(head, [owner]), ([row]): HistoryPoint => ({
        at: (row?.at ?? 0) as EpochMillis,
        operation: (row?.operation ?? undefined) as OperationId | undefined
      })),
    covers: (owner, { at, operation }) =>
      operation !== undefined && !isIdForm(operation)
        ? Effect.succeed(false)
        : Effect.map(db.read(covers, [owner, at, operation ?? null]), ([row]) => row?.covers === true),
    following: followingIn,
    watch: (owners, keys) =>
      Effect.map(
        Effect.all([db.read(lastWrites, [owners.filter(isIdForm)]), db.read(validKeys, [keys])], {
          concurrency: "unbounded"
        }),
        ([clocks, found]) => {
          const valid = new Set(found.map((row) => row.id as string))
          return {
            lastWrites: new Map(clocks.map((row) => [row.owner_id as AccountId, row.at as EpochMillis])),
            revoked: new Set(keys.filter((key) => !valid.has(key)))
          }
        }
      ),
    settingsChanged: (owner) =>
      Effect.map(
        db.read("select w.settings_changed::float8 as at from write_clocks w where w.owner_id = $1", [owner]),
        ([row]) => (row?.at ?? 0) as EpochMillis
      )
  }
}

type PruningAndState = ReturnType<typeof makePruning> &
  ReturnType<typeof makeState> &
  Pick<HistoryStore["Service"], "isComplete">

/** Asked until it holds, which it then does for good. */
const makeIsComplete = (db: Database["Service"]): Stored<boolean> => {
  const reached = makeApplyOnce(db, historyOnly)
  let isComplete = false
  return Effect.suspend(() =>
    isComplete
      ? Effect.succeed(true)
      : Effect.map(reached, (now) => {
          isComplete = now
          return now
        })
  )
}

export const layer = Layer.effect(
  HistoryStore,
  Effect.gen(function* () {
    const db = yield* Database
    const { isDistributed } = yield* Engine
    const pruning = makePruning(db, yield* WriteClocks)
    return make(db, { ...pruning, ...makeState(db), isComplete: makeIsComplete(db) }, ownedFor(isDistributed))
  })
)

import type { PgConnection, Row } from "@effect/sql-pg/PgConnection"
import { type AccountId, isIdForm, type ListId, type ThingId } from "@lists-and-things/domain/model/Ids"
import { searchForms } from "@lists-and-things/domain/markdown/TextMarkup"
import {
  type DuplicateKeys,
  type ListWithThings,
  mostUsedFirst,
  type TagCount,
  type ThingState,
  ThingStore,
  type ThingText
} from "@lists-and-things/domain/ports/ThingStore"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { idsFrom } from "@lists-and-things/domain/targets/ShortId"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { mapYielding, sortYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { CurrentTransaction, keepPace } from "../connection/Transaction.ts"
import { runComposed } from "../distribution/ComposedWrite.ts"
import { Engine } from "../Engine.ts"
import { digest, textHash } from "./Digest.ts"
import type { Params, Values } from "../connection/ConnectionPool.ts"
import { makeMergePendingChanges } from "../search/PendingChanges.ts"
import { search } from "../search/Search.ts"
import { isDeepPage, pageOf } from "../Paging.ts"
import { refsOf, uuids } from "../Ids.ts"
import * as Tables from "../Tables.ts"
import { hasNote, maySkipMany, pageStatement, withShortNote } from "./ThingPages.ts"
import { makeRecorder, type Recorder } from "../history/Recorder.ts"
import { makeAccountWrites } from "./AccountWrites.ts"
import { clearListRef } from "./ListReferences.ts"
import { makeAppend } from "./ThingAppend.ts"
import { makeReviseIfUnchanged } from "./ConditionalRevision.ts"
import { closeGaps, ends, endsOfDays, lastAt, openGaps, positionOf, stretches } from "./PositionStatements.ts"
import { makeRevise } from "./ThingRevision.ts"
import { makeWithReminder, reminderIn, withReminder } from "./ThingWithReminder.ts"
import { outline, outlineOf, removeThings } from "./ThingRemoval.ts"
import {
  addedThings,
  insertThings,
  maxRows,
  putThings,
  recordsJson,
  rowChunks,
  sameChanges,
  setThings,
  textChunks
} from "./ThingRecords.ts"

const select = `select ${Tables.things.packed} from things t where t.owner_id = $1`

/**
 * Things by their ids, of which none comes twice: one look-up of the primary key for each. Without the limit, the planner
 * takes the account for so small that it reads all of it in the index of another order, for twenty ids.
 */
export const ofIds = (columns: string): string => `select ${columns} from unnest($2::uuid[]) as given (id)
  cross join lateral (select * from things x where x.owner_id = $1 and x.id = given.id limit 1) as t order by t.id`
const wholeByIds = ofIds(Tables.things.packed)
const shortByIds = ofIds(withShortNote)

const tagCounts = `select (array_agg(g.name order by g.updated desc, g.thing_id desc))[1] as name, count(*)::int4
  from thing_tags g where g.owner_id = $1 group by g.tag_key`

/** In place of the columns of `withReminder`. */
const noThing = Array.from({ length: Tables.things.width + 1 }, () => "null").join(", ")

const isWithin =
  "coalesce(l.counted_at = l.updated and l.content_bytes <= $3::bigint and l.thing_count <= $4::bigint, false)"

/** The list in a row without a thing, and each thing in a row without a list. */
const listWithThings = (by: "id" | "day", isWhole: string): string => `select ${noThing},
    (select row_to_json(found) from (select ${Tables.lists.selected}) as found) as list, ${isWhole} as is_whole
  from lists l where l.owner_id = $1 and l.${by} = $2
  union all (
    select ${withReminder("$1")}, null, null from things t where t.owner_id = $1 and t.list_id = (
      select l.id from lists l where l.owner_id = $1 and l.${by} = $2 and ${isWhole}
    ) order by t.rank, t.seq, t.id
  )`
const small = { id: listWithThings("id", isWithin), day: listWithThings("day", isWithin) }
const whole = { id: listWithThings("id", "true"), day: listWithThings("day", "true") }

/** A range of the primary key. */
const byBeginning = "and t.id between $2::uuid and $3::uuid order by t.id limit $4"

/** Reads the owner's part of the primary key and no row, which writing an index of last blocks would not be worth. */
const byLastBlock = `and t.id in (
    select k.id from things k where k.owner_id = $1 and starts_with(right(k.id::text, 12), $2) order by k.id limit $3
  ) order by t.id`

const inState = { open: "not (t.completed or t.canceled)", closed: "(t.completed or t.canceled)" } as const

const recentTexts = (state: ThingState): string => `select t.id, left(t.text, 100) as text, t.code from (
    select t.* from things t where t.owner_id = $1 order by t.updated desc, t.id desc limit $2
  ) t where ${inState[state]} order by t.updated desc, t.id desc`

/** `hasCheckBox` and `isOpen` of the domain. */
const isOpenTodo = "f.type = 'todo' and not (f.header or f.subheader or f.completed or f.canceled)"

const openCounts = `select given.list_id, held.open::int4
  from unnest($2::uuid[]) as given (list_id) cross join lateral (
    select count(*) as things, count(*) filter (where ${isOpenTodo}) as open
    from (select * from things t where t.owner_id = $1 and t.list_id = given.list_id limit $3 + 1) as f
  ) as held where held.things <= $3`

/** One index lookup per value, whatever the number of things in the lists. */
const duplicates = `select 'urls' as kind, given.list_id, given.hash
  from unnest($2::uuid[], $3::uuid[]) as given (list_id, hash) cross join lateral (
    select 1 from things t where t.owner_id = $1 and t.list_id = given.list_id and t.url_hash = given.hash limit 1
  ) as found
  union all select 'texts', given.list_id, given.hash
  from unnest($4::uuid[], $5::uuid[]) as given (list_id, hash) cross join lateral (
    select 1 from things t where t.owner_id = $1 and t.list_id = given.list_id and t.text_hash = given.hash limit 1
  ) as found`

/** Of fewer things an image as a row would take as much room, with the names of its columns. */
const imagedAsRows = (ids: ReadonlyArray<string>): boolean => ids.length >= 20

/** How often what so many rows were added to has grown fourfold, from those of one statement on. */
const growthOf = (added: number): number => (added <= maxRows ? 0 : 1 + Math.floor(Math.log2(added / maxRows) / 2))

const make = (
  db: Database["Service"],
  recorder: Recorder
): Omit<ThingStore["Service"], "withReminder" | "append" | "revise" | "reviseIfUnchanged"> => {
  const things = (
    run: Database["Service"]["values"],
    sql: string,
    owner: AccountId,
    params: Params
  ): Stored<ReadonlyArray<Thing>> =>
    Effect.flatMap(run(sql, [owner, ...params]), (rows) => mapYielding(rows, Tables.things.ofValues(owner)))
  const reading = (run: Database["Service"]["values"]) => (owner: AccountId, rest: string, params: Params) =>
    things(run, `${select} ${rest}`, owner, params)
  const [several, severalLong] = [reading(db.values), reading(db.valuesLong)]

  /** Those with long notes are read once more, apart. */
  const byIds = Effect.fnUntraced(function* (owner: AccountId, ids: ReadonlyArray<string>) {
    const found = yield* things(db.values, shortByIds, owner, [uuids(new Set(ids))])
    const cut = found.filter((thing) => !hasNote(thing)).map(({ id }) => id)
    if (cut.length === 0) return found
    const whole = new Map(
      (yield* things(db.valuesLong, wholeByIds, owner, [uuids(cut)])).map((thing) => [thing.id, thing])
    )
    return found.flatMap((thing) => (hasNote(thing) ? thing : (whole.get(thing.id) ?? [])))
  })

  const listOf = (owner: AccountId, read: ReturnType<typeof db.values>): Stored<ListWithThings | undefined> =>
    Effect.flatMap(read, (found) => {
      const at = found.findIndex((row) => row[Tables.things.width + 1] !== null)
      if (at < 0) return Effect.undefined
      const list = Tables.lists.ofRow(owner)(found[at]![Tables.things.width + 1] as Row)
      const isWhole = found[at]![Tables.things.width + 2] as boolean
      const rows = found.toSpliced(at, 1)
      return Effect.map(mapYielding(rows, Tables.things.ofValues(owner)), (things) => {
        const reminderOf = reminderIn(owner)
        return { list, isWhole, things, reminders: rows.flatMap((row) => reminderOf(row) ?? []) }
      })
    })

  const writeAll = (writes: ReadonlyArray<ReturnType<typeof db.send>>) => {
    const [first, ...rest] = writes
    if (first === undefined) return Effect.void
    if (rest.length === 0) return first
    // Each is on its way before the next one is encoded; the last one goes out with what follows.
    const others = Effect.forEach(rest, (each) => Effect.andThen(Effect.yieldNow, each), { discard: true })
    return db.transaction(Effect.andThen(first, others))
  }

  /** Things that this process has added, and how many those were when each connection last planned anew. */
  let addedSoFar = 0
  const plannedAt = new WeakMap<PgConnection, number>()

  /**
   * PostgreSQL checks the foreign keys of each row by a plan that the connection keeps. One that it made while the table
   * was empty reads all of it, and until the server analyzes the table, for which it waits up to a minute and for the end
   * of the transaction, nothing else makes it plan anew. Behind a pooler each transaction may find such a plan.
   */
  const replan = (owner: AccountId, added: number) =>
    Effect.flatMap(CurrentTransaction, (tx) => {
      addedSoFar += added
      if (tx === undefined) return Effect.void
      const own = tx.operations.get(owner)?.stored.size ?? 0
      const isOlder = growthOf(addedSoFar) > growthOf(plannedAt.get(tx.connection) ?? 0)
      if (!isOlder && growthOf(own + added) === growthOf(own)) return Effect.void
      plannedAt.set(tx.connection, addedSoFar)
      return db.send("discard plans")
    })

  /** A write that adds many things may use up the space that was free when it began. */
  const checkFreeSpace = Effect.andThen(keepPace, db.checkFreeSpace)

  return {
    get: (owner, id) =>
      isIdForm(id)
        ? Effect.map(several(owner, "and t.id = $2", [id]), (things) => things[0])
        : Effect.succeed(undefined),
    getMany: (owner, ids) => {
      const known = ids.filter(isIdForm)
      return known.length === 0 ? Effect.succeed([]) : byIds(owner, known)
    },
    outline: (owner, ids, names) =>
      Effect.map(db.read(outline, [owner, uuids(new Set(ids.filter(isIdForm))), names]), ([row]) =>
        outlineOf(row!, ids)
      ),
    ofList: (owner, listId) =>
      isIdForm(listId)
        ? severalLong(owner, "and t.list_id = $2 order by t.rank, t.seq, t.id", [listId])
        : Effect.succeed([]),
    listWithThings: (owner, list, limit) => {
      const [by, value] = typeof list === "string" ? (["id", list] as const) : (["day", list.day] as const)
      if (by === "id" && !isIdForm(value)) return Effect.undefined
      return listOf(
        owner,
        limit === undefined
          ? db.valuesLong(whole[by], [owner, value])
          : db.values(small[by], [owner, value, limit.bytes, limit.things])
      )
    },
    ofListAfter: (owner, listId, last, limit) =>
      last === undefined
        ? several(owner, "and t.list_id = $2 order by t.rank, t.seq, t.id limit $3", [listId, limit])
        : several(
            owner,
            `and t.list_id = $2 and (t.rank, t.seq, t.id) > ($4::bigint, $5::bigint, $6::uuid)
            order by t.rank, t.seq, t.id limit $3`,
            [listId, limit, last.position.sortTime, last.position.sequence, last.id]
          ),
    page: (owner, filter, page, size) => {
      if (filter.listId !== undefined && !isIdForm(filter.listId)) {
        return Effect.succeed({ items: [], hasMore: false })
      }
      const things = (rows: ReadonlyArray<Values>) => rows.map(Tables.things.ofValues(owner))
      const long = Effect.suspend(() => {
        const { params, sql } = pageStatement(owner, filter, { page, size })
        return Effect.map(db.valuesLong(sql, params), (rows) => pageOf(things(rows), size))
      })
      if (isDeepPage(page, size) || maySkipMany(filter)) return long
      const short = pageStatement(owner, filter, { page, size, columns: withShortNote })
      return Effect.flatMap(db.values(short.sql, short.params), (rows) => {
        const found = things(rows)
        return found.every(hasNote) ? Effect.succeed(pageOf(found, size)) : long
      })
    },
    search: (owner, query, limit, state) =>
      search(
        owner,
        {
          table: "things",
          alias: "t",
          ...(state !== undefined && { where: inState[state] }),
          columns: Tables.things.packed,
          read: (sql, params) =>
            Effect.map(db.valuesLong(sql, params), (rows) => rows.map(Tables.things.ofValues(owner))),
          formsOf: (thing) => searchForms(thing.text, thing.code)
        },
        query,
        limit
      ),
    byIdPart: (owner, part, limit) =>
      part.includes("-")
        ? several(owner, byBeginning, [...idsFrom(part), limit])
        : Effect.map(db.valuesLong(`${select} ${byLastBlock}`, [owner, part, limit]), (rows) =>
            rows.map(Tables.things.ofValues(owner))
          ),
    recentTexts: (owner, state, limit) =>
      Effect.map(db.readLong(recentTexts(state), [owner, limit]), (rows) =>
        rows.map((row): ThingText => ({ id: row.id as ThingId, text: row.text as string, code: row.code as boolean }))
      ),
    tagCounts: (owner) =>
      Effect.flatMap(db.readLong(tagCounts, [owner]), (rows) =>
        sortYielding(
          rows.map((row): TagCount => ({ name: row.name as string, count: row.count as number })),
          mostUsedFirst
        )
      ),
    openCounts: (owner, lists, max) =>
      Effect.map(
        db.readLong(openCounts, [owner, uuids(lists), max]),
        (rows) => new Map(rows.map((row) => [row.list_id as ListId, row.open as number]))
      ),
    ends: (owner, lists) => {
      const { days, ids } = refsOf(lists)
      const rows = days.length === 0 ? db.read(ends, [owner, ids]) : db.read(endsOfDays, [owner, ids, days])
      return Effect.map(rows, (found) => new Map(found.map(positionOf)))
    },
    lastAt: (owner, sortTimes) => {
      const given = [...sortTimes].flatMap(([listId, own]) => [...new Set(own)].map((rank) => [listId, String(rank)]))
      return Effect.map(
        db.read(lastAt, [owner, given.map(([listId]) => listId!), given.map(([, rank]) => rank!)]),
        (rows) => grouped(rows.map(positionOf))
      )
    },
    openGaps: (owner, listId, places) => recorder.send(openGaps, [owner, listId, ...stretches(places)]),
    closeGaps: (owner, listId, places) => recorder.send(closeGaps, [owner, listId, ...stretches(places)]),
    referringTo: (owner, listIds) => {
      const known = listIds.filter(isIdForm)
      return known.length === 0
        ? Effect.succeed([])
        : several(owner, "and t.list_ref = any ($2::uuid[]) order by t.id", [known])
    },
    clonesOf: (owner, originals) =>
      several(owner, "and t.clone_of = any ($2::uuid[]) order by t.created, t.id", [originals]),
    duplicates: (owner, keys) => findDuplicates(db, owner, keys),
    insert: (owner, things) => {
      const add = (chunk: ReadonlyArray<Thing>) =>
        Effect.flatMap(Effect.andThen(checkFreeSpace, addedThings(chunk)), (added) =>
          Effect.andThen(
            Effect.andThen(runComposed(db, insertThings, [owner, ...added], db.send), replan(owner, chunk.length)),
            recorder.note(owner, { stored: ["thing", idsOf(chunk)] })
          )
        )
      return writeAll(rowChunks(things).flatMap(textChunks).map(add))
    },
    put: (owner, things, before = unknownBefore) => {
      const replace = (chunk: ReadonlyArray<Thing>) => {
        const ids = idsOf(chunk)
        return Effect.flatMap(Effect.andThen(keepPace, recordsJson(chunk)), (records) =>
          recorder.send(putThings, [owner, records, uuids(ids)], { among: ids, asRows: imagedAsRows(ids) })
        )
      }
      const writes = rowChunks(things).flatMap((chunk) => {
        const [ids, same] = [idsOf(chunk), sameChanges(before, chunk)]
        if (same === undefined) return textChunks(chunk).map(replace)
        const told = { among: ids, asRows: imagedAsRows(ids) }
        return [recorder.send(setThings, [owner, uuids(ids), same.changes, same.updated], told)]
      })
      return writeAll(writes)
    },
    remove: (owner, ids, known) => {
      const asked = ids.filter(isIdForm)
      if (asked.length === 0) return Effect.succeed(0)
      const params = [owner, uuids(asked)]
      const told = { removedThings: asked, asRows: imagedAsRows(asked) }
      if (known !== undefined) return Effect.as(recorder.send(removeThings, params, told), known)
      return Effect.map(recorder.write(removeThings, params, told), ([gone]) => gone?.count as number)
    },
    clearListRef: (owner, listId, updated) => clearListRef(recorder, owner, listId, updated)
  }
}

const unknownBefore: ReadonlyMap<ThingId, Thing> = new Map()

const idsOf = (things: ReadonlyArray<Thing>): ReadonlyArray<string> => things.map(({ id }) => id)

const grouped = <Key, Value>(pairs: ReadonlyArray<readonly [Key, Value]>): ReadonlyMap<Key, ReadonlyArray<Value>> =>
  new Map([...Map.groupBy(pairs, ([key]) => key)].map(([key, own]) => [key, own.map(([, value]) => value)]))

const findDuplicates = (db: Database["Service"], owner: AccountId, keys: ReadonlyMap<ListId, DuplicateKeys>) => {
  const hashed = [...keys].map(([listId, { texts, urls }]) => ({
    listId,
    urls: urls.map((url) => [url, digest(url)] as const),
    texts: texts.map((text) => [text, textHash(text)] as const)
  }))
  const params = (["urls", "texts"] as const).flatMap((kind) => [
    hashed.flatMap((list) => list[kind].map(() => list.listId)),
    hashed.flatMap((list) => list[kind].map(([, hash]) => hash))
  ])
  return Effect.map(db.read(duplicates, [owner, ...params]), (rows) => {
    // A text and a url of the same characters have the same hash.
    const known = new Set(rows.map((row) => `${row.kind} ${row.list_id} ${row.hash}`))
    return new Map(
      hashed.map((list) => {
        const named = (kind: "urls" | "texts") =>
          new Set(list[kind].filter(([, hash]) => known.has(`${kind} ${list.listId} ${hash}`)).map(([value]) => value))
        return [list.listId, { urls: named("urls"), texts: named("texts") }]
      })
    )
  })
}

export const layer = Layer.effect(
  ThingStore,
  Effect.gen(function* () {
    const db = yield* Database
    const stored = make(db, yield* makeRecorder)
    const withReminder = makeWithReminder(db, yield* Engine, yield* Effect.scope)
    const mergePendingChanges = yield* makeMergePendingChanges
    const writes = yield* makeAccountWrites
    return ThingStore.of({
      ...stored,
      search: (...params) => Effect.tap(stored.search(...params), mergePendingChanges),
      withReminder,
      append: yield* makeAppend(writes),
      revise: yield* makeRevise(writes, withReminder),
      reviseIfUnchanged: yield* makeReviseIfUnchanged
    })
  })
)

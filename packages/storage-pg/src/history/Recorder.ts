import { HistoryRetention } from "@lists-and-things/domain/history/HistoryRetention"
import { CurrentOperation } from "@lists-and-things/domain/model/CurrentOperation"
import type { EntityType } from "@lists-and-things/domain/model/Operation"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import type { Params, Rows } from "../connection/ConnectionPool.ts"
import { Database } from "../connection/Database.ts"
import { CurrentTransaction, type Transaction } from "../connection/Transaction.ts"
import { runComposed, type ComposedWrite, composeWrite, type Writing } from "../distribution/ComposedWrite.ts"
import { noNotes, type OperationNotes } from "./OperationNotes.ts"
import { Engine } from "../Engine.ts"
import { entitySources, imageColumns, type ImagedType } from "./OperationRows.ts"

/** Entities per row of `operation_images`. */
const chunkSize = 500

/** Bytes of texts per row of it, besides its last entity: a dump has each row in memory, and as a line. */
const chunkBytes = 1024 ** 2

/** Parts that one step may need: so many chunks are more than an account can hold. */
const partsPerStep = 10_000

/** A write that changes entities and copies them first, in one round trip. Its `$1` is the owner. */
export interface Change extends ComposedWrite {
  /** Parts that its images may need. */
  readonly parts: number
  /** Whether it may remove entities. */
  readonly removes: boolean
  /** How many of its parts, from the first on, have only entities that it removes. */
  readonly removedParts?: number
}

/** Composes the first steps of a `Change`. */
interface Recording {
  /** Copies the entities of a type that fulfil the condition, as they are before the statement. */
  readonly imaged: (type: ImagedType, where: string) => Writing
  /** SQL of the image of an entity with these columns, for a CTE that has found it. */
  readonly imageOf: (columns: string) => string
  /** Copies the entities in a CTE, which has the `id` and the `image` of each. */
  readonly imagedFrom: (type: ImagedType, rows: string) => Writing
  /** Adds a copy that was read before: the SQL of its JSON. */
  readonly copied: (type: EntityType, image: string) => Writing
  /** Notes the things that a query finds: only their positions change, or `updated`. */
  readonly shifted: (ids: string) => Writing
}

/** SQL of the rows of `operation_images`: the entities with their ids, and the aggregates over each chunk of them. */
interface Copied {
  readonly entities: string
  /** The bytes of the long texts in an entity `i`. */
  readonly bytes?: string
  readonly images: string
  /** The things of reminders; null for other entities. */
  readonly things?: string
  /** The names of the columns of images that are rows; null for objects. */
  readonly columns?: string
}

/** What a `Change` does: CTEs that it reads from, what it copies or notes, and what it then writes. */
interface Changing {
  readonly reads?: ReadonlyArray<string>
  readonly recorded: readonly [Writing, ...ReadonlyArray<Writing>]
  readonly writes?: ReadonlyArray<Writing>
}

/** How SQL names the parameters of a recording, which follow `given` others. */
const parametersAfter = (given: number) => {
  const at = (nth: number, type: string): string => `$${given + nth}::${type}`
  return {
    stamp: at(1, "bigint"),
    part: at(2, "integer"),
    keepsImages: at(3, "boolean"),
    fresh: at(4, "uuid[]"),
    asRows: at(5, "boolean")
  }
}

/** Adds rows of `operation_images`, of which `first` is the first part of the write. */
const insertImages = (
  { asRows, fresh, keepsImages, part, stamp }: ReturnType<typeof parametersAfter>,
  first: number,
  type: EntityType | "shifted",
  { bytes = "0", columns = "null", entities, images, things = "null::uuid[]" }: Copied
): Writing => ({
  into: ["operation_images", "stamp, part, type, ids, things, images, bytes, columns"],
  values: `${stamp}, ${part} + ${first} + c.chunk, '${type}', c.ids, c.things, c.images,
        coalesce(pg_column_size(c.images), 0), ${columns}`,
  from: `(
      select e.chunk, array_agg(e.id) as ids, ${things} as things, ${images} as images
      from (
        select i.id, i as entity, (row_number() over so_far - 1) / ${chunkSize}
          + coalesce(sum(${bytes}) over so_far, 0) / ${chunkBytes} as chunk
        from (${entities}) as i where i.id <> all (${fresh}) window so_far as (rows unbounded preceding)
      ) as e
      group by e.chunk
    ) as c`,
  // Names every parameter, so that each has a type.
  where: `${stamp} is not null and ${keepsImages} is not null and ${asRows} is not null`
})

/**
 * Composes what is copied by a write with `given` parameters of its own; those of the recording follow them
 * (`recordingParams`). `parts` are those of the images that were composed so far.
 */
const makeRecording = (given: number): { readonly recording: Recording; readonly parts: () => number } => {
  const parameters = parametersAfter(given)
  const { asRows, keepsImages } = parameters
  let parts = 0
  const inserted = (type: EntityType | "shifted", copied: Copied): Writing => {
    const first = parts
    parts += partsPerStep
    return insertImages(parameters, first, type, copied)
  }
  /** A row as text is made three times as fast as an object, and takes half of the room. */
  const image = `array_agg(case when ${asRows} then to_jsonb(e.entity::text) else to_jsonb(e.entity) end)
    filter (where ${keepsImages})`
  const foundImages = `array_agg((e.entity).image) filter (where ${keepsImages})`
  const columnsOf = (type: ImagedType) => `case when ${asRows} and ${keepsImages} then '${imageColumns[type]}' end`
  const recording: Recording = {
    imaged: (type, where) =>
      inserted(type, {
        entities: `${entitySources[type].select} and (${where})`,
        ...(type === "thing" && { bytes: "octet_length(i.note)" }),
        images: image,
        columns: columnsOf(type),
        ...(type === "reminder" && { things: "array_agg((e.entity).thing_id)" })
      }),
    imageOf: (columns) => `case when not ${keepsImages} then null when ${asRows} then to_jsonb(row(${columns})::text)
      else (select to_jsonb(e) from (select ${columns}) as e) end`,
    imagedFrom: (type, rows) =>
      inserted(type, {
        entities: `select f.id, f.image from ${rows} as f`,
        bytes: "pg_column_size(i.image)",
        images: foundImages,
        columns: columnsOf(type)
      }),
    copied: (type, image) =>
      inserted(type, {
        entities: `select (${image} ->> 'id')::uuid as id, ${image} as image`,
        images: foundImages
      }),
    shifted: (ids) => inserted("shifted", { entities: ids, images: "null::jsonb[]" })
  }
  return { recording, parts: () => parts }
}

/**
 * The write that `compose` composes. It has `given` parameters of its own. Without a write timestamp it records nothing.
 * It removes all that the first `removesAllOf` of what is recorded copy.
 */
export const changing = (
  given: number,
  compose: (recording: Recording) => Changing,
  { removes = false, removesAllOf = 0 }: { readonly removes?: boolean; readonly removesAllOf?: number } = {}
): Change => {
  const { parts, recording } = makeRecording(given)
  const { reads = [], recorded, writes = [] } = compose(recording)
  const removedParts = removesAllOf * partsPerStep
  return { ...composeWrite(reads, [...recorded, ...writes]), parts: parts(), removes, removedParts }
}

interface Reminded {
  readonly thing: string
  readonly reminder?: string
  readonly from?: string
}

/** What a statement does to entities, as far as the caller knows it. */
interface KnownChanges {
  /** Ids of entities that it inserts or replaces. */
  readonly stored?: readonly [type: EntityType, ids: ReadonlyArray<string>]
  /** Ids of things that it removes, if they exist. */
  readonly removedThings?: ReadonlyArray<string>
  readonly touchedLists?: ReadonlyArray<string>
  /** Things that get a reminder: which one it puts, or of which thing it takes it. */
  readonly reminded?: ReadonlyArray<Reminded>
  /** Whether its images are copied as rows, which pays off for many entities. */
  readonly asRows?: boolean
  /** The only entities that it images; of other statements, any of the account. */
  readonly among?: ReadonlyArray<string>
}

/** Runs statements that change entities, and notes the changes for the operation of the fiber's transaction. */
export interface Recorder {
  readonly keepsImages: boolean
  readonly write: (change: Change, params: Params, known?: KnownChanges) => Stored<Rows>
  /** As `Database.send`. */
  readonly send: (change: Change, params: Params, known?: KnownChanges) => Stored<void>
  readonly note: (owner: string, known: KnownChanges) => Effect.Effect<void>
}

/** Adds the changes to the notes of an operation; `change` is that of a statement. */
const noteIn = (
  notes: OperationNotes,
  { reminded, removedThings, stored, touchedLists }: KnownChanges,
  change?: Change
): void => {
  const { nextPart } = notes
  if (change?.removedParts) notes.removedParts.push(`[${nextPart},${nextPart + change.removedParts})`)
  notes.nextPart += change?.parts ?? 0
  notes.removes ||= change?.removes ?? false
  for (const id of stored?.[1] ?? []) notes.stored.set(id, stored![0])
  if (notes.removedThings.size > 0) for (const id of stored?.[1] ?? []) notes.removedThings.delete(id)
  for (const id of removedThings ?? []) notes.removedThings.add(id)
  for (const id of touchedLists ?? []) notes.touchedLists.add(id)
  for (const each of reminded ?? []) noteReminded(notes, each)
}

const noteReminded = ({ remindedThings }: OperationNotes, { from, reminder, thing }: Reminded): void => {
  const put = remindedThings.get(thing) ?? new Set()
  remindedThings.set(thing, put)
  if (reminder !== undefined) put.add(reminder)
  for (const id of (from === undefined ? undefined : remindedThings.get(from)) ?? []) put.add(id)
}

const notesOf = (tx: Transaction, owner: string): OperationNotes => {
  const known = tx.operations.get(owner) ?? noNotes()
  tx.operations.set(owner, known)
  return known
}

/**
 * What was stored within the operation needs no image: it was not there before, or has one already. A reminder may
 * replace another one of its thing.
 */
const freshIn = ({ remindedThings, stored }: OperationNotes, known: KnownChanges): ReadonlyArray<string> => {
  if (stored.size === 0) return []
  if (known.among === undefined) return [...stored.keys()]
  const replaced = (known.reminded ?? []).flatMap(({ thing }) => [...(remindedThings.get(thing) ?? [])])
  return [...known.among.filter((id) => stored.has(id)), ...replaced]
}

/** Keeps images unless the retention is 0 days, and then only those of dry runs. */
export const makeRecorder = Effect.gen(function* () {
  const db = yield* Database
  const keepsImages = (yield* HistoryRetention).days > 0
  const engine = yield* Engine
  /** Not while programs may be connected that know only objects. */
  const imagesAsRows = Effect.map(engine.hasOlderWriters, (hasOlder) => !hasOlder && !engine.isDistributed)

  /** The parameters of a recording, in the order that `makeRecording` numbers them. */
  const recordingParams = Effect.fnUntraced(function* (owner: string, change: Change, known: KnownChanges) {
    const tx = yield* CurrentTransaction
    const stamp = tx?.writeTimestamps.get(owner)
    if (tx === undefined || stamp === undefined) return [null, 0, false, [], false]
    // A dry run always has images, which go with it.
    const hasImages = keepsImages || (yield* CurrentOperation)?.inspect !== undefined
    const asRows = known.asRows === true && (yield* imagesAsRows)
    const notes = notesOf(tx, owner)
    const params = [stamp, notes.nextPart, hasImages, freshIn(notes, known), asRows]
    noteIn(notes, known, change)
    return params
  })

  const through =
    <A>(run: (sql: string, params: Params) => Stored<A>) =>
    (change: Change, params: Params, known: KnownChanges = {}): Stored<A> =>
      Effect.flatMap(recordingParams(params[0] as string, change, known), (recording) =>
        runComposed(db, change, [...params, ...recording], run)
      )

  const recorder: Recorder = {
    keepsImages,
    write: through(db.write),
    send: through(db.send),
    note: (owner, known) =>
      Effect.map(CurrentTransaction, (tx) => {
        if (tx?.writeTimestamps.has(owner) === true) noteIn(notesOf(tx, owner), known)
      })
  }
  return recorder
})

import { type OperationCall, recordOf } from "@lists-and-things/domain/model/CurrentOperation"
import {
  type Entity,
  type EntityChange,
  type EntityKey,
  type EntityType,
  byTypeAndId,
  isSame,
  keyText,
  type Operation,
  operationIdAt,
  settingsOf
} from "@lists-and-things/domain/model/Operation"
import { utf8Bytes } from "@lists-and-things/domain/model/Size"
import type { OwnerData } from "../OwnerData.ts"
import type { Table } from "../Table.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** What is known of a transaction at its end. */
interface Ended {
  readonly writeTimestamp: EpochMillis
  readonly call: OperationCall | undefined
  readonly keepsImages: boolean
}

/**
 * Adds the operation of a transaction to `data`, which the transaction wrote; `base` is the data before it. Returns
 * undefined and adds nothing if nothing was changed.
 */
export const recordOperation = (
  base: OwnerData,
  data: OwnerData,
  { call, keepsImages, writeTimestamp }: Ended
): Operation | undefined => {
  const entities = changesOf(base, data)
  const changed = new Set(entities.map(keyText))
  const adjusted = [...adjustedKeys("list", data.lists), ...adjustedKeys("thing", data.things)]
  const keys = [
    ...entities.map(({ id, type }) => ({ type, id })),
    ...adjusted.filter((key) => !changed.has(keyText(key)))
  ]
  if (keys.length === 0) return undefined
  const count = (type: EntityType): number => entities.filter((entity) => entity.type === type).length
  const operation: Operation = {
    id: call?.id ?? operationIdAt(writeTimestamp, crypto.getRandomValues(new Uint8Array(10))),
    owner: data.account.id,
    at: writeTimestamp,
    ...recordOf(call),
    counts: { lists: count("list"), things: count("thing"), reminders: count("reminder"), places: count("place") },
    undoneBy: null
  }
  const images = keepsImages ? entities : entities.map((entity) => ({ ...entity, before: undefined }))
  data.operations.set(String(writeTimestamp), {
    operation,
    entities: images,
    keys: keys.toSorted(byTypeAndId),
    remindedThings: remindedThings(data),
    hasImages: keepsImages,
    bytes: keepsImages ? bytesOf(entities) : 0
  })
  if (entities.some(({ type }) => type === "account" || type === "place")) data.settingsChanged = writeTimestamp
  return operation
}

/** Keys of rows of which only `updated` or the position changed, by `adjust` or by a replacement. */
const adjustedKeys = (type: EntityType, table: Table<object>): ReadonlyArray<EntityKey> => {
  const same = [...table.before].filter(([id, row]) => isSame(row, table.get(id))).map(([id]) => id)
  return [...new Set([...table.adjusted, ...same])].filter((id) => table.has(id)).map((id) => ({ type, id }))
}

const changesOf = (base: OwnerData, data: OwnerData): ReadonlyArray<EntityChange> =>
  [
    ...settingsChanges(base, data),
    ...tableChanges(data.places, (value) => ({ type: "place", value })),
    ...tableChanges(data.lists, (value) => ({ type: "list", value })).filter(isChangeIn(data.lists)),
    ...tableChanges(data.things, (value) => ({ type: "thing", value })).filter(isChangeIn(data.things)),
    ...tableChanges(data.reminders, (value) => ({ type: "reminder", value }))
  ].sort(byTypeAndId)

const settingsChanges = (base: OwnerData, data: OwnerData): ReadonlyArray<EntityChange> => {
  const [before, after] = [settingsOf(base.account), settingsOf(data.account)]
  if (isSame(before, after)) return []
  return [{ type: "account", id: before.id, change: "updated", before: { type: "account", value: before } }]
}

/** Whether more than `updated` has changed. */
const isChangeIn =
  (table: Table<object>) =>
  ({ before, id }: EntityChange): boolean =>
    !isSame(before?.value, table.get(id))

/** Compares by id and not by key, since a reminder is stored under its thing's id. */
const tableChanges = <A extends { readonly id: string }>(
  table: Table<A>,
  entityOf: (row: A) => Entity
): ReadonlyArray<EntityChange> => {
  const keys = [...table.before.keys()]
  const before = rowsById(keys.map((key) => table.before.get(key)))
  const after = rowsById(keys.map((key) => table.get(key)))
  return [...new Set([...before.keys(), ...after.keys()])].map((id) => {
    const row = before.get(id)
    const entity = row === undefined ? undefined : entityOf(row)
    const change = entity === undefined ? "created" : after.has(id) ? "updated" : "deleted"
    return { type: entityOf((row ?? after.get(id))!).type, id, change, before: entity }
  })
}

const rowsById = <A extends { readonly id: string }>(rows: ReadonlyArray<A | undefined>): ReadonlyMap<string, A> =>
  new Map(rows.filter((row) => row !== undefined).map((row) => [row.id, row]))

/** Ids of the things whose reminders were changed: reminders are stored under these. */
const remindedThings = (data: OwnerData): ReadonlySet<string> => new Set(data.reminders.before.keys())

const bytesOf = (entities: ReadonlyArray<EntityChange>): number =>
  entities.reduce((sum, { before }) => sum + (before === undefined ? 0 : utf8Bytes(JSON.stringify(before.value))), 0)

import { Schema } from "effect"
import { formatTime } from "../days/IsoTime.ts"
import { EpochMillis } from "../model/EpochMillis.ts"
import { actorTypes, entityTypes, type EntityKey, type Operation, surfaces } from "../model/Operation.ts"
import type { DryRun } from "../history/DryRuns.ts"
import { TimeJson } from "./TimeJson.ts"

const NullOr = Schema.NullOr

/** One call that changed something (docs/decisions.md#history). */
export const OperationJson = Schema.Struct({
  id: Schema.String,
  at: TimeJson,
  name: Schema.String,
  surface: Schema.Literals(surfaces),
  by: Schema.Struct({ type: Schema.Literals(actorTypes), id: Schema.String, name: Schema.String }),
  request_id: NullOr(Schema.String),
  summary: Schema.String,
  counts: Schema.Struct({
    lists: Schema.Int,
    things: Schema.Int,
    reminders: Schema.Int,
    places: Schema.Int
  }),
  undoes: NullOr(Schema.String),
  undone_by: NullOr(Schema.String)
})
export type OperationJson = typeof OperationJson.Type

export const operationJson = (operation: Operation): OperationJson => ({
  id: operation.id,
  at: formatTime(EpochMillis(operation.at)),
  name: operation.name,
  surface: operation.surface,
  by: { type: operation.by.type, id: operation.by.id, name: operation.by.name },
  request_id: operation.requestId,
  summary: operation.summary,
  counts: {
    lists: operation.counts.lists,
    things: operation.counts.things,
    reminders: operation.counts.reminders,
    places: operation.counts.places
  },
  undoes: operation.undoes,
  undone_by: operation.undoneBy
})

/** `GET /operations`. */
export const OperationsJson = Schema.Struct({
  operations: Schema.Array(OperationJson),
  page: Schema.Int,
  page_size: Schema.Int,
  has_more: Schema.Boolean
})

export const operationsJson = (
  { hasMore, items }: { readonly items: ReadonlyArray<Operation>; readonly hasMore: boolean },
  page: number,
  pageSize: number
): typeof OperationsJson.Type => ({
  operations: items.map(operationJson),
  page,
  page_size: pageSize,
  has_more: hasMore
})

/** Fields of an entity as the contract's JSON has them. */
const FieldsJson = NullOr(Schema.Record(Schema.String, Schema.Unknown))
type FieldsJson = typeof FieldsJson.Type

/**
 * What an operation did to one entity: `before` has all fields of what it deleted and the changed fields of what it
 * updated, `after` the changed fields of what it updated; null otherwise.
 */
export const EntityJson = Schema.Struct({
  type: Schema.Literals(entityTypes),
  id: Schema.String,
  change: Schema.Literals(["created", "updated", "deleted"]),
  before: FieldsJson,
  after: FieldsJson
})
export type EntityJson = typeof EntityJson.Type

/** What an operation did to one entity, with its complete states in the contract's JSON. */
export interface EntityStates extends EntityKey {
  readonly change: EntityJson["change"]
  readonly before: object | undefined
  readonly after: object | undefined
}

export const entityJson = ({ type, id, change, before, after }: EntityStates): EntityJson => {
  if (change === "created") return { type, id, change, before: null, after: null }
  if (change === "deleted") return { type, id, change, before: { ...before }, after: null }
  return { type, id, change, before: changedFields(before, after), after: changedFields(after, before) }
}

/** The fields of `state` that differ in `other`; null without a state. */
const changedFields = (state: object | undefined, other: object | undefined): FieldsJson => {
  if (state === undefined) return null
  const others = new Map(Object.entries(other ?? {}))
  return Object.fromEntries(
    Object.entries(state).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(others.get(key)))
  )
}

/** An entity of a dry run; what would be created has no id. */
const DryEntityJson = Schema.Struct({ ...EntityJson.fields, id: Schema.optionalKey(Schema.String) })

/** The answer of a write with `dry_run`. */
export const DryRunJson = Schema.Struct({
  dry_run: Schema.Literal(true),
  summary: Schema.String,
  counts: OperationJson.fields.counts,
  entities: Schema.optionalKey(Schema.Array(DryEntityJson)),
  entities_truncated: Schema.optionalKey(Schema.Literal(true))
})
export type DryRunJson = typeof DryRunJson.Type

export const dryRunJson = ({ counts, entities, summary, truncated }: DryRun): DryRunJson => ({
  dry_run: true,
  summary,
  counts: { lists: counts.lists, things: counts.things, reminders: counts.reminders, places: counts.places },
  ...(entities === undefined ? {} : { entities: entities.map(dryEntity(entities)) }),
  ...(truncated ? { entities_truncated: true as const } : {})
})

/** Leaves out the ids of what would be created, which another call would give other ids. */
const dryEntity = (all: ReadonlyArray<EntityStates>) => {
  const made = new Set<unknown>(all.filter(({ change }) => change === "created").map(({ id }) => id))
  const known = (fields: FieldsJson): FieldsJson =>
    fields === null ? null : Object.fromEntries(Object.entries(fields).filter(([, value]) => !made.has(value)))
  return (states: EntityStates): typeof DryEntityJson.Type => {
    const { after, before, change, id, type } = entityJson(states)
    const shown = { change, before: known(before), after: known(after) }
    return change === "created" ? { type, ...shown } : { type, id, ...shown }
  }
}

/** Whether an operation can be undone now, is blocked by something, or has lost its images. */
export const undoStates = ["possible", "blocked", "expired"] as const
export type UndoState = (typeof undoStates)[number]

/** `GET /operations/{id}`. */
export const OperationViewJson = Schema.Struct({
  operation: OperationJson,
  entities: Schema.Array(EntityJson),
  entities_truncated: Schema.optionalKey(Schema.Literal(true)),
  undo: Schema.Literals(undoStates)
})

/** `POST /operations/{id}/undo`: the undo, and what it took back as it is now. */
export const UndoneJson = Schema.Struct({ operation: OperationJson, undone: OperationJson })

export const undoneJson = (result: {
  readonly operation: Operation
  readonly undone: Operation
}): typeof UndoneJson.Type => ({ operation: operationJson(result.operation), undone: operationJson(result.undone) })

export const operationViewJson = (view: {
  readonly operation: Operation
  readonly entities: ReadonlyArray<EntityStates>
  readonly truncated: boolean
  readonly undo: UndoState
}): typeof OperationViewJson.Type => ({
  operation: operationJson(view.operation),
  entities: view.entities.map(entityJson),
  ...(view.truncated ? { entities_truncated: true as const } : {}),
  undo: view.undo
})

import { Schema } from "effect"
import { formatTime } from "../days/IsoTime.ts"
import {
  actorTypes,
  entityTypes,
  type EntityKey,
  type Operation,
  type OperationCounts,
  surfaces
} from "../model/Operation.ts"
import type { Page } from "../ports/Storage.ts"
import { Count, described, optional, TimeJson } from "./Described.ts"
import { pageFields, pageJson } from "./PageJson.ts"

const NullOr = Schema.NullOr

/** One call that changed something (docs/decisions.md#history). */
export const OperationJson = Schema.Struct({
  id: described(Schema.String, "Opaque; the `X-Operation-Id` of the write's response."),
  at: described(TimeJson, "When it was written; strictly later than the account's previous operation."),
  name: described(Schema.String, "The `operationId` of the API operation that makes this change, on every surface."),
  surface: described(Schema.Literals(surfaces), "The interface through which the call came in."),
  by: described(
    Schema.Struct({
      type: described(
        Schema.Literals(actorTypes),
        "An API key, a connected app, a browser session, or the operator of the server."
      ),
      id: described(Schema.String, "The id of the key, app, session or operator; `by_id` takes it."),
      name: described(Schema.String, "Its name; may be empty.")
    }),
    "Who made the call."
  ),
  request_id: described(
    NullOr(Schema.String),
    "The `Idempotency-Key` of the request or the `request_id` of the tool call; null if there was none."
  ),
  summary: described(Schema.String, "One line in English that names what was changed."),
  counts: described(
    Schema.Struct({
      lists: described(Count, "Lists, including a day list that the call created."),
      things: described(Count, "Things."),
      reminders: described(Count, "Reminders."),
      places: described(Count, "Saved places.")
    }),
    "How many entities of each type it changed."
  ),
  undoes: described(NullOr(Schema.String), "The id of the operation that this one undid; null if this is not an undo."),
  undone_by: described(NullOr(Schema.String), "The id of the operation that undid this one; null if it is not undone.")
})
export type OperationJson = typeof OperationJson.Type

export const operationJson = (operation: Operation): OperationJson => ({
  id: operation.id,
  at: formatTime(operation.at),
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
  operations: described(Schema.Array(OperationJson), "Newest first."),
  ...pageFields
})

export const operationsJson = (found: Page<Operation>, page: number, pageSize: number): typeof OperationsJson.Type => ({
  operations: found.items.map(operationJson),
  ...pageJson(found, page, pageSize)
})

/** Fields of an entity as the contract's JSON has them. */
const FieldsJson = NullOr(Schema.Record(Schema.String, Schema.Unknown))
type FieldsJson = typeof FieldsJson.Type

/**
 * What an operation did to one entity: `before` has all fields of what it deleted and the changed fields of what it
 * updated, `after` the changed fields of what it updated; null otherwise.
 */
export const EntityJson = Schema.Struct({
  type: described(Schema.Literals(entityTypes), "The type of the entity."),
  id: described(Schema.String, "The id of the entity."),
  change: described(Schema.Literals(["created", "updated", "deleted"]), "What happened to it."),
  before: described(
    FieldsJson,
    "All fields of a deleted entity, the changed fields of an updated one, null for a created one."
  ),
  after: described(FieldsJson, "The changed fields of an updated entity; otherwise null.")
})
export type EntityJson = typeof EntityJson.Type

/** What an operation did to one entity, with its complete states in the contract's JSON. */
export interface EntityStates extends EntityKey {
  readonly change: EntityJson["change"]
  readonly before: object | undefined
  readonly after: object | undefined
}

/** Takes the complete states, and keeps of an update what differs between them. */
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

/** What a write would have done. */
export interface DryRun {
  readonly summary: string
  readonly counts: OperationCounts
  /** The first 50; undefined for a caller who may not read both lists and things. */
  readonly entities: ReadonlyArray<EntityStates> | undefined
  /** Whether there are more entities than these. */
  readonly truncated: boolean
}

/** An entity of a dry run; what would be created has no id. */
const DryEntityJson = Schema.Struct({
  ...EntityJson.fields,
  id: optional(Schema.String, "The id of the entity; left out if it would be created.")
})

/** The answer of a write with `dry_run`. */
export const DryRunJson = Schema.Struct({
  dry_run: described(Schema.Literal(true), "Nothing was changed."),
  summary: described(Schema.String, "What the write would do, in one line."),
  counts: OperationJson.fields.counts,
  entities: optional(
    Schema.Array(DryEntityJson),
    "The entities that it would change, at most 50; left out for a key without `read:lists` and `read:things`."
  ),
  entities_truncated: optional(Schema.Literal(true), "There are more entities than are shown.")
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
const undoStates = ["possible", "blocked", "expired"] as const
export type UndoState = (typeof undoStates)[number]

/** `GET /operations/{id}`. */
export const OperationViewJson = Schema.Struct({
  operation: OperationJson,
  entities: described(Schema.Array(EntityJson), "The entities that it changed, at most 500."),
  entities_truncated: optional(Schema.Literal(true), "There are more entities than these 500."),
  undo: described(
    Schema.Literals(undoStates),
    "Whether an undo would succeed now. `expired`: the data for an undo is no longer kept."
  )
})

/** `POST /operations/{id}/undo`: the undo, and what it took back as it is now. */
const UndoneJson = Schema.Struct({ operation: OperationJson, undone: OperationJson })

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

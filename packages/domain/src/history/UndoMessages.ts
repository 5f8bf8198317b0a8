import { enumerated } from "../text/Wording.ts"
import { changesSettings, type Entity, type EntityChange, type EntityKey, type Operation } from "../model/Operation.ts"
import { nameOf } from "./Entities.ts"

/** Entities that a message names. */
const maxNamedEntities = 5

/** Operations that a message names. */
export const maxNamedOperations = 20

/** What stands in the way of an undo. */
export interface Obstacle {
  readonly key: EntityKey
  readonly entity: Entity | undefined
  /** What later operations did to it. */
  readonly change: EntityChange["change"]
}

/**
 * Why an operation cannot be undone: what stands in the way, and the later operations that put it there. `gone` is one of
 * these whose images are pruned or erased.
 */
export const blockedMessage = (
  obstacles: ReadonlyArray<Obstacle>,
  causes: ReadonlyArray<Operation>,
  gone?: Operation
): string => {
  const names = enumerated(
    obstacles.map(({ entity, key }) => nameOf(key, entity)),
    maxNamedEntities
  )
  const one = obstacles.length === 1
  if (causes.length === 0) return `This cannot be undone: ${names} ${one ? "is" : "are"} in the way.`
  const newestFirst = causes.toSorted((a, b) => b.at - a.at).map(({ id }) => id)
  const operations = `${causes.length === 1 ? "operation" : "operations"} ${enumerated(newestFirst, maxNamedOperations)}`
  return `This cannot be undone: ${names} ${one ? "was" : "were"} ${doneTo(obstacles)} by the later ${operations}. ${adviceFor(causes, gone)}`
}

const adviceFor = (causes: ReadonlyArray<Operation>, gone: Operation | undefined): string => {
  const settings = causes.find(changesSettings)
  if (settings !== undefined) return settingsMessage(settings)
  if (gone !== undefined) return goneMessage(gone)
  return `Undo ${causes.length === 1 ? "that" : "those"} first.`
}

/** Why an operation on the settings is never undone, and keeps blocking the undo of earlier ones. */
export const settingsMessage = ({ id }: Operation): string =>
  `The operation ${id} changed settings of the account, which are never undone.`

/** Why an operation whose images are pruned or erased is not undone, and keeps blocking the undo of earlier ones. */
export const goneMessage = ({ id }: Operation): string =>
  `The operation ${id} cannot be undone any more: what it changed is no longer kept.`

const verbs = { created: "added", updated: "changed", deleted: "deleted" } as const

const doneTo = (obstacles: ReadonlyArray<Obstacle>): string =>
  [...new Set(obstacles.map(({ change }) => verbs[change]))].toSorted().join(" or ")

/** Why an operation that was undone is not undone again. */
export const redoMessage = (last: string, isInEffect: boolean): string =>
  isInEffect
    ? `This operation was undone and redone: undo the redo, which is the operation ${last}.`
    : `This operation was undone already, by the operation ${last}. Undo that one to redo it.`

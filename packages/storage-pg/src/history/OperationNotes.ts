import type { EntityType } from "@lists-and-things/domain/model/Operation"

/** What the statements of a transaction add to the operation of one account; the rest is in `operation_images`. */
export interface OperationNotes {
  /** The part that the next image is; 0 while no statement has stored any. */
  nextPart: number
  /** The types of the entities that were inserted or replaced, by id. */
  readonly stored: Map<string, EntityType>
  readonly touchedLists: Set<string>
  /** Things whose reminder was put or moved to them, each with the ids of those that were put within the operation. */
  readonly remindedThings: Map<string, Set<string>>
  /** Things that are gone for certain. */
  readonly removedThings: Set<string>
  /** Ranges of the parts whose entities were removed, such as `[0,10)`. */
  readonly removedParts: Array<string>
  /** Whether a statement may have removed entities. */
  removes: boolean
}

export const noNotes = (): OperationNotes => ({
  nextPart: 0,
  stored: new Map(),
  touchedLists: new Set(),
  remindedThings: new Map(),
  removedThings: new Set(),
  removedParts: [],
  removes: false
})

export const isBlank = ({ nextPart, stored, touchedLists }: OperationNotes): boolean =>
  nextPart === 0 && stored.size === 0 && touchedLists.size === 0

import { describe, expect, it } from "@effect/vitest"
import { blocking, isInEffect, lastUndoOf } from "../../src/history/InEffect.ts"
import { EpochMillis } from "../../src/model/EpochMillis.ts"
import { AccountId } from "../../src/model/Ids.ts"
import { type Operation, operationIdAt } from "../../src/model/Operation.ts"

const idAt = (at: number) => operationIdAt(EpochMillis(at), new Uint8Array(10))

/** An operation at a time, with the times of the operation that undid it and the one that it undoes. */
const operation = (at: number, links: { readonly undoneBy?: number; readonly undoes?: number } = {}): Operation => ({
  id: idAt(at),
  owner: AccountId.make("019bd000-0000-7000-8000-000000000001"),
  at: EpochMillis(at),
  name: "updateThing",
  surface: "rest",
  by: { type: "key", id: "a", name: "A" },
  requestId: null,
  summary: "",
  counts: { lists: 0, things: 1, reminders: 0, places: 0 },
  undoes: links.undoes === undefined ? null : idAt(links.undoes),
  undoneBy: links.undoneBy === undefined ? null : idAt(links.undoneBy)
})

const byId = (...operations: ReadonlyArray<Operation>) => new Map(operations.map((each) => [each.id as string, each]))

const times = (operations: ReadonlyArray<{ readonly operation: Operation }>) =>
  operations.map((each) => each.operation.at)

/** The times of the operations that block the first one. */
const blockers = (...operations: ReadonlyArray<Operation>) => {
  const later = operations.slice(1).map((each) => ({ operation: each, keys: [] }))
  return times(blocking(operations[0]!, later, byId(...operations), new Set()))
}

describe("an operation", () => {
  it("is in effect until it is undone, and again when the undo is undone", () => {
    const [one, undo, redo] = [
      operation(1, { undoneBy: 2 }),
      operation(2, { undoes: 1, undoneBy: 3 }),
      operation(3, { undoes: 2 })
    ]
    expect(isInEffect(operation(1), byId())).toBe(true)
    expect(isInEffect(one, byId(operation(2, { undoes: 1 })))).toBe(false)
    expect(isInEffect(one, byId(undo, redo))).toBe(true)
    expect(isInEffect(undo, byId(undo, redo))).toBe(false)
    expect([lastUndoOf(one, byId(undo, redo)), lastUndoOf(redo, byId())]).toStrictEqual([redo.id, redo.id])
  })

  it("is not in effect if the operation that undid it is no longer stored", () => {
    expect(isInEffect(operation(1, { undoneBy: 2 }), byId())).toBe(false)
  })

  it("is in effect again if its undo is among the operations to be undone", () => {
    const [one, undo] = [operation(1, { undoneBy: 2 }), operation(2, { undoes: 1 })]
    expect(isInEffect(one, byId(one, undo), new Set([undo.id]))).toBe(true)
    expect(isInEffect(undo, byId(one, undo), new Set([undo.id]))).toBe(false)
  })

  it("is blocked by a later operation that is in effect", () => {
    expect(blockers(operation(1), operation(2))).toStrictEqual([2])
  })

  it("is not blocked by a later operation that was undone, nor by the undo; it is once that is redone", () => {
    expect(blockers(operation(1), operation(2, { undoneBy: 3 }), operation(3, { undoes: 2 }))).toStrictEqual([])
    expect(
      blockers(
        operation(1),
        operation(2, { undoneBy: 3 }),
        operation(3, { undoes: 2, undoneBy: 4 }),
        operation(4, { undoes: 3 })
      )
    ).toStrictEqual([2])
  })

  it("is blocked by the undo of an earlier operation", () => {
    expect(blockers(operation(2), operation(3, { undoes: 1 }))).toStrictEqual([3])
  })
})

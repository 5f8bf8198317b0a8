import { formatCursor } from "@lists-and-things/domain/history/Cursor"
import { changedThings, undoSummary } from "@lists-and-things/domain/summaries/OperationSummaries"
import { changesJson } from "@lists-and-things/domain/json/ChangeJson"
import { operationsJson, operationViewJson, undoneJson } from "@lists-and-things/domain/json/OperationJson"
import { addMillis, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { type Operation, operationIdAt } from "@lists-and-things/domain/model/Operation"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { milk, owner, updated } from "./Examples.ts"

/** Examples of the history: the thing of the other examples is completed, and that is undone. */

const idAt = (at: EpochMillis) =>
  operationIdAt(
    at,
    Uint8Array.from({ length: 10 }, (_, byte) => byte * 23)
  )

export const completedMilk = (): Operation => ({
  id: idAt(updated),
  owner: owner.id,
  at: updated,
  name: "updateThing",
  surface: "rest",
  by: { type: "key", id: "4f9Kq2LmX0aB", name: "Kitchen" },
  requestId: null,
  summary: changedThings([milk], { completed: true, fields: [], returning: [] }, owner.timezone),
  counts: { lists: 0, things: 1, reminders: 0, places: 0 },
  undoes: null,
  undoneBy: null
})

const undo = (): Operation => {
  const at = addMillis(updated, 60_000)
  const done = completedMilk()
  return { ...done, id: idAt(at), at, name: "undoOperation", summary: undoSummary(done), undoes: done.id }
}

export const operations = () => operationsJson({ items: [completedMilk()], hasMore: false }, 0, 50)
export const operationView = () =>
  operationViewJson({
    operation: completedMilk(),
    entities: [
      {
        type: "thing",
        id: milk.id,
        change: "updated",
        before: thingJson(milk),
        after: thingJson({ ...milk, completed: true })
      }
    ],
    truncated: false,
    undo: "possible"
  })
export const undone = () => undoneJson({ operation: undo(), undone: { ...completedMilk(), undoneBy: undo().id } })
export const changes = () => {
  const { at, id } = completedMilk()
  return changesJson({
    changes: [{ type: "thing", id: milk.id, entity: { type: "thing", value: milk }, by: { at, id } }],
    cursor: formatCursor(owner.id, { _tag: "Following", point: { at, operation: id }, skip: 0 }),
    hasMore: false
  })
}

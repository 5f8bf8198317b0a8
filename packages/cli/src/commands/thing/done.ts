import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { UsageError } from "../../Failure.ts"
import { count } from "../../Output.ts"
import { updateThings } from "./ThingUpdates.ts"

export const run: StorageRun = (input) => {
  const undo = input.switch("undo")
  const cancel = input.switch("cancel")
  if (undo && cancel) throw new UsageError("--undo and --cancel exclude each other")
  const set = undo ? { completed: false, canceled: false } : cancel ? { canceled: true } : { completed: true }
  const verb = undo ? "Opened" : cancel ? "Canceled" : "Completed"
  return Effect.map(updateThings(input, set), (result) => ({
    json: result,
    text: `${verb} ${count(result.updated, "thing")}${result.skipped > 0 ? `, skipped ${result.skipped}` : ""}.`
  }))
}

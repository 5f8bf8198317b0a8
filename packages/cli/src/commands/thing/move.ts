import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { targetOf } from "../../ListRef.ts"
import { count } from "../../Output.ts"
import { updateThings } from "./ThingUpdates.ts"

export const run: StorageRun = (input) =>
  Effect.map(updateThings(input, targetOf(input.option("to") ?? "")), (result) => ({
    json: result,
    text: `Moved ${count(result.updated, "thing")}${result.skipped > 0 ? `, skipped ${result.skipped}` : ""}.`
  }))

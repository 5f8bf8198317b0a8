import { counted } from "@lists-and-things/domain/text/Wording"
import { DryRuns } from "@lists-and-things/domain/history/DryRuns"
import { type DryRun, dryRunJson } from "@lists-and-things/domain/json/OperationJson"
import { Effect } from "effect"
import type { StorageRun } from "./Command.ts"
import type { Answer } from "./Output.ts"
import { onBehalfOf, ownerOf } from "./Owner.ts"

/** Runs a command as a dry run on its account: everything that it writes is rolled back. */
export const dryRun =
  (run: StorageRun): StorageRun =>
  (input) =>
    Effect.gen(function* () {
      const account = yield* ownerOf(input)
      const dryRuns = yield* DryRuns
      return answerOf(yield* onBehalfOf(account)(dryRuns.of(Effect.suspend(() => run(input)))))
    })

const answerOf = (dryRun: DryRun): Answer => {
  const counts = [
    counted(dryRun.counts.lists, "list"),
    counted(dryRun.counts.things, "thing"),
    counted(dryRun.counts.reminders, "reminder"),
    counted(dryRun.counts.places, "place")
  ].filter((each) => !each.startsWith("0 "))
  return {
    json: dryRunJson(dryRun),
    text: `Dry run: ${dryRun.summary}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}. Nothing was changed.`
  }
}

import { counted } from "@lists-and-things/domain/text/Wording"
import { DryRuns } from "@lists-and-things/domain/history/DryRuns"
import { type DryRun, dryRunJson } from "@lists-and-things/domain/json/OperationJson"
import { entityName } from "@lists-and-things/domain/summaries/EntityName"
import { Effect } from "effect"
import type { StorageRun } from "./Command.ts"
import { entityLines } from "./EntityLines.ts"
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
  const json = dryRunJson(dryRun)
  const { entities = [], summary, truncated } = dryRun
  if (counts.length === 0 && entities.length === 0) return { json, text: `Dry run: ${summary}.` }
  const said = `Dry run: ${summary}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}. Nothing was changed.`
  const lines = json.entities?.flatMap((each, at) => entityLines(each, entityName(entities[at]!))) ?? []
  // Of a single thing that is added or deleted, the summary says all.
  if (lines.length < 2) return { json, text: said }
  const more = truncated ? [`It would change more: these are the first ${entities.length}.`] : []
  return { json, text: [said, ...lines, ...more].join("\n") }
}

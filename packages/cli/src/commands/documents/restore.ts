import { counted } from "@lists-and-things/domain/text/Wording"
import { Restore } from "@lists-and-things/domain/backup/Restore"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { Failure } from "../../Failure.ts"
import { readPieces } from "../../StandardInput.ts"
import { onBehalfOf, ownerOf } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const file = input.argument("FILE")
    const text = yield* readPieces(file, input.terminal)
    const account = yield* ownerOf(input)
    const restore = yield* Restore
    input.progress.begin("Restoring")
    const result = yield* onBehalfOf(account)(restore.run(text, { merge: input.switch("merge") })).pipe(
      Effect.catchTag("InvalidInput", (error) =>
        Effect.fail(
          new Failure(`${file === "-" ? "standard input" : file}, ${error.message}.`, "Nothing was restored.")
        )
      ),
      Effect.catchTag("Conflict", (error) =>
        Effect.fail(new Failure(error.message, "Make a new account, or add --merge: what is there already is skipped."))
      )
    )
    const skipped = result.skipped > 0 ? `; skipped ${result.skipped} that were there already` : ""
    return {
      json: result,
      text: `Restored ${counted(result.lists, "list")}, ${counted(result.things, "thing")} and ${counted(result.reminders, "reminder")} to ${account.email}${skipped}.`
    }
  }).pipe(Effect.provide(Restore.layer))

import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { confirm } from "../../Confirmation.ts"
import { findAccount } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const { id, email } = yield* findAccount(input.argument("ACCOUNT"))
    yield* confirm(input, `Deleting ${email} with all lists, things, reminders and keys`)
    yield* (yield* Accounts).remove(id)
    return { json: { deleted: id }, text: `Deleted ${email} (${id}) with everything it owned.` }
  })

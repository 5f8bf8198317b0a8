import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { findAccount } from "../../Owner.ts"
import { publicUrl } from "../../PublicUrl.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { id } = yield* findAccount(input.argument("ACCOUNT"))
    const token = yield* input.switch("rotate") ? accounts.rotateFeedToken(id) : accounts.feedToken(id)
    const url = `${yield* publicUrl}/reminders.ics?token=${token}`
    return { json: { url }, text: url, quiet: url, remark: "Keep it secret: whoever has it can read the reminders." }
  })

import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { accountJson } from "@lists-and-things/domain/json/AccountJson"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { accountText } from "./AccountText.ts"
import { settingsOf } from "./Settings.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const account = yield* accounts.create({ ...settingsOf(input), email: input.option("email") ?? "" })
    const json = accountJson(account)
    return {
      json,
      text: accountText(input.terminal, json),
      quiet: account.id,
      remark: `Next, a key for it: lat key create --account ${account.email}`
    }
  })

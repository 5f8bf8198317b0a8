import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { accountJson } from "@lists-and-things/domain/json/AccountJson"
import { Effect } from "effect"
import * as Redacted from "effect/Redacted"
import type { StorageRun } from "../../Command.ts"
import { UsageError } from "../../Failure.ts"
import { readText } from "../../Files.ts"
import { findAccount } from "../../Owner.ts"
import { accountText } from "./AccountText.ts"
import { settingsOf } from "./Settings.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const patch = settingsOf(input)
    const withPassword = input.switch("password-stdin")
    if (Object.keys(patch).length === 0 && !withPassword) {
      return yield* Effect.fail(new UsageError("name at least one setting, such as --timezone Europe/Berlin"))
    }
    const password = withPassword ? Redacted.make(yield* readPassword(input)) : undefined
    const accounts = yield* Accounts
    const { id } = yield* findAccount(input.argument("ACCOUNT"))
    if (password !== undefined) yield* accounts.setPassword(id, password)
    const { account, remindersMoved } = yield* accounts.update(id, patch)
    const json = accountJson(account)
    const text = accountText(input.terminal, json)
    return { json, text: remindersMoved === 0 ? text : `${text}\n${movedText(remindersMoved)}`, quiet: account.id }
  })

const movedText = (count: number): string =>
  count === 1
    ? "1 reminder keeps its time on the clock of the new zone."
    : `${count} reminders keep their time on the clock of the new zone.`

/** One line; its end does not belong to the password. */
const readPassword = (input: Parameters<StorageRun>[0]) =>
  Effect.map(readText("-", input.terminal), (text) => text.replace(/\r?\n$/, ""))

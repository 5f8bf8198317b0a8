import { accountJson } from "@lists-and-things/domain/json/AccountJson"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { findAccount } from "../../Owner.ts"
import { accountText } from "./AccountText.ts"

export const run: StorageRun = (input) =>
  Effect.map(findAccount(input.argument("ACCOUNT")), (account) => {
    const json = accountJson(account)
    return { json, text: accountText(input.terminal, json), quiet: account.id }
  })

import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { accountJson } from "@lists-and-things/domain/json/AccountJson"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { table } from "../../Output.ts"

export const run: StorageRun = (input) =>
  Effect.map(
    Effect.flatMap(Accounts, (accounts) => accounts.list),
    (accounts) => ({
      json: accounts.map(accountJson),
      text: table(
        input.terminal,
        ["ID", "EMAIL", "NAME", "TIME ZONE"],
        accounts.map((account) => [account.id, account.email, account.name, account.timezone])
      ),
      quiet: accounts.map((account) => account.id).join("\n"),
      ...(accounts.length === 0 && { remark: "No account yet. Make one: lat account create --email you@example.com" })
    })
  )

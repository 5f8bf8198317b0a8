import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { keyJson, type KeyJson } from "@lists-and-things/domain/json/KeyJson"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { table } from "../../Output.ts"
import { findAccount } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const ref = input.option("account")
    const account = ref === undefined ? undefined : (yield* findAccount(ref)).id
    const keys = (yield* (yield* ApiKeys).list(account)).map(keyJson)
    return {
      json: keys,
      text: table(input.terminal, ["ID", "NAME", "ACCOUNT", "SCOPES", "LIMIT", "LAST USED", "STATE"], keys.map(row)),
      quiet: keys.map((key) => key.id).join("\n")
    }
  })

const row = (key: KeyJson): ReadonlyArray<string> => [
  key.id,
  key.name,
  key.account_id,
  key.scopes.length === 5 ? "all" : key.scopes.join(","),
  String(key.rate_limit),
  key.last_used_at?.slice(0, 16).replace("T", " ") ?? "never",
  key.revoked_at === null ? "active" : `revoked ${key.revoked_at.slice(0, 10)}`
]

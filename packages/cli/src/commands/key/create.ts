import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { scopes as knownScopes, type Scope } from "@lists-and-things/domain/caller/Scope"
import { nearest } from "@lists-and-things/domain/json/Nearest"
import { newKeyJson } from "@lists-and-things/domain/json/KeyJson"
import { Effect } from "effect"
import type { StorageRun } from "../../Command.ts"
import { UsageError } from "../../Failure.ts"
import { facts } from "../../Output.ts"
import { findAccount } from "../../Owner.ts"

export const run: StorageRun = (input) =>
  Effect.gen(function* () {
    const scopes = scopesOf(input.options("scopes"))
    const rateLimit = input.whole("rate-limit")
    const account = yield* findAccount(input.option("account") ?? "")
    const { key, token } = yield* (yield* ApiKeys).create({
      account: account.id,
      name: input.option("name") ?? "",
      ...(scopes !== undefined && { scopes }),
      ...(rateLimit !== undefined && { rateLimit })
    })
    return {
      json: newKeyJson(key, token),
      text: facts(input.terminal, [
        ["key", token],
        ["id", key.id],
        ["account", account.email],
        ["scopes", key.scopes.join(", ")],
        ["rate limit", `${key.rateLimit} requests an hour`]
      ]),
      quiet: token,
      remark: "Copy the key now: it is not shown again."
    }
  })

const scopesOf = (given: ReadonlyArray<string> | undefined): ReadonlyArray<Scope> | undefined => {
  if (given === undefined) return undefined
  const names = given.flatMap((each) => each.split(",")).map((name) => name.trim())
  return names.filter((name) => name !== "").map(scopeOf)
}

const scopeOf = (name: string): Scope => {
  const scope = knownScopes.find((known) => known === name)
  if (scope !== undefined) return scope
  const near = nearest(name, knownScopes)
  const hint = near === undefined ? `known are ${knownScopes.join(", ")}` : `did you mean ${near}?`
  throw new UsageError(`--scopes: '${name}' is not a scope: ${hint}`)
}

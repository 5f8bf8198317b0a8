import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { type Scope, scopes as knownScopes } from "@lists-and-things/domain/model/Scope"
import { type KeyJson, keyJson, newKeyJson } from "@lists-and-things/domain/json/KeyJson"
import { nearest, nearestOf } from "@lists-and-things/domain/text/Nearest"
import { Effect } from "effect"
import type { StorageRun } from "../Command.ts"
import { Failure, UsageError } from "../Failure.ts"
import { facts } from "../Table.ts"
import { findAccount, ownerOf } from "../Owner.ts"

export const create: StorageRun = (input) =>
  Effect.gen(function* () {
    const scopes = scopesOf(input.options("scopes"))
    const rateLimit = input.wholeNumber("rate-limit")
    const account = yield* ownerOf(input)
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

export const list: StorageRun = (input) =>
  Effect.gen(function* () {
    const ref = input.option("account")
    const account = ref === undefined ? undefined : (yield* findAccount(ref)).id
    const emails = new Map<string, string>((yield* (yield* Accounts).list).map(({ email, id }) => [id, email]))
    const keys = (yield* (yield* ApiKeys).list(account)).map((key) => ({
      ...keyJson(key),
      account_email: emails.get(key.accountId) ?? ""
    }))
    const heads = ["ID", "NAME", "EMAIL", "ACCOUNT", "SCOPES", "LIMIT", "LAST USED (UTC)", "STATE"]
    return {
      json: keys,
      text: { heads, rows: keys.map(row), none: `No key yet. Make one: ${lat("key create --account ACCOUNT")}` },
      quiet: keys.map((key) => key.id).join("\n")
    }
  })

const row = (key: KeyJson & { readonly account_email: string }): ReadonlyArray<string> => [
  key.id,
  key.name,
  key.account_email,
  key.account_id,
  key.scopes.length === knownScopes.length ? "all" : key.scopes.join(","),
  String(key.rate_limit),
  key.last_used_at?.slice(0, 16).replace("T", " ") ?? "never",
  key.revoked_at === null ? "active" : `revoked ${key.revoked_at.slice(0, 10)}`
]

export const revoke: StorageRun = (input) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const id = input.argument("KEY_ID").replace(/^lat_([0-9A-Za-z]{12})(_.*)?$/, "$1")
    yield* Effect.catchTag(keys.revoke(id), "NotFound", ({ message }) =>
      Effect.flatMap(keys.list(), (all) =>
        Effect.fail(
          unknownKey(
            all.map((key) => key.id),
            id,
            message
          )
        )
      )
    )
    return { json: { id, revoked: true }, text: `Key ${id} is revoked: requests with it are refused from now on.` }
  })

const unknownKey = (ids: ReadonlyArray<string>, id: string, message: string): Failure => {
  const near = nearestOf(id, ids, 2)
  return new Failure(
    message,
    near.length === 0 ? `'${lat("key list")}' shows all keys.` : `Did you mean ${near.join(" or ")}?`
  )
}

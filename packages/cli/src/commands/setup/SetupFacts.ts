import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { passwordLinkLifetime, PasswordLinks, passwordLinkUrl } from "@lists-and-things/domain/caller/PasswordLinks"
import type { Account } from "@lists-and-things/domain/model/Account"
import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import * as Settings from "@lists-and-things/settings/Settings"
import { Effect, Option, Redacted } from "effect"
import { resolve } from "node:path"
import { type Programs, serverName } from "./Programs.ts"
import { assistantCommand, type SigningIn } from "./SetupText.ts"

/** How to sign in to an account: creates a link if it has no password, which invalidates its earlier links. */
export const signingInAs = Effect.fnUntraced(function* (siteUrl: string, { email, id }: Account) {
  if (yield* (yield* Accounts).hasPassword(id)) return { _tag: "Password", email } satisfies SigningIn
  const { secret } = yield* (yield* PasswordLinks).create(id)
  return {
    _tag: "Link",
    email,
    url: passwordLinkUrl(siteUrl, secret),
    lifetime: passwordLinkLifetime
  } satisfies SigningIn
})

/** Where the data is stored, without secrets. */
export const dataLocation = Effect.gen(function* () {
  if ((yield* Settings.storage.config) === "memory") return "the memory of the server; nothing is kept"
  if ((yield* Settings.databaseUrl.config) === undefined) return resolve(yield* Settings.dataDir.config)
  return (yield* (yield* StorageAdmin).status).location
})

/**
 * Environment variables with which a program that is started elsewhere reaches the same data; they may hold passwords.
 */
export const variablesOfStorage = Effect.gen(function* () {
  const url = yield* Settings.databaseUrl.config
  if (url !== undefined) {
    const pooler = yield* Settings.databasePooler.config
    return { DATABASE_URL: Redacted.value(url), ...(pooler !== undefined && { LAT_DATABASE_POOLER: pooler }) }
  }
  const folder = Option.getOrUndefined(yield* Settings.dataDir.given)
  return folder === undefined ? {} : { LAT_DATA_DIR: resolve(folder) }
})

/**
 * Options of `lat-mcp` for the account of an email. An assistant does not inherit `LAT_ACCOUNT`, so that account is named
 * as well.
 */
export const optionsFor = (email: string | undefined): ReadonlyArray<string> =>
  email === undefined ? [] : ["--account", email]

/** Whether other programs on this machine, such as commands, reach the data; they do not reach a server's memory. */
export const isShared = Effect.map(Settings.storage.config, (storage) => storage !== "memory")

/**
 * The command that connects Claude Code from any folder: over HTTP if the data is in the server's memory or in an external
 * database, which needs a password.
 */
export const connectingCommand = Effect.fnUntraced(function* (
  programs: Programs,
  siteUrl: string,
  options: ReadonlyArray<string> = []
) {
  return (yield* Settings.databaseUrl.config) === undefined && (yield* isShared)
    ? assistantCommand(programs, options, yield* variablesOfStorage)
    : `claude mcp add ${serverName} --scope user --transport http ${siteUrl}/mcp`
})

import { Effect, Schedule } from "effect"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { createFirstAccount, lat } from "@lists-and-things/domain/text/CommandLine"
import type { Account } from "@lists-and-things/domain/model/Account"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"

/** Email of the account that the first start creates; `lat account set` changes it. */
const firstEmail = "owner@example.com"

const loopback = new Set(["127.0.0.1", "::1", "localhost"])

/** What the first start has created; `token` is the text of its API key, and is stored nowhere. */
export interface FirstStart {
  readonly account: Account
  /** The machine's time zone, by `TZ` or its settings. */
  readonly timezone: string
  readonly token: string
}

/** Where a server runs. */
interface Site {
  readonly host: string
  /** Whether the storage serves this machine alone. */
  readonly ownStorage: boolean
  /** Whether no other program shares the storage. */
  readonly inMemory: boolean
}

const isPersonal = ({ host, ownStorage }: Site): boolean => ownStorage && loopback.has(host)

/** Milliseconds between two attempts. */
const retryMillis = 500

/**
 * Repeats what the storage did not answer, for a server that listens already: it answers 503 meanwhile, and must not
 * end. A full storage and a lost commit still fail.
 */
export const persistently = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, {
    while: (error) => error instanceof StorageUnavailable && error.outcome === "not-applied" && error.full !== true,
    schedule: Schedule.spaced(retryMillis)
  })

/**
 * On the very first start, with an empty storage of this machine alone and on a loopback address, creates an account in
 * the machine's time zone with a key, and returns the key's token. Undefined on any other start
 * (docs/decisions.md#accounts-and-keys).
 */
export const firstStart = Effect.fn("firstStart")(function* (site: Site) {
  if (!isPersonal(site)) return undefined
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  if (!(yield* persistently(accounts.isEmpty))) return undefined
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const account = yield* persistently(accounts.create({ email: firstEmail, timezone })).pipe(
    // Another process created the account concurrently and has shown its own key.
    Effect.catchTag("Conflict", () => Effect.succeed(undefined))
  )
  if (account === undefined) return undefined
  const { token } = yield* persistently(keys.create({ account: account.id, name: "First key" }))
  return { account, timezone, token }
})

/** The text that a server prints when it listens; `siteUrl` has no trailing slash. */
export const startText = (siteUrl: string): string => `Lists and Things answers at ${siteUrl}
  REST API   ${siteUrl}/api/v1
  Interface  ${siteUrl}/docs
  Tools      ${siteUrl}/mcp
`

/**
 * A line about the only account if it has no password and none of its keys was ever used: what the first start printed
 * may never have been read, or that start was ended before it had made a key.
 */
const unusedText = Effect.gen(function* () {
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const account = yield* persistently(accounts.only)
  if (account === undefined) return ""
  const { email, id } = account
  const isUsed = (yield* persistently(keys.list(id))).some(({ lastUsed }) => lastUsed !== null)
  if (isUsed || (yield* persistently(accounts.hasPassword(id)))) return ""
  return `  Account    ${email} has no password, and no key of it was used yet: ${lat("setup")}\n`
}).pipe(
  // It was deleted meanwhile.
  Effect.catchTag("NotFound", () => Effect.succeed(""))
)

/**
 * Lines that say what is still missing before people can use a server that started without creating an account; none if
 * nothing is missing.
 */
export const missingText = Effect.fnUntraced(function* (siteUrl: string, site: Site, hasPublicUrl: boolean) {
  if (isPersonal(site)) return yield* unusedText
  const noAccount = site.inMemory
    ? "none, and none can be made: with LAT_STORAGE=memory only a server at HOST=127.0.0.1 without DATABASE_URL has one"
    : `none yet: ${createFirstAccount()}`
  const account = (yield* persistently((yield* Accounts).isEmpty)) ? `  Account    ${noAccount}\n` : ""
  const links =
    hasPublicUrl || loopback.has(site.host)
      ? ""
      : `  Address    links name ${siteUrl}, which other devices do not reach: set PUBLIC_URL to the address that people use\n`
  return account + links
})

import { Effect, Schedule } from "effect"
import { Accounts } from "../caller/Accounts.ts"
import { ApiKeys } from "../caller/ApiKeys.ts"
import type { Account } from "../model/Account.ts"
import { StorageUnavailable } from "../model/Errors.ts"

/** Email of the account that the first start creates; `lat account set` changes it. */
const firstEmail = "owner@example.com"

const loopback = new Set(["127.0.0.1", "::1", "localhost"])

/** What the first start has created; `token` is the text of its API key, and is stored nowhere. */
export interface FirstStart {
  readonly account: Account
  readonly token: string
}

/** Where a server runs. */
export interface Site {
  /** The address that it listens on. */
  readonly host: string
  /** The machine's time zone. */
  readonly timezone: string
  /** Whether the storage serves this machine alone. */
  readonly ownStorage: boolean
  /** Whether no other program shares the storage. */
  readonly inMemory: boolean
  /** Whether the address in its links was chosen. */
  readonly hasPublicUrl: boolean
}

const isLocal = ({ host }: Site): boolean => loopback.has(host)

const isPersonal = (site: Site): boolean => site.ownStorage && isLocal(site)

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
  const account = yield* persistently(accounts.create({ email: firstEmail, timezone: site.timezone })).pipe(
    // Another process created the account concurrently and has shown its own key.
    Effect.catchTag("Conflict", () => Effect.succeed(undefined))
  )
  if (account === undefined) return undefined
  const { token } = yield* persistently(keys.create({ account: account.id, name: "First key" }))
  return { account, token } satisfies FirstStart
})

/** What people still need before they can use a server that started without creating an account. */
export type Missing =
  /** The only account has no password, and none of its keys was ever used. */
  | { readonly _tag: "WayIn"; readonly email: string }
  /** There is no account; in memory, another program cannot create one. */
  | { readonly _tag: "Account"; readonly canBeCreated: boolean }
  /** Links name an address that other devices do not reach. */
  | { readonly _tag: "PublicUrl" }

/**
 * The only account if nobody has a way into it: what the first start printed may never have been read, or that start
 * was ended before it had made a key.
 */
const missingWayIn = Effect.gen(function* () {
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const account = yield* persistently(accounts.only)
  if (account === undefined) return []
  const { email, id } = account
  const isUsed = (yield* persistently(keys.list(id))).some(({ lastUsed }) => lastUsed !== null)
  if (isUsed || (yield* persistently(accounts.hasPassword(id)))) return []
  return [{ _tag: "WayIn", email } satisfies Missing]
}).pipe(
  // It was deleted meanwhile.
  Effect.catchTag("NotFound", () => Effect.succeed([]))
)

/** What is missing on a server where `firstStart` created nothing, in the order in which people need it. */
export const findMissing = Effect.fnUntraced(function* (site: Site) {
  if (isPersonal(site)) return yield* missingWayIn
  const missing: Array<Missing> = []
  if (yield* persistently((yield* Accounts).isEmpty)) missing.push({ _tag: "Account", canBeCreated: !site.inMemory })
  if (!site.hasPublicUrl && !isLocal(site)) missing.push({ _tag: "PublicUrl" })
  return missing
})

import { Effect } from "effect"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"

/** Email of the account that the first start creates; `lat account set` changes it. */
const firstEmail = "owner@example.com"

const loopback = new Set(["127.0.0.1", "::1", "localhost"])

export interface FirstStart {
  readonly email: string
  /** The machine's, by `TZ` or its settings. */
  readonly timezone: string
  readonly token: string
}

/**
 * On the very first start, over an empty storage of this machine's own and on a loopback address, makes an account in
 * the machine's time zone with a key, and answers its token; never again, and never elsewhere (docs/decisions.md#accounts-and-keys).
 */
export const firstStart = Effect.fn("firstStart")(function* (of: {
  readonly host: string
  readonly ownStorage: boolean
}) {
  if (!of.ownStorage || !loopback.has(of.host)) return undefined
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  if ((yield* accounts.list).length > 0) return undefined
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const account = yield* accounts.create({ email: firstEmail, timezone }).pipe(
    // Another process created the account concurrently and has shown its own key.
    Effect.catchTag("Conflict", () => Effect.succeed(undefined))
  )
  if (account === undefined) return undefined
  const { token } = yield* keys.create({ account: account.id, name: "First key" })
  return { email: account.email, timezone, token }
})

export const startText = (siteUrl: string): string => `Lists and Things answers at ${siteUrl}
  REST API   ${siteUrl}/api/v1
  Interface  ${siteUrl}/docs
  Tools      ${siteUrl}/mcp
`

/** Quotes a path as a single shell word. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)

/** The message of the first start; its command can be run as shown. `path` is the file with the key, if any. */
export const firstStartText = (siteUrl: string, first: FirstStart, path?: string): string => {
  const where =
    path === undefined
      ? `The key is shown this once:\n\n  ${first.token}`
      : `The key is in ${path} (readable by you alone)`
  const header =
    path === undefined ? `'Authorization: Bearer ${first.token}'` : `"Authorization: Bearer $(cat ${quoted(path)})"`
  return `
This is the first start, so there is an account now (${first.email}) with a key to everything in it.
Its days and reminders follow the time zone ${first.timezone}; another one: lat account set ${first.email} --timezone Europe/Vienna
${where}

Try it:

  curl -H ${header} ${siteUrl}/api/v1/today

`
}

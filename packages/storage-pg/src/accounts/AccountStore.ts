import type { Account } from "@lists-and-things/domain/model/Account"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { type AccountSecrets, AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { fold } from "@lists-and-things/domain/text/TextFold"
import { Effect, Layer } from "effect"
import type { Params } from "../connection/ConnectionPool.ts"
import { Database } from "../connection/Database.ts"
import { changing, makeRecorder } from "../history/Recorder.ts"
import { firstChunk } from "../Chunks.ts"
import { ownedTables } from "../OwnedTables.ts"
import { accountColumns, accountOf, settingsColumns } from "./AccountRows.ts"
import { settings } from "../Tables.ts"
import { WriteClocks } from "./WriteClocks.ts"

const select = `select ${accountColumns} from accounts a`

const [email, emailKey] = [1, 2].map((n) => `$${settings.parameterCount + n}`)

const insert = `insert into accounts (id, ${settings.names}, email, email_key)
  values ($1, ${settings.parameters}, ${email}, ${emailKey}) on conflict do nothing returning id`

/** The settings before the update, if one of them changes. */
const changedFrom = `select to_jsonb(s) as image from (
    select ${settingsColumns} from accounts a where a.id = $1 and ${settings.differs("a", settings.parameter, [])}
  ) as s`

/**
 * A statement of its own: images are stored with the data of an account, possibly on another server than `accounts`.
 */
const image = changing(2, ({ copied }) => ({ recorded: [copied("account", "$2::jsonb")] }))

const update = `update accounts a set ${settings.assignments("given", [])}, email = ${email}, email_key = ${emailKey}
  from (values (${settings.parameters})) as given (${settings.names})
  where a.id = $1 and not exists (
    select 1 from accounts o where md5(o.email_key) = md5(${emailKey}) and o.id <> $1
  ) returning a.id`

const putSecrets = `update accounts set password_hash = $2, feed_token = $3, password_link_hash = $4,
    password_link_expires = $5 where id = $1`

/** Rows per statement at most; so many are deleted well within the statement timeout, but for large ones. */
const chunkSize = 10_000

export const deletions = ownedTables.map(({ bytes, key, table }) => {
  const rows = `select ${key}${bytes === undefined ? "" : `, ${bytes} as bytes`} from ${table} where owner_id = $1 limit ${chunkSize}`
  const keys = bytes === undefined ? rows : `select f.${key} from (${firstChunk(rows, key)}) as f`
  return `delete from ${table} where owner_id = $1 and ${key} = any (array(${keys})) returning 1`
})

const settingsParams = ({ id: owner, ...account }: Account): Params => settings.params({ owner, ...account })

const paramsOf = (account: Account): Params => [...settingsParams(account), account.email, fold(account.email)]

export const layer = Layer.effect(
  AccountStore,
  Effect.gen(function* () {
    const db = yield* Database
    const clocks = yield* WriteClocks
    const recorder = yield* makeRecorder
    const one = (where: string, value: string) =>
      Effect.map(db.read(`${select} where ${where}`, [value]), ([row]) =>
        row === undefined ? undefined : accountOf(row)
      )

    const deleteAll = (chunk: string, id: string): ReturnType<typeof db.write> =>
      Effect.flatMap(db.write(chunk, [id]), (gone) => (gone.length === 0 ? Effect.succeed(gone) : deleteAll(chunk, id)))

    return AccountStore.of({
      get: (id) => (isIdForm(id) ? one("a.id = $1", id) : Effect.succeed(undefined)),
      byEmail: (email) => one("md5(a.email_key) = md5($1) and a.email_key = $1", fold(email)),
      all: Effect.map(db.readLong(`${select} order by a.created, a.id`), (rows) => rows.map(accountOf)),
      isEmpty: Effect.map(db.read("select from accounts limit 1", []), (rows) => rows.length === 0),
      only: Effect.map(db.read(`${select} limit 2`, []), ([row, ...others]) =>
        row === undefined || others.length > 0 ? undefined : accountOf(row)
      ),
      insert: (account) =>
        db.transaction(
          Effect.gen(function* () {
            const added = yield* db.write(insert, paramsOf(account))
            if (added.length > 0) yield* clocks.insert(account.id)
            return added.length > 0
          })
        ),
      put: (account) =>
        Effect.gen(function* () {
          const [changed] = yield* db.write(changedFrom, settingsParams(account))
          if (changed !== undefined) yield* recorder.send(image, [account.id, JSON.stringify(changed.image)])
          return (yield* db.write(update, paramsOf(account))).length > 0
        }),
      remove: (id) =>
        isIdForm(id)
          ? db.transaction(
              Effect.gen(function* () {
                // Locks the account first, so that no write of the account runs concurrently.
                yield* clocks.remove(id)
                for (const each of deletions) yield* deleteAll(each, id)
                return (yield* db.write("delete from accounts where id = $1 returning 1", [id])).length > 0
              })
            )
          : Effect.succeed(false),
      secrets: (id) =>
        Effect.map(
          isIdForm(id)
            ? db.read(
                "select password_hash, feed_token, password_link_hash, password_link_expires::float8 from accounts where id = $1",
                [id]
              )
            : Effect.succeed([]),
          ([row]): AccountSecrets => ({
            passwordHash: (row?.password_hash ?? null) as string | null,
            feedToken: (row?.feed_token ?? null) as string | null,
            passwordLink:
              typeof row?.password_link_hash === "string"
                ? { hash: row.password_link_hash, expires: row.password_link_expires as EpochMillis }
                : null
          })
        ),
      putSecrets: (id, secrets) =>
        Effect.asVoid(
          db.write(putSecrets, [
            id,
            secrets.passwordHash,
            secrets.feedToken,
            secrets.passwordLink?.hash ?? null,
            secrets.passwordLink?.expires ?? null
          ])
        ),
      byFeedToken: (token) => one("a.feed_token = $1", token),
      byPasswordLink: (hash) => one("a.password_link_hash = $1", hash)
    })
  })
)

import type { Row } from "@effect/sql-pg/PgConnection"
import { clockTolerance } from "@lists-and-things/domain/days/ClockSkew"
import { AccountId } from "@lists-and-things/domain/model/Ids"
import { SessionStore } from "@lists-and-things/domain/ports/SessionStore"
import type { Session } from "@lists-and-things/domain/model/Grant"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { digest } from "../things/Digest.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { pruneBy, pruneStatement } from "../Pruning.ts"

const put = `insert into sessions (owner_id, hash, csrf, created, expires) values ($1, $2, $3, $4, $5)`

const isOpen = `excluded.began between a.began - ${clockTolerance} and a.began + $3::bigint - 1`

const countAttempt = `insert into attempts as a (key_hash, began, count) values ($1, $2, 1)
  on conflict (key_hash) do update set
    began = case when ${isOpen} then a.began else excluded.began end,
    count = case when ${isOpen} then a.count + 1 else 1 end
  returning count`

const pruneSessions = pruneStatement({ table: "sessions", key: ["owner_id", "hash"], column: "expires" })
const pruneAttempts = pruneStatement({ table: "attempts", key: ["key_hash"], column: "began" })

const sessionOf = (row: Row): Session => ({
  hash: row.hash as string,
  owner: AccountId.make(row.owner_id as string),
  csrf: row.csrf as string,
  created: row.created as EpochMillis,
  expires: row.expires as EpochMillis
})

export const layer = Layer.effect(
  SessionStore,
  Effect.gen(function* () {
    const db = yield* Database
    const prune = pruneBy(db)
    return SessionStore.of({
      put: ({ owner, hash, csrf, created, expires }) =>
        Effect.asVoid(db.write(put, [owner, hash, csrf, created, expires])),
      get: (hash) =>
        Effect.map(
          db.read("select owner_id::text, hash, csrf, created::float8, expires::float8 from sessions where hash = $1", [
            hash
          ]),
          ([row]) => (row === undefined ? undefined : sessionOf(row))
        ),
      remove: (hash) => Effect.asVoid(db.write("delete from sessions where hash = $1", [hash])),
      removeOf: (owner) => Effect.asVoid(db.write("delete from sessions where owner_id = $1", [owner])),
      countAttempt: (key, now, windowMillis) =>
        Effect.map(db.write(countAttempt, [digest(key), now, windowMillis]), ([row]) => row?.count as number),
      forgetAttempts: (key) => Effect.asVoid(db.write("delete from attempts where key_hash = $1", [digest(key)])),
      pruneSessions: (expires, max) => prune(pruneSessions, expires, max),
      pruneAttempts: (began, max) => prune(pruneAttempts, began, max)
    })
  })
)

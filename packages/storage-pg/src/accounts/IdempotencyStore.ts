import type { Row } from "@effect/sql-pg/PgConnection"
import { type IdempotencyRecord, IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { digest } from "../things/Digest.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { pruneBy, pruneStatement } from "./Pruning.ts"

const select = `select key, fingerprint, answer, created::float8 from receipts
  where owner_id = $1 and key_hash = $2 and created > $3`

const upsert = `insert into receipts (owner_id, key_hash, key, fingerprint, answer, created)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (owner_id, key_hash) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,
    created = excluded.created`

const records = { table: "receipts", key: ["owner_id", "key_hash"], column: "created" }
const pruneAll = pruneStatement(records)
const pruneOwner = pruneStatement({ ...records, only: "owner_id = $4" })

const recordOf = (row: Row): IdempotencyRecord => ({
  key: row.key as string,
  fingerprint: row.fingerprint as string,
  answer: row.answer as string,
  created: row.created as EpochMillis
})

export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const db = yield* Database
    const prune = pruneBy(db)
    return IdempotencyStore.of({
      get: (owner, key, notBefore) =>
        Effect.map(db.read(select, [owner, digest(key), notBefore]), ([row]) =>
          row === undefined ? undefined : recordOf(row)
        ),
      put: (owner, record) =>
        db.send(upsert, [owner, digest(record.key), record.key, record.fingerprint, record.answer, record.created]),
      prune: (created, most) => prune(pruneAll, created, most),
      pruneOf: (owner, created, most) => prune(pruneOwner, created, most, owner)
    })
  })
)

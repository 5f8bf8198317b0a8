import type { Row } from "@effect/sql-pg/PgConnection"
import type { OperationId } from "@lists-and-things/domain/model/Operation"
import { type FoundRecord, IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { CurrentTransaction } from "../connection/Transaction.ts"
import { digest } from "../things/Digest.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { pruneBy, pruneStatement } from "./Pruning.ts"

const select = `select r.key, r.fingerprint, r.answer, r.created::float8, o.id as operation_id from receipts r
  left join operations o on o.owner_id = $1 and o.stamp = r.stamp
  where r.owner_id = $1 and r.key_hash = $2 and r.created > $3`

const upsert = `insert into receipts (owner_id, key_hash, key, fingerprint, answer, created, stamp)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (owner_id, key_hash) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,
    created = excluded.created, stamp = excluded.stamp`

const records = { table: "receipts", key: ["owner_id", "key_hash"], column: "created" }
const pruneAll = pruneStatement(records)
const pruneOwner = pruneStatement({ ...records, only: "owner_id = $4" })

const recordOf = (row: Row): FoundRecord => ({
  key: row.key as string,
  fingerprint: row.fingerprint as string,
  answer: row.answer as string,
  created: row.created as EpochMillis,
  ...(row.operation_id === null ? {} : { operationId: row.operation_id as OperationId })
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
        Effect.flatMap(CurrentTransaction, (tx) => {
          const { answer, created, fingerprint, key } = record
          const stamp = tx?.writeTimestamps.get(owner) ?? null
          return db.send(upsert, [owner, digest(key), key, fingerprint, answer, created, stamp])
        }),
      prune: (created, most) => prune(pruneAll, created, most),
      pruneOf: (owner, created, most) => prune(pruneOwner, created, most, owner)
    })
  })
)

import type { Row } from "@effect/sql-pg/PgConnection"
import type { Outdated } from "@lists-and-things/domain/days/ClockSkew"
import type { OperationId } from "@lists-and-things/domain/model/Operation"
import { type FoundRecord, IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { CurrentTransaction } from "../connection/Transaction.ts"
import { digest } from "../things/Digest.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { pruneBy, pruneStatement } from "../Pruning.ts"

const select = `select r.key, r.fingerprint, r.answer, r.created::float8, o.id as operation_id from receipts r
  left join operations o on o.owner_id = $1 and o.stamp = r.stamp
  where r.owner_id = $1 and r.key_hash = $2 and r.created > $3`

const upsert = `insert into receipts (owner_id, key_hash, key, fingerprint, answer, created, stamp)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (owner_id, key_hash) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,
    created = excluded.created, stamp = excluded.stamp`

/** The accounts of the first $3 outdated records, from either end. */
const outdated = `select distinct r.owner_id from (
    (select owner_id from receipts where created < $1 order by created limit $3) union all
    (select owner_id from receipts where created > $2 order by created desc limit $3)
  ) as r`

const prune = pruneStatement({ table: "receipts", key: ["key_hash"], column: "created", owner: "$4" })

/** Reads the sizes of answers without the answers. */
const dropAnswers = `with sized as (
    select r.key_hash, sum(octet_length(r.answer)) over (order by r.created desc, r.key_hash) as total
    from receipts r where r.owner_id = $1 and r.answer <> ''
  ), dropped as (
    select r.key_hash from receipts r
    where r.owner_id = $1 and r.key_hash = any (array(select s.key_hash from sized s where s.total > $2::bigint))
    for update skip locked
  )
  update receipts r set answer = '' from dropped d where r.owner_id = $1 and r.key_hash = d.key_hash returning 1`

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
    const pruneOf = (owner: string, created: Outdated, max: number) => pruneBy(db)(prune, created, max, owner)
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
      dropAnswers: (owner, bytes) => Effect.map(db.write(dropAnswers, [owner, bytes]), (rows) => rows.length),
      prune: Effect.fnUntraced(function* (created, max) {
        let removed = 0
        for (const row of yield* db.readLong(outdated, [created.before, created.after, max])) {
          if (removed >= max) break
          removed += yield* pruneOf(row.owner_id as string, created, max - removed)
        }
        return removed
      }),
      pruneOf
    })
  })
)

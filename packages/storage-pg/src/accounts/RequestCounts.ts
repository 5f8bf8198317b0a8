import type { Row } from "@effect/sql-pg/PgConnection"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import {
  addMillis,
  type EpochMillis,
  msPerHour,
  msPerMinute,
  startOf
} from "@lists-and-things/domain/model/EpochMillis"
import { Effect } from "effect"
import { contended } from "../connection/Batcher.ts"
import type { Params } from "../connection/ConnectionPool.ts"
import type { Database } from "../connection/Database.ts"
import { accountOf, keyOf } from "./AccountRows.ts"
import { admit, admitInAdvance, restore, type stamps } from "./AdmissionStatements.ts"
import type { AccompanyingRead, CountRequests, QuotaGrant, QuotaRequest } from "./RateLimiter.ts"
import { RememberedKeys } from "./RememberedKeys.ts"

const timesOf = (now: EpochMillis): Params => [now, startOf(msPerMinute, now)]

const grantOf = (row: Row): QuotaGrant => ({
  key: keyOf(row),
  account: accountOf(row),
  ...("last_write" in row && {
    stamps: { lastWrite: row.last_write as number, settingsChanged: row.settings_changed as number }
  }),
  admitted: row.admitted as number,
  used: row.used as number,
  resetAt: addMillis(row.window_start as EpochMillis, msPerHour)
})

/** It may be unknown whether the request was counted, but the request itself has not begun. */
const beforeTheRequest = (error: StorageUnavailable): StorageUnavailable =>
  new StorageUnavailable({ ...error, cause: error.cause, outcome: "not-applied" })

/** What is counted in advance for a key, and when it was last used, as its last admission reported. */
interface InAdvance {
  readonly requests: number
  readonly lastUsed: number
}

/** `read` are the stamps of accounts that the answer has. */
export const countWith = (db: Database["Service"], read: typeof stamps): CountRequests => {
  const [skip, wait, inAdvance] = [admit("skip", read), admit("wait", read), admitInAdvance(read)]
  const left = new RememberedKeys<InAdvance>()
  /** Whether these requests are counted in advance, as far as this process knows: another one may have used them up. */
  const isInAdvance = ({ id, requests }: QuotaRequest, now: EpochMillis): boolean => {
    const known = left.get(id)
    return known !== undefined && known.requests >= requests && known.lastUsed >= startOf(msPerMinute, now)
  }
  const together = (sql: string, params: Params, reads: ReadonlyArray<AccompanyingRead>) =>
    reads.length === 0
      ? db.autocommitPipelined(sql, params)
      : db.autocommitWith(
          reads.map(({ begin }) => begin),
          sql,
          params
        )
  return (requests, now, mode, reads) => {
    const [alone] = requests.length === 1 ? requests : []
    // One JSON parameter: with an array, PostgreSQL would plan anew for each number of keys.
    const skipping = (reads: ReadonlyArray<AccompanyingRead>) =>
      together(skip, [...timesOf(now), JSON.stringify(requests)], reads)
    const waiting = () => {
      const asked = JSON.stringify(requests)
      return Effect.andThen(
        db.autocommitExclusive(restore, [asked]),
        db.autocommitExclusive(wait, [...timesOf(now), asked])
      )
    }
    const taking = ({ id, requests, secretHash }: QuotaRequest) =>
      Effect.flatMap(together(inAdvance, [...timesOf(now), id, secretHash, requests], reads), (rows) => {
        if (rows.length > 0) return Effect.succeed(rows)
        left.forget(id)
        for (const read of reads) read.onEarly()
        return skipping([])
      })
    const count = () => {
      if (mode === "wait") return waiting()
      return alone !== undefined && isInAdvance(alone, now) ? taking(alone) : skipping(reads)
    }
    return Effect.map(Effect.mapError(count(), beforeTheRequest), (rows) => {
      const byKey = new Map(rows.map((row) => [row.key_id as string, row]))
      return requests.map(({ id, secretHash }) => {
        const row = byKey.get(id)
        if (row === undefined || row.secret_hash !== secretHash) return undefined
        if (row.admitted === null) return contended
        left.set(id, { requests: row.reserved as number, lastUsed: row.last_used as number })
        return grantOf(row)
      })
    })
  }
}

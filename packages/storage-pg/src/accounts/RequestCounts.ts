import type { Row } from "@effect/sql-pg/PgConnection"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { addMillis, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { Effect } from "effect"
import { contended } from "../connection/Batcher.ts"
import type { Params } from "../connection/ConnectionPool.ts"
import type { Database } from "../connection/Database.ts"
import { accountOf, keyOf } from "../Rows.ts"
import { admit, admitInAdvance, hour, restore, type stamps } from "./AdmissionStatements.ts"
import type { Accompanying, CountRequests, QuotaGrant, QuotaRequest } from "./RateLimiter.ts"

const minute = 60_000

/** Keys of which it is remembered what is counted in advance; of more, the ones that were seen first are forgotten. */
const maxRemembered = 10_000

const timesOf = (now: EpochMillis): Params => [now, Math.floor(now / minute) * minute]

const grantOf = (row: Row): QuotaGrant => ({
  key: keyOf(row),
  account: accountOf(row),
  ...("last_write" in row && {
    stamps: { lastWrite: row.last_write as number, settingsChanged: row.settings_changed as number }
  }),
  admitted: row.admitted as number,
  used: row.used as number,
  resetAt: addMillis(row.window_start as EpochMillis, hour)
})

/** Whether it was counted may be unknown; the request itself has not begun. */
const beforeTheRequest = ({ cause, full = false }: StorageUnavailable): StorageUnavailable =>
  new StorageUnavailable({ outcome: "not-applied", full, cause })

/** What is counted in advance of keys, and in which minute they were used, as of their last answers. */
class CountedInAdvance {
  readonly #left = new Map<string, { readonly requests: number; readonly lastUsed: number }>()

  /** Whether these requests are, as far as this process knows: another one may have used them up. */
  has({ id, requests }: QuotaRequest, now: EpochMillis): boolean {
    const left = this.#left.get(id)
    return left !== undefined && left.requests >= requests && left.lastUsed >= Math.floor(now / minute) * minute
  }

  note(id: string, { last_used, reserved }: Row): void {
    this.#left.set(id, { requests: reserved as number, lastUsed: last_used as number })
    if (this.#left.size > maxRemembered) this.#left.delete(this.#left.keys().next().value!)
  }

  forget(id: string): void {
    this.#left.delete(id)
  }
}

export const countWith = (db: Database["Service"], known: typeof stamps): CountRequests => {
  const [skip, wait, inAdvance] = [admit("skip", known), admit("wait", known), admitInAdvance(known)]
  const left = new CountedInAdvance()
  const together = (sql: string, params: Params, reads: ReadonlyArray<Accompanying>) =>
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
    const skipping = (reads: ReadonlyArray<Accompanying>) =>
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
      return alone !== undefined && left.has(alone, now) ? taking(alone) : skipping(reads)
    }
    return Effect.map(Effect.mapError(count(), beforeTheRequest), (rows) => {
      const byKey = new Map(rows.map((row) => [row.key_id as string, row]))
      return requests.map(({ id, secretHash }) => {
        const row = byKey.get(id)
        if (row === undefined || row.secret_hash !== secretHash) return undefined
        if (row.admitted === null) return contended
        left.note(id, row)
        return grantOf(row)
      })
    })
  }
}

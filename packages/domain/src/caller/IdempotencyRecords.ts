import { Hex } from "effect/encoding"
import { Context, Effect, Layer } from "effect"
import * as Crypto from "effect/Crypto"
import { madeBefore } from "../days/ClockSkew.ts"
import { IdempotencyMismatch, InvalidInput, type NotFound, type StorageUnavailable } from "../model/Errors.ts"
import { isStorable } from "../text/Characters.ts"
import { type FoundRecord, IdempotencyStore } from "../ports/IdempotencyStore.ts"
import { Storage } from "../ports/Storage.ts"
import { Caller } from "../model/Caller.ts"
import { CurrentOperation } from "../model/CurrentOperation.ts"
import { addMillis, currentTime } from "../model/EpochMillis.ts"

/** How long a write can be repeated under its key, in milliseconds: 24 hours. */
export const idempotencyLifetime = 86_400_000

/** Expired records removed by each new one. */
const onTheWay = 4

/** A repetition is answered as the first write was, with the operation that it left. */
const repeated = ({ answer, operationId }: FoundRecord): Effect.Effect<string> =>
  Effect.map(CurrentOperation, (call) => {
    if (call !== undefined) call.recorded = operationId
    return answer
  })

/** Safe retries: the same `Idempotency-Key` has one effect and one answer. */
export class IdempotencyRecords extends Context.Service<
  IdempotencyRecords,
  {
    /**
     * Runs `write` at most once per key of the caller's account; a repetition returns the stored answer. The record is
     * stored in the same transaction as the effect. `request` identifies what was asked for: a different one under the
     * same key fails with `IdempotencyMismatch`. A write that fails leaves no record.
     */
    readonly once: <E, R>(
      key: string,
      request: string,
      write: Effect.Effect<string, E, R>
    ) => Effect.Effect<string, E | IdempotencyMismatch | InvalidInput | NotFound | StorageUnavailable, R | Caller>
  }
>()("@lists-and-things/domain/caller/IdempotencyRecords") {
  static readonly layer = Layer.effect(
    IdempotencyRecords,
    Effect.gen(function* () {
      const storage = yield* Storage
      const records = yield* IdempotencyStore
      const crypto = yield* Crypto.Crypto

      const once = <E, R>(key: string, request: string, write: Effect.Effect<string, E, R>) =>
        Effect.gen(function* () {
          const { account } = yield* Caller
          if (!isStorable(key))
            return yield* new InvalidInput({
              field: "The key of a repeated write",
              reason: "must be text without U+0000 and without lone surrogates"
            })
          const fingerprint = yield* crypto.digest("SHA-256", new TextEncoder().encode(request)).pipe(
            Effect.map((digest) => Hex.encode(digest)),
            Effect.orDie
          )
          const run = Effect.fnUntraced(function* () {
            const now = yield* currentTime
            const earlier = yield* records.get(account.id, key, addMillis(now, -idempotencyLifetime))
            if (earlier !== undefined && earlier.fingerprint !== fingerprint) return yield* new IdempotencyMismatch()
            if (earlier !== undefined) return yield* repeated(earlier)
            const answer = yield* write
            yield* records.put(account.id, { key, fingerprint, answer, created: now })
            yield* records.pruneOf(account.id, madeBefore(now, idempotencyLifetime), onTheWay)
            return answer
          })
          return yield* storage.transact(account.id, run)
        }).pipe(Effect.withSpan("IdempotencyRecords.once"))

      return IdempotencyRecords.of({ once })
    })
  )
}

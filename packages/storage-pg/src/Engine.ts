import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Context, Effect, Layer } from "effect"
import { Database } from "./connection/Database.ts"
import { isDistributed } from "./distribution/Citus.ts"
import { isApplied, makeApplyOnce } from "./Migrating.ts"
import { version as writeClocksOnly } from "./migrations/0012_WriteClocksOnly.ts"

/** The properties of the database on which the statements of the stores depend. Needs a prepared schema. */
export class Engine extends Context.Service<
  Engine,
  {
    /**
     * Whether the data of accounts lies on several servers (docs/citus.md), so that a statement names one account. Set by
     * `lat db distribute`, which runs while no other program is connected.
     */
    readonly isDistributed: boolean
    /**
     * Whether programs may be connected that lock an account in `accounts` (migration 12). While that is so, every call
     * checks again in the background, and ends the double locking when no such program is left.
     */
    readonly hasOlderWriters: Effect.Effect<boolean>
  }
>()("@lists-and-things/storage-pg/Engine") {
  static readonly layer: Layer.Layer<Engine, StorageUnavailable, Database> = Layer.effect(
    Engine,
    Effect.gen(function* () {
      const db = yield* Database
      const scope = yield* Effect.scope
      const [alone, distributed] = yield* Effect.all([isApplied(db, writeClocksOnly), isDistributed(db.read)], {
        concurrency: 2
      })
      db.planning.isDistributed = distributed
      const applyOnce = makeApplyOnce(db, writeClocksOnly)
      let hasOlder = !alone
      let isChecking = false
      const check = Effect.map(applyOnce, (alone) => {
        hasOlder = !alone
      }).pipe(
        Effect.ignoreCause,
        Effect.ensuring(
          Effect.sync(() => {
            isChecking = false
          })
        )
      )
      const checkAgain = Effect.suspend(() => {
        if (isChecking) return Effect.succeed(hasOlder)
        isChecking = true
        return Effect.as(Effect.forkIn(check, scope), true)
      })
      return Engine.of({
        isDistributed: distributed,
        hasOlderWriters: Effect.suspend(() => (hasOlder ? checkAgain : Effect.succeed(false)))
      })
    })
  )
}

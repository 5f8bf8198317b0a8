import { Context, Effect, Layer } from "effect"
import type { DryRun } from "../json/OperationJson.ts"
import { Caller } from "../model/Caller.ts"
import { callOf, CurrentOperation, notify, type OperationCall } from "../model/CurrentOperation.ts"
import type { NotFound, StorageUnavailable } from "../model/Errors.ts"
import type { Operation } from "../model/Operation.ts"
import { HistoryStore } from "../ports/HistoryStore.ts"
import { Storage } from "../ports/Storage.ts"
import { makeEntityViews } from "./EntityViews.ts"

/** Entities that a dry run shows. */
const maxEntities = 50

const mayRead = ({ scopes }: Caller["Service"]): boolean => scopes.has("read:lists") && scopes.has("read:things")

const nothing = { summary: "Nothing would change", counts: { lists: 0, things: 0, reminders: 0, places: 0 } }

/** Writes that are made to see what they do, and then rolled back (docs/decisions.md#dry-runs). */
export class DryRuns extends Context.Service<
  DryRuns,
  {
    /** Runs `write` in one transaction and rolls it back. It leaves no operation, and fails as it would otherwise. */
    readonly of: <E, R>(
      write: Effect.Effect<unknown, E, R>
    ) => Effect.Effect<DryRun, E | NotFound | StorageUnavailable, R | Caller>
  }
>()("@lists-and-things/domain/history/DryRuns") {
  static readonly layer = Layer.effect(
    DryRuns,
    Effect.gen(function* () {
      const storage = yield* Storage
      const history = yield* HistoryStore
      const viewsOf = yield* makeEntityViews

      const entitiesOf = Effect.fnUntraced(function* (caller: Caller["Service"], operation: Operation) {
        if (!mayRead(caller)) return { entities: undefined, truncated: false }
        const { account } = caller
        const changed = yield* history.entities(account.id, operation.at, maxEntities)
        if (changed === undefined) return { entities: undefined, truncated: false }
        const { id, timezone } = account
        const changes = changed.items
        const entities = yield* viewsOf({ owner: id, zone: timezone, at: operation.at, changes, withCreated: true })
        return { entities, truncated: changed.hasMore }
      })

      const nothingFor = (caller: Caller["Service"]): DryRun => ({
        ...nothing,
        entities: mayRead(caller) ? [] : undefined,
        truncated: false
      })

      const of = <E, R>(write: Effect.Effect<unknown, E, R>) =>
        Effect.gen(function* () {
          const caller = yield* Caller
          const call = (yield* CurrentOperation) ?? (yield* callOf("write", "rest"))
          let dryRun = nothingFor(caller)
          const inspect = (operation: Operation | undefined) =>
            operation === undefined
              ? Effect.void
              : Effect.map(entitiesOf(caller, operation), (shown) => {
                  dryRun = { summary: operation.summary, counts: operation.counts, ...shown }
                })
          const dryCall: OperationCall = { ...call, requestId: null, inspect }
          yield* Effect.provideService(
            storage.transact(caller.account.id, () => write),
            CurrentOperation,
            dryCall
          )
          if (dryCall.notice !== undefined) yield* notify(dryCall.notice)
          return dryRun
        })

      return DryRuns.of({ of })
    })
  )
}

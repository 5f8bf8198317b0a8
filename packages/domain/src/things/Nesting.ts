import { Context, Effect, Layer } from "effect"
import { deeperThan, placesIn, shallowerThan, withNested } from "../lists/ListOrder.ts"
import { type Caller, callerWith } from "../model/Caller.ts"
import { describe } from "../model/CurrentOperation.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { Forbidden, NotFound, StorageUnavailable } from "../model/Errors.ts"
import { ListStore } from "../ports/ListStore.ts"
import { Storage } from "../ports/Storage.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { traced } from "../scheduling/Traced.ts"
import { runSteps } from "../scheduling/Yielding.ts"
import { nestedThing } from "../summaries/OperationSummaries.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import type { Thing } from "../model/Thing.ts"
import { ChangeSet } from "./ChangeSet.ts"

/** Under the thing before it, or beside its parent. */
export type NestingDirection = "deeper" | "shallower"

/** Nests things as an outline does (docs/decisions.md#order-and-nesting). */
export class Nesting extends Context.Service<
  Nesting,
  {
    /**
     * Moves a thing one level, and all that is nested under it by as much, in one transaction. False, with nothing
     * written, where there is no level more.
     */
    readonly move: (
      id: string,
      direction: NestingDirection
    ) => Effect.Effect<boolean, NotFound | Forbidden | StorageUnavailable, Caller>
  }
>()("@lists-and-things/domain/things/Nesting") {
  static readonly layer = Layer.effect(
    Nesting,
    Effect.gen(function* () {
      const storage = yield* Storage
      const lists = yield* ListStore
      const store = yield* ThingStore
      const unknownIds = yield* makeUnknownIds

      const move = traced("Nesting.move")(function* (id: string, direction: NestingDirection) {
        const { account } = yield* callerWith("write:things")
        const change = Effect.fnUntraced(function* (writeTimestamp: EpochMillis, found: Thing | undefined) {
          const thing = found ?? (yield* unknownIds.notFound(account.id, "thing", id))
          const things = yield* store.ofList(account.id, thing.listId)
          const place = (yield* runSteps(() => placesIn(things))).get(thing.id)!
          const tabs = direction === "deeper" ? deeperThan(place) : shallowerThan(place)
          if (tabs === undefined) return false
          const moved = withNested(things, thing)
          const changeSet = new ChangeSet(new Map(moved.map((each) => [each.id, each])), writeTimestamp)
          for (const each of moved) changeSet.set(each.id, { tabs: each.tabs + tabs - thing.tabs })
          yield* store.put(account.id, changeSet.changed, changeSet.before)
          yield* lists.touch(account.id, changeSet.lists, writeTimestamp)
          yield* describe(nestedThing(thing, moved.length - 1))
          return true
        })
        return yield* storage.transactWith(account.id, store.get(account.id, id), change)
      })

      return Nesting.of({ move })
    })
  )
}

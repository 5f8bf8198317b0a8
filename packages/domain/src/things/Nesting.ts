import { Context, Effect, Layer } from "effect"
import { deeperThan, type Outlined, outlinesOf, shallowerThan, treeOf, withNested } from "../lists/Outline.ts"
import type { Account } from "../model/Account.ts"
import { type Caller, callerWith } from "../model/Caller.ts"
import { describe } from "../model/CurrentOperation.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { ListId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import type { AccessError, Ambiguous, InvalidInput, NotFound } from "../model/Errors.ts"
import { hasCheckBox, isOpen, type Thing } from "../model/Thing.ts"
import { Storage } from "../ports/Storage.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { traced } from "../scheduling/Traced.ts"
import { runSteps } from "../scheduling/Yielding.ts"
import { nestedThing } from "../summaries/OperationSummaries.ts"
import { catchUnknownList, ListTarget, type TargetInput } from "../targets/ListTarget.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import { BulkThings } from "./BulkThings.ts"
import { ThingUpdater } from "./ThingUpdater.ts"

/** Under the thing before it, or beside its parent. */
export type NestingDirection = "deeper" | "shallower"

/** The open things with a check box. */
export const leftOpen = (things: ReadonlyArray<Thing>): ReadonlyArray<Thing> =>
  things.filter((thing) => hasCheckBox(thing) && isOpen(thing))

type WriteError = NotFound | AccessError

/** What every write here reads first. */
interface Found {
  readonly account: Account
  readonly thing: Thing
  /** All of its list. */
  readonly things: ReadonlyArray<Thing>
  readonly writeTimestamp: EpochMillis
}

/** Changes a thing and all that is nested under it, as an outline does, in one transaction (docs/decisions.md#order-and-nesting). */
export class Nesting extends Context.Service<
  Nesting,
  {
    /** Moves them one level; false, with nothing written, when there is no further level. */
    readonly nest: (
      id: string,
      direction: NestingDirection
    ) => Effect.Effect<boolean, WriteError | InvalidInput, Caller>
    /**
     * Moves them to the end of a list, the thing to its top level. Nothing is written when they are in that list already.
     * `NotFound` also for an unknown list.
     */
    readonly moveTo: (
      id: string,
      list: TargetInput
    ) => Effect.Effect<void, WriteError | Ambiguous | InvalidInput, Caller>
    /** Like `moveTo`, for the things of a list that are `leftOpen`; nothing is written when there are none. */
    readonly moveLeftOpen: (
      listId: ListId,
      list: TargetInput
    ) => Effect.Effect<void, WriteError | Ambiguous | InvalidInput, Caller>
    /** `NotFound` for an unknown thing. */
    readonly remove: (id: string) => Effect.Effect<void, WriteError, Caller>
  }
>()("@lists-and-things/domain/things/Nesting") {
  static readonly layer = Layer.effect(
    Nesting,
    Effect.gen(function* () {
      const storage = yield* Storage
      const store = yield* ThingStore
      const updater = yield* ThingUpdater
      const target = yield* ListTarget
      const bulk = yield* BulkThings
      const unknownIds = yield* makeUnknownIds

      const move = (account: Account, to: List, outlined: ReadonlyArray<Outlined>, writeTimestamp: EpochMillis) => {
        const things = outlined.map(({ thing }) => thing)
        const tabs = outlined.map(({ depth }) => depth)
        return updater.apply(account, { things, patch: {}, target: to, tabs }, writeTimestamp)
      }

      const transact = Effect.fnUntraced(function* <A, E, R>(
        id: string,
        change: (found: Found) => Effect.Effect<A, E, R>
      ) {
        const { account } = yield* callerWith("write:things")
        const body = Effect.fnUntraced(function* (writeTimestamp: EpochMillis, found: Thing | undefined) {
          const thing = found ?? (yield* unknownIds.notFound(account.id, "thing", id))
          return yield* change({
            account,
            thing,
            things: yield* store.ofList(account.id, thing.listId),
            writeTimestamp
          })
        })
        return yield* storage.transactWith(account.id, store.get(account.id, id), body)
      })

      const nest = traced("Nesting.nest")(function* (id: string, direction: NestingDirection) {
        return yield* transact(id, ({ account, thing, things, writeTimestamp }) =>
          Effect.gen(function* () {
            const node = (yield* runSteps(() => treeOf(things))).get(thing.id)!
            const tabs = direction === "deeper" ? deeperThan(node) : shallowerThan(node)
            if (tabs === undefined) return false
            const moved = withNested(things, thing)
            const update = { things: moved, patch: {}, tabs: moved.map((each) => each.tabs + tabs - thing.tabs) }
            yield* updater.apply(account, update, writeTimestamp)
            yield* describe(nestedThing(thing, moved.length - 1))
            return true
          })
        )
      })

      const moveTo = traced("Nesting.moveTo")(function* (id: string, list: TargetInput) {
        const { account } = yield* callerWith("write:things")
        return yield* transact(id, ({ thing, things, writeTimestamp }) =>
          Effect.gen(function* () {
            const to = yield* target.resolve(account, list, writeTimestamp)
            if (to.id === thing.listId) return
            yield* move(
              account,
              to,
              outlinesOf(things, ({ id }) => id === thing.id),
              writeTimestamp
            )
          })
        ).pipe(catchUnknownList((unknown) => target.explain(account, unknown)))
      })

      const moveLeftOpen = traced("Nesting.moveLeftOpen")(function* (listId: ListId, list: TargetInput) {
        const { account } = yield* callerWith("write:things")
        const body = Effect.fnUntraced(function* (writeTimestamp: EpochMillis, things: ReadonlyArray<Thing>) {
          const open = new Set(leftOpen(things))
          if (open.size === 0) return
          const to = yield* target.resolve(account, list, writeTimestamp)
          if (to.id === listId) return
          yield* move(
            account,
            to,
            outlinesOf(things, (thing) => open.has(thing)),
            writeTimestamp
          )
        })
        return yield* storage
          .transactWith(account.id, store.ofList(account.id, listId), body)
          .pipe(catchUnknownList((unknown) => target.explain(account, unknown)))
      })

      const remove = traced("Nesting.remove")(function* (id: string) {
        yield* transact(id, ({ thing, things }) => bulk.remove(withNested(things, thing).map((each) => each.id)))
      })

      return Nesting.of({ nest, moveTo, moveLeftOpen, remove })
    })
  )
}

import { Context, Effect, Layer, Stream } from "effect"
import { callerWith, type Caller } from "../model/Caller.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { AccessError, StorageUnavailable, TooManyWaiting, Unauthorized } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Actor } from "../model/Operation.ts"
import { type Following, HistoryStore } from "../ports/HistoryStore.ts"
import { Storage } from "../ports/Storage.ts"
import { ChangeWaiters } from "./ChangeWaiters.ts"
import { cursorAfter, type FollowingCursor } from "./Cursor.ts"
import { operationPages, operationsIn } from "./OperationPages.ts"

/** Milliseconds after which `Follower.allowed` runs although nothing was written. */
const recheckMillis = 30_000

/** Milliseconds until storage that could not be read is read again. */
const retryMillis = 1_000

/** Keys, and operations, per read. */
const perRead = 500

/** Lists of one account that changed, by themselves or by their things and reminders. */
export interface ListsChanged {
  readonly ids: ReadonlySet<string>
  /** The dates of the day lists among them, of deleted ones too, unless the images of their operation are gone. */
  readonly days: ReadonlySet<string>
  /** Whether lists were made or deleted, or changed in fields of their own. */
  readonly isListed: boolean
}

/** A subscriber to the changes of lists of an account. */
export interface Follower {
  readonly owner: AccountId
  /** From `begin`: what is written after it is announced. */
  readonly since: EpochMillis
  /** Whose key or grant it listens with. */
  readonly by: Actor
  /** Runs before each announcement and every half minute; fails when the follower is no longer allowed to listen. */
  readonly allowed: Effect.Effect<void, Unauthorized | StorageUnavailable>
  readonly announce: (changed: ListsChanged) => Effect.Effect<void>
}

/** Announces to the followers of an account which of its lists changed (docs/decisions.md#history). */
export class ListChanges extends Context.Service<
  ListChanges,
  {
    /**
     * The point in the account's history after which nothing is missed. Requires `read:lists`; `TooManyWaiting` when one
     * more wait would exceed the limit.
     */
    readonly begin: Effect.Effect<EpochMillis, AccessError | TooManyWaiting, Caller>
    /** Holds no connection while it waits. Ends when this process is about to stop. */
    readonly follow: (follower: Follower) => Effect.Effect<void, TooManyWaiting | Unauthorized>
  }
>()("@lists-and-things/domain/history/ListChanges") {
  static readonly layer = Layer.effect(
    ListChanges,
    Effect.gen(function* () {
      const storage = yield* Storage
      const history = yield* HistoryStore
      const waiters = yield* ChangeWaiters

      const begin = Effect.gen(function* () {
        const { account, by } = yield* callerWith("read:lists")
        yield* waiters.checkLimit(account.id, by)
        return (yield* history.head(account.id)).at
      })

      /** Of all operations after a time. */
      const touchedLists = Effect.fnUntraced(function* (owner: AccountId, since: EpochMillis) {
        const ids = new Set<string>()
        let cursor: FollowingCursor = { _tag: "Following", point: { at: since, operation: undefined }, skip: 0 }
        for (;;) {
          const found: ReadonlyArray<Following> = yield* history.following(owner, cursor.point.at, cursor.skip, perRead)
          if (found.length === 0) return ids
          for (const { keys } of found) for (const { id, type } of keys) if (type === "list") ids.add(id)
          cursor = cursorAfter(cursor, found)
        }
      })

      /** The days of lists that operations deleted, and whether any changed a list's own fields. */
      const ownChanges = Effect.fnUntraced(function* (owner: AccountId, since: EpochMillis) {
        const days = new Set<string>()
        let isListed = false
        const operations = operationsIn(operationPages({ since }, (rest) => history.page(owner, rest, 0, perRead)))
        yield* Stream.runForEach(
          operations,
          Effect.fnUntraced(function* ({ at, counts }) {
            if (counts.lists === 0) return
            isListed = true
            const changes = yield* history.entities(owner, at, perRead)
            for (const { before } of changes?.items ?? [])
              if (before?.type === "list" && before.value.day !== null) days.add(before.value.day)
          })
        )
        return { days, isListed }
      })

      const changedSince = (owner: AccountId, since: EpochMillis) =>
        storage.snapshot(
          owner,
          Effect.gen(function* () {
            const { at } = yield* history.head(owner)
            const ids = yield* touchedLists(owner, since)
            const { days, isListed } = yield* ownChanges(owner, since)
            const keys = Array.from(ids, (id) => ({ type: "list", id }) as const)
            for (const entity of keys.length === 0 ? [] : yield* history.current(owner, keys))
              if (entity.type === "list" && entity.value.day !== null) days.add(entity.value.day)
            return { at, changed: { ids, days, isListed } satisfies ListsChanged }
          })
        )

      const follow = Effect.fnUntraced(function* ({ allowed, announce, by, owner, since }: Follower) {
        let seen = since
        for (;;) {
          const woken = yield* waiters.wait({ owner, seen, by, millis: recheckMillis })
          if (woken === "closing") return
          const found = yield* Effect.andThen(allowed, changedSince(owner, seen)).pipe(
            Effect.catchTag("StorageUnavailable", () => Effect.as(Effect.sleep(retryMillis), undefined))
          )
          if (found === undefined) continue
          seen = found.at
          if (found.changed.ids.size > 0 || found.changed.isListed) yield* announce(found.changed)
        }
      })

      return ListChanges.of({ begin, follow })
    })
  )
}

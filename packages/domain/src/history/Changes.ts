import { Context, Effect, Layer } from "effect"
import { shownValue } from "../json/ShownValue.ts"
import { type Caller, callerWith } from "../model/Caller.ts"
import {
  type AccessError,
  Gone,
  InvalidInput,
  NotReady,
  type Overloaded,
  type StorageUnavailable,
  type TooManyWaiting,
  type Unauthorized
} from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { type Actor, type Entity, type EntityKey, keyText, type OperationId } from "../model/Operation.ts"
import { sizeOf } from "../model/Size.ts"
import type { Thing } from "../model/Thing.ts"
import type { Change, ChangePage } from "../json/ChangeJson.ts"
import { type Following, HistoryStore, type HistoryPoint, stateParts } from "../ports/HistoryStore.ts"
import { SizeStore } from "../ports/SizeStore.ts"
import { reserveForThings } from "../size/AnswerBudget.ts"
import { Storage } from "../ports/Storage.ts"
import { Pending, settled } from "../scheduling/Pending.ts"
import { ChangeWaiters, type WakeReason } from "./ChangeWaiters.ts"
import {
  type Cursor,
  cursorAfter,
  type FollowingCursor,
  formatCursor,
  parseCursor,
  type StateCursor
} from "./Cursor.ts"
import { keyOf } from "./Entities.ts"
import { type EpochMillis, monotonicMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** Changes of one page. */
export const changeLimit = { max: 500, default: 100 } as const

/** Seconds for which a page without changes may be waited for. */
export const maxWaitSeconds = 55

/** Bytes of text after which a page ends, and the entities per read in an account that holds more text than that. */
const [pageBytes, entitiesPerRead] = [8 * 1024 ** 2, 50]

/** `GET /changes`. */
export interface ChangeQuery {
  /** Omitted: begins with the whole state. `now`: only what follows. */
  readonly cursor?: string
  /** Changes per page at most, 1 to 500; 100 when omitted. Long texts end a page earlier. */
  readonly limit?: number
  /** Seconds to wait for a change, 0 to 55. */
  readonly wait?: number
}

type ReadError = Gone | InvalidInput | NotReady | Overloaded | AccessError
type WaitError = TooManyWaiting | Unauthorized

/** The feed of changes, which misses nothing (docs/decisions.md#history). */
export class Changes extends Context.Service<
  Changes,
  {
    /**
     * A page in the order of the commits, each entity once. `InvalidInput` for a cursor that is malformed or of another
     * account, `Gone` when the operation that it names is no longer there, `NotReady` while a program that records no
     * history may write, `Overloaded` when the answer budget has no room for long texts.
     */
    readonly read: (query: ChangeQuery) => Effect.Effect<ChangePage, ReadError | WaitError, Caller>
    /** Like `read`, but returns `Pending` instead of waiting. */
    readonly readOrPending: (
      query: ChangeQuery
    ) => Effect.Effect<ChangePage | Pending<ChangePage, ReadError | WaitError>, ReadError, Caller>
  }
>()("@lists-and-things/domain/history/Changes") {
  static readonly layer = Layer.effect(
    Changes,
    Effect.gen(function* () {
      const storage = yield* Storage
      const history = yield* HistoryStore
      const waiters = yield* ChangeWaiters
      const sizes = yield* SizeStore

      /** How many of these entities are read at a time. */
      const stepOf = (owner: AccountId, wanted: number) =>
        wanted <= entitiesPerRead
          ? Effect.succeed(wanted)
          : Effect.map(sizes.ofAccount(owner), ({ bytes }) => (bytes > pageBytes ? entitiesPerRead : wanted))

      const begin = Effect.fnUntraced(function* (owner: AccountId, text: string | undefined) {
        if (text !== undefined && text !== "now") return yield* Effect.fromResult(parseCursor(owner, text))
        const point = yield* history.head(owner)
        const cursor: Cursor =
          text === "now"
            ? { _tag: "Following", point, skip: 0 }
            : { _tag: "State", point, part: stateParts[0], after: undefined }
        return cursor
      })

      /**
       * A page of the current state. Changes since the reading began are repeated by the pages that follow the state,
       * so each page may show entities as they are now.
       */
      const statePage = Effect.fnUntraced(function* (
        owner: AccountId,
        cursor: StateCursor,
        limit: number
      ): Effect.fn.Return<Read, StorageUnavailable> {
        const changes: Array<Change> = []
        const step = yield* stepOf(owner, limit)
        let { after } = cursor
        let bytes = 0
        for (const part of stateParts.slice(stateParts.indexOf(cursor.part))) {
          for (let isMore = true; isMore;) {
            const wanted = Math.min(step, limit - changes.length)
            const found = yield* history.state(owner, part, after, wanted)
            for (const entity of found) {
              changes.push({ ...keyOf(entity), entity, by: undefined })
              after = entity.value.id
              bytes += bytesOf(entity)
              if (changes.length === limit || bytes >= pageBytes)
                return { changes, cursor: { ...cursor, part, after }, hasMore: true }
            }
            isMore = found.length === wanted
          }
          after = undefined
        }
        const followed = yield* history.following(owner, cursor.point.at, 0, 1)
        return {
          changes,
          cursor: { _tag: "Following", point: cursor.point, skip: 0 },
          hasMore: followed.length > 0
        }
      })

      /** The current state of as many of these entities, in their order, as fit on a page; at least one. */
      const currentOf = Effect.fnUntraced(function* (owner: AccountId, keys: ReadonlyArray<EntityKey>) {
        const current = new Map<string, Entity>()
        const distinct = [...Map.groupBy(keys.entries(), ([, key]) => keyText(key)).values()].map(([first]) => first!)
        const step = yield* stepOf(owner, distinct.length)
        let bytes = 0
        for (let from = 0; from < distinct.length; from += step) {
          const some = distinct.slice(from, from + step)
          const read = yield* history.current(
            owner,
            some.map(([, key]) => key)
          )
          for (const entity of read) current.set(keyText(keyOf(entity)), entity)
          for (const [at, key] of some) {
            const entity = current.get(keyText(key))
            bytes += entity === undefined ? 0 : bytesOf(entity)
            if (bytes > pageBytes && at > 0) return { current, fitting: at }
          }
        }
        return { current, fitting: keys.length }
      })

      const followingPage = Effect.fnUntraced(function* (
        owner: AccountId,
        cursor: FollowingCursor,
        limit: number,
        head: HistoryPoint
      ): Effect.fn.Return<Read, StorageUnavailable> {
        const found = yield* history.following(owner, cursor.point.at, cursor.skip, limit)
        const keys = found.flatMap((operation) => operation.keys)
        const { current, fitting } = yield* currentOf(owner, keys)
        const operations = fitting < keys.length ? firstKeys(found, fitting) : found
        const last = operations.at(-1)
        if (last === undefined) return { changes: [], cursor, hasMore: false }
        const changed = new Map<
          string,
          { readonly key: EntityKey; readonly by: { at: EpochMillis; id: OperationId } }
        >()
        for (const { at, id, keys } of operations)
          for (const key of keys) {
            changed.delete(keyText(key))
            changed.set(keyText(key), { key, by: { at, id } })
          }
        const changes = [...changed.values()].map(({ by, key: { id, type } }): Change => ({
          type,
          id,
          entity: current.get(keyText({ type, id })),
          by
        }))
        return {
          changes,
          cursor: cursorAfter(cursor, operations),
          hasMore: last.rest > 0 || last.id !== head.operation
        }
      })

      /** Everything of one page is read in one snapshot, the head before the state. */
      const readPage = (owner: AccountId, text: string | undefined, limit: number) =>
        storage.snapshot(
          owner,
          Effect.gen(function* () {
            if (!(yield* history.isComplete)) return yield* notReady
            const head = yield* history.head(owner)
            const cursor = yield* begin(owner, text)
            if (!(yield* history.covers(owner, cursor.point))) return yield* feedGone
            const read = yield* cursor._tag === "State"
              ? statePage(owner, cursor, limit)
              : followingPage(owner, cursor, limit, head)
            const page: ChangePage = { ...read, cursor: formatCursor(owner, read.cursor) }
            return { page, head }
          })
        )

      /** The page that was found, or a wait for the next change if it is empty. */
      const answer = Effect.fnUntraced(function* (
        { head, page }: Found,
        asked: Asked
      ): Effect.fn.Return<ChangePage | Pending<ChangePage, ReadError | WaitError>, Overloaded> {
        const { by, limit, owner } = asked
        const millis = asked.until - (yield* monotonicMillis)
        if (!isEmpty(page) || millis <= 0) {
          yield* reserveForThings(owner, thingsOf(page))
          return page
        }
        const afterWait = (why: WakeReason) =>
          why === "written"
            ? Effect.flatMap(readPage(owner, page.cursor, limit), (found) => answer(found, asked))
            : Effect.succeed(page)
        return new Pending((ended) =>
          waiters.begin({ owner, seen: head.at, by, millis }, (woken) => ended(Effect.flatMap(woken, afterWait)))
        )
      })

      const readOrPending = traced("Changes.readOrPending")(function* ({ cursor, ...options }: ChangeQuery) {
        const { account, by } = yield* callerWith("read:lists", "read:things")
        const { limit, millis } = yield* limitsOf(options)
        const until = (yield* monotonicMillis) + millis
        const found = yield* readPage(account.id, cursor, limit)
        return yield* answer(found, { owner: account.id, by, limit, until })
      })

      const read = (query: ChangeQuery) => Effect.flatMap(readOrPending(query), settled)

      return Changes.of({ read, readOrPending })
    })
  )
}

/** A page, and where its account was when it was read. */
interface Found {
  readonly page: ChangePage
  readonly head: HistoryPoint
}

interface Asked {
  readonly owner: AccountId
  readonly by: Actor
  readonly limit: number
  /** Milliseconds of the monotonic clock. */
  readonly until: number
}

interface Read {
  readonly changes: ReadonlyArray<Change>
  readonly cursor: Cursor
  readonly hasMore: boolean
}

/** The first operations with at most `max` keys in total, at least 1; the last one may be cut. */
const firstKeys = (operations: ReadonlyArray<Following>, max: number): ReadonlyArray<Following> => {
  const first: Array<Following> = []
  let left = max
  for (const operation of operations) {
    if (left === 0) break
    const keys = operation.keys.slice(0, left)
    first.push({ ...operation, keys, rest: operation.rest + operation.keys.length - keys.length })
    left -= keys.length
  }
  return first
}

const bytesOf = (entity: Entity): number => (entity.type === "thing" ? sizeOf(entity.value).bytes : 0)

const thingsOf = ({ changes }: ChangePage): ReadonlyArray<Thing> =>
  changes.flatMap(({ entity }) => (entity?.type === "thing" ? [entity.value] : []))

const isEmpty = ({ changes, hasMore }: ChangePage): boolean => changes.length === 0 && !hasMore

const limitsOf = ({ limit = changeLimit.default, wait = 0 }: ChangeQuery) => {
  if (!isIntegerIn(limit, 1, changeLimit.max)) return outside("limit", limit, 1, changeLimit.max)
  if (!isIntegerIn(wait, 0, maxWaitSeconds)) return outside("wait", wait, 0, maxWaitSeconds)
  return Effect.succeed({ limit, millis: wait * 1000 })
}

const isIntegerIn = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max

const outside = (field: string, sent: number, min: number, max: number) =>
  Effect.fail(
    new InvalidInput({
      field,
      reason: `must be an integer from ${min} to ${max}`,
      sent: shownValue(sent),
      example: `"${field}": ${max}`
    })
  )

/** The refusal of a cursor after which operations were pruned. */
export const feedGone = new Gone({
  message: "The feed no longer has what follows this cursor: begin again without a cursor, which reads the whole state."
})

const notReady = new NotReady({
  message:
    "The feed of changes opens when every program that writes here is of this version; until then read as before."
})

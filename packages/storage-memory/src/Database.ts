import { Context, Effect, Exit, Layer, Semaphore } from "effect"
import { lastWrite, makeSkewWarning } from "@lists-and-things/domain/days/ClockSkew"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import {
  committedAs,
  CurrentOperation,
  forgetWrite,
  type OperationCall
} from "@lists-and-things/domain/model/CurrentOperation"
import { NotFound, type StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { HistoryRetention } from "@lists-and-things/domain/history/HistoryRetention"
import type { Operation } from "@lists-and-things/domain/model/Operation"
import { forkOwner, type OwnerData } from "./OwnerData.ts"
import { recordOperation } from "./history/Recording.ts"
import { addMillis, currentTime, epoch, type EpochMillis, laterOf } from "@lists-and-things/domain/model/EpochMillis"

/** The committed data of one account, and the lock that serializes its writes. */
interface Slot {
  readonly lock: Semaphore.Semaphore
  data: OwnerData | undefined
}

/** The fork of one account on which a transaction works; undefined if the account does not exist (any more). */
export interface Draft {
  data: OwnerData | undefined
}

interface Transaction {
  /** 0 outside of `transact`. */
  writeTimestamp: EpochMillis
  readonly drafts: Map<string, Draft>
  /** Read-only: its drafts are the data committed when it began, and it holds no locks. */
  readonly frozen?: boolean
  /** A dry run: its writes are not committed. */
  isDryRun?: boolean
}

/** The basis of the stores: reads and writes per account, within the transaction of the fiber if it has one. */
export class Database extends Context.Service<
  Database,
  {
    /**
     * Sees the committed data and the writes of the fiber's own transaction; returns `unknown`, or undefined, for an
     * unknown account.
     */
    readonly read: <A, U = undefined>(owner: string, f: (data: OwnerData) => A, unknown?: U) => Effect.Effect<A | U>
    readonly readAll: <A>(f: (owners: ReadonlyArray<OwnerData>) => A) => Effect.Effect<A>
    /**
     * Joins the fiber's transaction, or runs in one of its own. Changes nothing and returns `unknown`, or undefined, for
     * an unknown account.
     */
    readonly write: <A, U = undefined>(
      owner: string,
      f: (data: OwnerData, writeTimestamp: EpochMillis) => A,
      unknown?: U
    ) => Effect.Effect<A | U>
    /**
     * Like `write`, for creating or removing the account itself; `f` also gets all other accounts, with both states of
     * those that a running transaction changes.
     */
    readonly writeAccount: <A>(
      owner: string,
      f: (draft: Draft, others: ReadonlyArray<OwnerData>) => A
    ) => Effect.Effect<A>
    /** Whether the fiber is in a transaction. */
    readonly isWithin: Effect.Effect<boolean>
    readonly transact: <A, E, R>(
      owner: AccountId,
      body: (writeTimestamp: EpochMillis) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | NotFound | StorageUnavailable, R>
    /** Committed data is replaced and never modified, so a snapshot only has to keep references to it. */
    readonly snapshot: <A, E, R>(owner: AccountId, body: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@lists-and-things/storage-memory/Database") {
  static readonly layer = Layer.effect(
    Database,
    Effect.map(HistoryRetention, ({ days }) => Database.of(makeDatabase(days > 0)))
  )
}

let databases = 0

const makeDatabase = (keepsImages: boolean): Database["Service"] => {
  const slots = new Map<string, Slot>()
  const open = new Set<Transaction>()
  const warnOfSkew = makeSkewWarning()
  const Current = Context.Reference<Transaction | undefined>(
    `@lists-and-things/storage-memory/Transaction/${databases++}`,
    { defaultValue: () => undefined }
  )

  const slotOf = (owner: string): Slot => {
    let slot = slots.get(owner)
    if (slot === undefined) {
      slot = { lock: Semaphore.makeUnsafe(1), data: undefined }
      slots.set(owner, slot)
    }
    return slot
  }

  /**
   * Runs `body` in a transaction of its own. Its drafts replace the committed data only if it succeeds and is no dry
   * run.
   */
  const atomically = <A, E, R>(body: (transaction: Transaction) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) => {
      const transaction: Transaction = { writeTimestamp: epoch, drafts: new Map() }
      open.add(transaction)
      return restore(Effect.provideService(body(transaction), Current, transaction)).pipe(
        Effect.onExit((exit) => finish(transaction, Exit.isSuccess(exit) && transaction.isDryRun !== true))
      )
    })

  const finish = (transaction: Transaction, commit: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      open.delete(transaction)
      const held = [...transaction.drafts].map(([owner, draft]) => ({ slot: slotOf(owner), draft }))
      if (commit) for (const { slot, draft } of held) slot.data = draft.data
      return Effect.forEach(held, ({ slot }) => slot.lock.release(1), { discard: true })
    })

  const draftOf = (transaction: Transaction, owner: string): Effect.Effect<Draft> =>
    Effect.suspend(() => {
      if (transaction.frozen === true) return writtenTo
      const draft = transaction.drafts.get(owner)
      if (draft !== undefined) return Effect.succeed(draft)
      const slot = slotOf(owner)
      return Effect.uninterruptibleMask((restore) =>
        Effect.map(restore(slot.lock.take(1)), () => {
          const fresh: Draft = { data: slot.data === undefined ? undefined : forkOwner(slot.data) }
          transaction.drafts.set(owner, fresh)
          return fresh
        })
      )
    })

  const withDraft = <A>(owner: string, f: (draft: Draft, transaction: Transaction) => A): Effect.Effect<A> =>
    Effect.flatMap(Effect.service(Current), (current) => {
      const run = (transaction: Transaction) =>
        Effect.map(draftOf(transaction, owner), (draft) => f(draft, transaction))
      return current === undefined ? atomically(run) : run(current)
    })

  const seen = (owner: string, transaction: Transaction | undefined): OwnerData | undefined => {
    const draft = transaction?.drafts.get(owner)
    return draft === undefined ? slots.get(owner)?.data : draft.data
  }

  const othersThan = (owner: string, transaction: Transaction): ReadonlyArray<OwnerData> => {
    const others = [...slots.keys()].map((id) => seen(id, transaction))
    for (const { drafts } of open) for (const draft of drafts.values()) others.push(draft.data)
    return others.filter((data) => data !== undefined).filter((data) => data.account.id !== owner)
  }

  /** Runs a write in a new transaction, and records an operation for each account that it changed. */
  const writeOf = Effect.fnUntraced(function* <A, E, R>(
    owner: AccountId,
    body: (writeTimestamp: EpochMillis) => Effect.Effect<A, E, R>
  ): Effect.fn.Return<A, E | NotFound | StorageUnavailable, R> {
    const call = yield* CurrentOperation
    const run = Effect.fnUntraced(function* (transaction: Transaction) {
      const draft = yield* draftOf(transaction, owner)
      const answer = yield* begin(transaction, draft, body, warnOfSkew)
      const operation = record(transaction, call).get(owner)
      if (call?.inspect !== undefined) {
        yield* call.inspect(operation)
        transaction.isDryRun = true
      }
      return { answer, operation }
    })
    const { answer, operation } = yield* Effect.ensuring(atomically(run), forgetWrite(call))
    if (call?.inspect === undefined && operation !== undefined) committedAs(call, operation.id)
    return answer
  })

  const record = (transaction: Transaction, call: OperationCall | undefined): ReadonlyMap<string, Operation> => {
    const operations = new Map<string, Operation>()
    for (const [owner, { data }] of transaction.drafts) {
      const base = slotOf(owner).data
      if (base === undefined || data === undefined) continue
      const operation = recordOperation(base, data, {
        writeTimestamp: transaction.writeTimestamp,
        call,
        keepsImages: keepsImages || call?.inspect !== undefined
      })
      if (operation !== undefined) operations.set(owner, operation)
    }
    return operations
  }

  return {
    read: <A, U = undefined>(owner: string, f: (data: OwnerData) => A, unknown?: U) =>
      Effect.map(Effect.service(Current), (transaction) => {
        const data = seen(owner, transaction)
        return data === undefined ? (unknown as U) : f(data)
      }),
    readAll: (f) =>
      Effect.map(Effect.service(Current), (transaction) =>
        f([...slots.keys()].map((owner) => seen(owner, transaction)).filter((data) => data !== undefined))
      ),
    write: <A, U = undefined>(owner: string, f: (data: OwnerData, writeTimestamp: EpochMillis) => A, unknown?: U) =>
      withDraft(owner, ({ data }, { writeTimestamp }) =>
        data === undefined ? (unknown as U) : f(data, writeTimestamp)
      ),
    writeAccount: (owner, f) => withDraft(owner, (draft, transaction) => f(draft, othersThan(owner, transaction))),
    isWithin: Effect.map(Effect.service(Current), (current) => current !== undefined),
    transact: (owner, body) =>
      Effect.flatMap(Effect.service(Current), (current) =>
        current === undefined
          ? writeOf(owner, body)
          : current.frozen === true
            ? writtenTo
            : body(current.writeTimestamp)
      ),
    snapshot: (owner, body) =>
      Effect.flatMap(Effect.service(Current), (current) => {
        if (current !== undefined) return body
        const frozen = new Map([[owner as string, { data: slots.get(owner)?.data }]])
        return Effect.provideService(body, Current, { writeTimestamp: epoch, drafts: frozen, frozen: true })
      })
  }
}

const writtenTo = Effect.die(new Error("A snapshot was written to"))

const begin = Effect.fnUntraced(function* <A, E, R>(
  transaction: Transaction,
  draft: Draft,
  body: (writeTimestamp: EpochMillis) => Effect.Effect<A, E, R>,
  warnOfSkew: ReturnType<typeof makeSkewWarning>
): Effect.fn.Return<A, E | NotFound, R> {
  if (draft.data === undefined) return yield* new NotFound({ message: "This account does not exist." })
  const now = yield* currentTime
  transaction.writeTimestamp = laterOf(now, addMillis(draft.data.lastWrite, 1))
  draft.data.lastWrite = transaction.writeTimestamp
  yield* warnOfSkew(lastWrite, transaction.writeTimestamp, now)
  return yield* body(transaction.writeTimestamp)
})

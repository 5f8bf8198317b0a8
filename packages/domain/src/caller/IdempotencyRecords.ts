import { Context, Effect, Latch, Layer, Random } from "effect"
import * as Crypto from "effect/Crypto"
import { madeBefore } from "../days/ClockSkew.ts"
import { Gone, IdempotencyMismatch, InvalidInput, type NotFound, StorageUnavailable } from "../model/Errors.ts"
import { isStorable, storableText } from "../text/Characters.ts"
import { type FoundRecord, IdempotencyStore, type KeyedWrite } from "../ports/IdempotencyStore.ts"
import { Storage } from "../ports/Storage.ts"
import type { AccountId } from "../model/Ids.ts"
import { utf8Bytes } from "../model/Size.ts"
import { Caller } from "../model/Caller.ts"
import { CurrentOperation } from "../model/CurrentOperation.ts"
import { addMillis, currentTime, msPerDay } from "../model/EpochMillis.ts"
import { inSpan } from "../scheduling/Traced.ts"
import { hashOf } from "./Hashing.ts"

/** How long a write can be repeated under its key, in milliseconds: 24 hours. */
export const idempotencyLifetime = msPerDay

/** At most so many expired records are removed with each new one. */
const prunedPerWrite = 4

/**
 * Bytes of stored answers per account; beyond that, the oldest answers are dropped. Checked on average once per
 * `checkedEvery` bytes of new answers, so an account can exceed it by a small multiple of that.
 */
export const keptAnswerBudget = { kept: 256 * 2 ** 20, checkedEvery: 2 ** 20 } as const

/** Answers a repetition as the first write was answered, and names the same operation. */
const repeated = ({ answer, operationId }: FoundRecord): Effect.Effect<string, Gone> =>
  answer === ""
    ? Effect.fail(new Gone({ message: answerDropped(operationId) }))
    : Effect.map(CurrentOperation, (call) => {
        if (call !== undefined) call.recorded = operationId
        return answer
      })

/**
 * The message for a repeated write whose record is still there but whose answer was dropped; `operationId` is that of
 * the first write.
 */
export const answerDropped = (operationId: string | undefined): string => {
  const done = operationId === undefined ? "" : `, as operation ${operationId}`
  return `This write was done when its key was first used${done}, and is not repeated. Its answer is no longer kept, since later ones of the account fill ${keptAnswerBudget.kept / 2 ** 20} MiB: read what it changed.`
}

/**
 * The answer of a write that is tried before a transaction; undefined where the transaction has to decide. A failure
 * counts as undecided, since the transaction either fails in the same way or finds a stored answer. Only an outage
 * fails at once.
 */
export const undecidedOnFailure = <A, E, R>(
  attempt: Effect.Effect<A | undefined, E, R>
): Effect.Effect<A | undefined, E, R> =>
  Effect.catchIf(
    attempt,
    (error) => !(error instanceof StorageUnavailable),
    () => Effect.undefined
  )

type Once<E, R> = Effect.Effect<
  string,
  E | Gone | IdempotencyMismatch | InvalidInput | NotFound | StorageUnavailable,
  R | Caller
>

/** Safe retries: the same `Idempotency-Key` has one effect and one answer. */
export class IdempotencyRecords extends Context.Service<
  IdempotencyRecords,
  {
    /**
     * Runs `write` at most once per key of the caller's account; a repetition returns the stored answer. The record is
     * stored in the same transaction as the effect. `request` identifies what was asked for: a different one under the
     * same key fails with `IdempotencyMismatch`, and a repetition whose answer is beyond `keptAnswerBudget` with `Gone`. A
     * write that fails leaves no record. `singleStatement` performs the same write and stores its record in one
     * statement, outside of a transaction. It is tried first; if it returns undefined or fails, it has written nothing,
     * and the transaction decides.
     */
    readonly once: <E, R>(
      key: string,
      request: string,
      write: Effect.Effect<string, E, R>,
      singleStatement?: (keyed: KeyedWrite) => Effect.Effect<string | undefined, E, R>
    ) => Once<E, R>
    /**
     * `once` for a write that waits for something before its transaction, such as the answer of another system: `ready`
     * succeeds with the write. A later repetition does not run `ready` again. A concurrent one waits for the first if
     * both reach the same process, but not across servers.
     */
    readonly onceReady: <E, R>(
      key: string,
      request: string,
      ready: Effect.Effect<Effect.Effect<string, E, R>, E, R>
    ) => Once<E, R>
  }
>()("@lists-and-things/domain/caller/IdempotencyRecords") {
  static readonly layer = Layer.effect(
    IdempotencyRecords,
    Effect.gen(function* () {
      const storage = yield* Storage
      const records = yield* IdempotencyStore
      const crypto = yield* Crypto.Crypto

      /** The answer to this request under this key, where there was one. */
      const earlierAnswer = Effect.fnUntraced(function* (owner: AccountId, key: string, fingerprint: string) {
        if (!isStorable(key)) return yield* unstorable
        const earlier = yield* records.get(owner, key, addMillis(yield* currentTime, -idempotencyLifetime))
        if (earlier === undefined) return undefined
        if (earlier.fingerprint !== fingerprint) return yield* new IdempotencyMismatch()
        return yield* repeated(earlier)
      })

      /** Drops the answers beyond the budget, with a probability proportional to the size of the answer just stored. */
      const dropOldAnswers = Effect.fnUntraced(function* (owner: AccountId, answer: string) {
        if ((yield* Random.next) < utf8Bytes(answer) / keptAnswerBudget.checkedEvery)
          yield* records.dropAnswers(owner, keptAnswerBudget.kept)
      })

      const inTransaction = Effect.fnUntraced(function* (
        owner: AccountId,
        key: string,
        fingerprint: string,
        write: Effect.Effect<string, unknown, unknown>
      ) {
        const earlier = yield* earlierAnswer(owner, key, fingerprint)
        if (earlier !== undefined) return earlier
        const now = yield* currentTime
        const answer = yield* write
        yield* records.put(owner, { key, fingerprint, answer, created: now })
        yield* records.pruneOf(owner, madeBefore(now, idempotencyLifetime), prunedPerWrite)
        yield* dropOldAnswers(owner, answer)
        return answer
      })

      const writeOnce = Effect.fnUntraced(function* (
        key: string,
        request: string,
        write: Effect.Effect<string, unknown, unknown>,
        singleStatement: ((keyed: KeyedWrite) => Effect.Effect<string | undefined, unknown, unknown>) | undefined
      ) {
        const { account } = yield* Caller
        const fingerprint = yield* hashOf(crypto, request)
        if (singleStatement !== undefined && isStorable(key)) {
          const outdated = madeBefore(yield* currentTime, idempotencyLifetime)
          const answer = yield* undecidedOnFailure(
            singleStatement({ key, fingerprint, outdated, maxPruned: prunedPerWrite })
          )
          if (answer !== undefined) return yield* Effect.as(Effect.ignore(dropOldAnswers(account.id, answer)), answer)
        }
        return yield* storage.transact(account.id, () => inTransaction(account.id, key, fingerprint, write))
      })

      const once = <E, R>(
        key: string,
        request: string,
        write: Effect.Effect<string, E, R>,
        singleStatement?: (keyed: KeyedWrite) => Effect.Effect<string | undefined, E, R>
      ) => inSpan("IdempotencyRecords.once")(writeOnce(key, request, write, singleStatement) as Once<E, R>)

      const alone = oneAtATime()

      const onceReady = <E, R>(key: string, request: string, ready: Effect.Effect<Effect.Effect<string, E, R>, E, R>) =>
        Effect.gen(function* () {
          const { account } = yield* Caller
          const fingerprint = yield* hashOf(crypto, request)
          const first = Effect.gen(function* () {
            const earlier = yield* earlierAnswer(account.id, key, fingerprint)
            return earlier ?? (yield* once(key, request, yield* ready))
          })
          return yield* alone(`${account.id} ${key}`, first)
        })

      return IdempotencyRecords.of({ once, onceReady })
    })
  )
}

const unstorable = new InvalidInput({
  field: "The key of a repeated write",
  reason: `must be ${storableText}`
})

/** Runs effects of the same name one after the other, in the order in which they come. */
const oneAtATime = () => {
  const last = new Map<string, Latch.Latch>()
  return <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const before = last.get(name)?.await ?? Effect.void
      const ended = Latch.makeUnsafe()
      last.set(name, ended)
      const end = Effect.sync(() => {
        ended.openUnsafe()
        if (last.get(name) === ended) last.delete(name)
      })
      return Effect.ensuring(Effect.andThen(before, effect), Effect.andThen(before, end))
    })
}

import { monotonicMillis } from "@lists-and-things/domain/model/EpochMillis"
import { Effect, Latch, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isCrowded, isDiskFull, isForbidden, isUnreachable, reasonOf, sqlState } from "./SqlErrors.ts"

/** Milliseconds between two looks whether the database answers again. */
const checkInterval = 1_000
/** Milliseconds in which one kind of refusal is logged once. */
const logInterval = 60_000

export interface OutageLog {
  /** Nothing is logged before that, since whoever opens the storage reports why it fails. */
  readonly begin: Effect.Effect<void>
  /** Is told of each failure for which a request was refused. */
  readonly report: (failure: SqlError) => Effect.Effect<void>
}

const refusalText = (failure: SqlError): string => {
  if (isDiskFull(failure))
    return `The disk of the database is full (${reasonOf(failure)}): writes are refused (507), reads go on. Make room there; writes are accepted again by themselves.`
  if (isCrowded(failure))
    return `The database has no connection left (${reasonOf(failure)}): requests that need a new one are answered 503, the others go on. Raise max_connections, or the limit of the role or of the database, or end what else is connected.`
  const refused = `The database refused a statement (${reasonOf(failure)}): its request is answered 503.`
  return isForbidden(failure) ? `${refused} The role of DATABASE_URL needs to own the database or its schema.` : refused
}

/**
 * Logs for the operator why requests are refused: once when the database cannot be reached, and once when `look`
 * succeeds again; any other refusal at most once a minute for each SQLSTATE.
 */
export const makeOutageLog = (look: Effect.Effect<unknown, unknown>): Effect.Effect<OutageLog, never, Scope.Scope> =>
  Effect.gen(function* () {
    const isDown = Latch.makeUnsafe()
    const logged = new Map<string, number>()
    let hasBegun = false

    const outage = isDown.await.pipe(
      Effect.andThen(Effect.retry(Effect.delay(look, checkInterval), {})),
      Effect.andThen(isDown.close),
      Effect.andThen(Effect.logInfo("The database answers again."))
    )
    yield* Effect.forkScoped(Effect.forever(outage))

    const refused = (failure: SqlError) =>
      Effect.flatMap(monotonicMillis, (now) => {
        const state = sqlState(failure) ?? ""
        if (now - (logged.get(state) ?? Number.NEGATIVE_INFINITY) < logInterval) return Effect.void
        logged.set(state, now)
        return Effect.logWarning(refusalText(failure))
      })

    const lost = (failure: SqlError) =>
      isDown.openUnsafe()
        ? Effect.logWarning(
            `The database cannot be reached (${reasonOf(failure)}): requests are answered 503 until it can.`
          )
        : Effect.void

    const report = (failure: SqlError): Effect.Effect<void> => {
      if (!hasBegun) return Effect.void
      return isUnreachable(failure) && !isCrowded(failure) ? lost(failure) : refused(failure)
    }
    return { begin: Effect.sync(() => void (hasBegun = true)), report }
  })

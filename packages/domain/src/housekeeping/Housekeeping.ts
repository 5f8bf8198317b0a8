import { Cause, Context, Effect, Layer, Random } from "effect"
import { type Job, jobs } from "./Jobs.ts"
import { currentTime, msPerMinute } from "../model/EpochMillis.ts"
import { logFailure } from "../model/FailureLog.ts"
import { rootReason } from "../model/RootCause.ts"
import { enumerated } from "../text/Wording.ts"

/** Rows per step: few enough that no request waits noticeably for it. */
export const batchSize = 500
/** Maximum steps of one job per pass, so that a long job does not starve the others; the next pass continues, soon. */
export const maxSteps = 200
/** Milliseconds between two steps. */
export const pauseMillis = 100
/**
 * Milliseconds until the first pass, or the one after a pass that left something, and between other passes, with a random
 * jitter of a quarter so that processes drift apart.
 */
export const firstMillis = msPerMinute
export const everyMillis = 10 * msPerMinute

/** What one job removed in a pass. */
export interface JobResult {
  readonly name: string
  readonly removed: number
  /** Whether it stopped on an error; the next pass continues. */
  readonly failed: boolean
}

/** Removes expired data in the background; failures are logged and retried. */
export class Housekeeping extends Context.Service<
  Housekeeping,
  {
    /** Runs each job once, in sequence, in steps until nothing is left. */
    readonly pass: Effect.Effect<ReadonlyArray<JobResult>>
    /** Runs passes until interrupted. */
    readonly forever: Effect.Effect<never>
  }
>()("@lists-and-things/domain/housekeeping/Housekeeping") {
  static readonly layer = Layer.effect(
    Housekeeping,
    Effect.map(jobs, (all) => Housekeeping.of(makeHousekeeping(all)))
  )

  /** Runs while its scope is open; for long-running programs. */
  static readonly running = Layer.effectDiscard(
    Effect.flatMap(Housekeeping, ({ forever }) => Effect.forkScoped(forever))
  ).pipe(Layer.provide(Housekeeping.layer))
}

export const makeHousekeeping = (all: ReadonlyArray<Job>): Housekeeping["Service"] => {
  const pass = Effect.flatMap(Effect.forEach(all, run), (ran) =>
    Effect.as(
      logFailures(ran),
      ran.map(({ done }) => done)
    )
  )
  const again = Effect.flatMap(pass, (done) => waitAbout(done.some(hasMore) ? firstMillis : everyMillis))
  return { pass, forever: Effect.andThen(waitAbout(firstMillis), Effect.forever(again)) }
}

/**
 * Whether a job may have left something, which could otherwise grow faster than it is removed: it ends at the first step
 * that others' locks cut short.
 */
const hasMore = ({ failed, removed }: JobResult): boolean => removed >= batchSize || (failed && removed > 0)

const waitAbout = (millis: number): Effect.Effect<void> =>
  Effect.flatMap(Random.nextBetween(0.75 * millis, 1.25 * millis), Effect.sleep)

interface Ran {
  readonly done: JobResult
  /** Why it stopped on an error. */
  readonly cause: Cause.Cause<unknown> | undefined
}

/** One line for all jobs that failed alike: an outage fails each of them. */
const logFailures = (ran: ReadonlyArray<Ran>): Effect.Effect<void> => {
  const failed = ran.flatMap(({ cause, done }) => (cause === undefined ? [] : [{ cause, name: done.name }]))
  const byReason = Map.groupBy(failed, ({ cause }) => rootReason(Cause.squash(cause)))
  return Effect.forEach(
    byReason.values(),
    (alike) => {
      const names = enumerated(alike.map(({ name }) => name))
      return logFailure(`Removing outdated ${names} failed and is tried again later`, alike[0]!.cause)
    },
    { discard: true }
  )
}

const run = (job: Job): Effect.Effect<Ran> => {
  let removed = 0
  const steps = Effect.gen(function* () {
    for (let step = 0; step < maxSteps; step++) {
      if (step > 0) yield* Effect.sleep(pauseMillis)
      const gone = yield* job.step(yield* currentTime, batchSize)
      removed += gone
      if (gone < batchSize) return
    }
  })
  return steps.pipe(
    Effect.as(undefined),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : Effect.succeed(cause)
    ),
    Effect.map((cause) => ({ done: { name: job.name, removed, failed: cause !== undefined }, cause })),
    Effect.tap(() => (removed > 0 ? Effect.logDebug(`Removed ${removed} outdated ${job.name}`) : Effect.void))
  )
}

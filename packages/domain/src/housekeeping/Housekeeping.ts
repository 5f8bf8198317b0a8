import { Cause, Clock, Context, Effect, Layer, Random } from "effect"
import { type Job, jobs } from "./Jobs.ts"

/** Rows of one step: few enough that nobody waits for it. */
export const batchSize = 500
/** Steps of one job in a pass, so that a long one does not keep the others waiting; the next pass goes on. */
const mostSteps = 200
/** Milliseconds between two steps. */
export const pauseMillis = 100
/** Milliseconds until the first pass and between two passes, give or take a quarter, so that processes drift apart. */
export const firstMillis = 60_000
export const everyMillis = 10 * 60_000

export interface Done {
  readonly name: string
  readonly removed: number
  /** Whether it broke off; what is left is the next pass's. */
  readonly failed: boolean
}

/** Removes in the background what is of no use any more; whatever fails is said in the log and tried again. */
export class Housekeeping extends Context.Service<
  Housekeeping,
  {
    /** Each job once, one after the other, in steps until nothing is left of it. */
    readonly pass: Effect.Effect<ReadonlyArray<Done>>
    /** One pass after the other, until interrupted. */
    readonly forever: Effect.Effect<never>
  }
>()("@lists-and-things/domain/housekeeping/Housekeeping") {
  static readonly layer = Layer.effect(
    Housekeeping,
    Effect.map(jobs, (all) => Housekeeping.of(makeHousekeeping(all)))
  )

  /** Runs as long as its scope is open; for programs that stay. */
  static readonly running = Layer.effectDiscard(
    Effect.flatMap(Housekeeping, ({ forever }) => Effect.forkScoped(forever))
  ).pipe(Layer.provide(Housekeeping.layer))
}

export const makeHousekeeping = (all: ReadonlyArray<Job>): Housekeeping["Service"] => {
  const pass = Effect.forEach(all, run)
  const forever = waitAbout(firstMillis).pipe(
    Effect.andThen(Effect.forever(Effect.andThen(pass, waitAbout(everyMillis))))
  )
  return { pass, forever }
}

const waitAbout = (millis: number): Effect.Effect<void> =>
  Effect.flatMap(Random.nextBetween(0.75 * millis, 1.25 * millis), Effect.sleep)

const run = (job: Job): Effect.Effect<Done> => {
  let removed = 0
  const steps = Effect.gen(function* () {
    for (let step = 0; step < mostSteps; step++) {
      if (step > 0) yield* Effect.sleep(pauseMillis)
      const gone = yield* job.step(yield* Clock.currentTimeMillis, batchSize)
      removed += gone
      if (gone < batchSize) return
    }
  })
  return steps.pipe(
    Effect.as(false),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.as(Effect.logWarning(`Removing outdated ${job.name} failed and is tried again later`, cause), true)
    ),
    Effect.map((failed) => ({ name: job.name, removed, failed })),
    Effect.tap(() => (removed > 0 ? Effect.logDebug(`Removed ${removed} outdated ${job.name}`) : Effect.void))
  )
}

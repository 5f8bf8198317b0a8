import { Cause, Effect, Exit } from "effect"
import type { Webhook } from "../model/Webhook.ts"

/**
 * The result of a poll: there was nothing to announce, everything was announced, or more is left than one poll
 * announces.
 */
export type PollResult = "nothing" | "done" | "more"

export const pollResult = (found: boolean, isMore = false): PollResult => (isMore ? "more" : found ? "done" : "nothing")

/** Deliveries that one account may add before the next account has its turn. */
const deliveriesPerStep = 400

/** How much an account with this many webhooks announces before the next account has its turn. */
export const shareOf = (webhooks: ReadonlyArray<Webhook>): number =>
  Math.max(1, Math.floor(deliveriesPerStep / Math.max(1, webhooks.length)))

/** Accounts that have their turn at once. Each holds a connection for writes at times, and requests need those too. */
export const turnsAtATime = 3

/**
 * Runs the turns of all accounts, some at once, even if one of them dies; a defect is rethrown at the end. After a
 * failure no turn begins, and those under way end before it is rethrown.
 */
export const forEachIsolated = <A, E, R>(
  all: Iterable<A>,
  use: (each: A) => Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    let defect: Exit.Exit<void, E> = Exit.void
    let failure: Exit.Exit<void, E> = Exit.void
    const turn = Effect.fnUntraced(function* (each: A) {
      if (Exit.isFailure(failure)) return
      const exit = yield* Effect.exit(use(each))
      if (Exit.isSuccess(exit)) return
      if (Cause.hasDies(exit.cause)) defect = exit
      else failure = exit
    })
    yield* Effect.forEach(all, turn, { concurrency: turnsAtATime, discard: true })
    yield* failure
    yield* defect
  })

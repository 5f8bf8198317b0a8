import { Cause, Effect, Exit } from "effect"
import type { Webhook } from "../model/Webhook.ts"

/**
 * The result of a look: there was nothing to announce, everything was announced, or more is left than one look
 * announces.
 */
export type LookResult = "nothing" | "done" | "more"

export const lookResult = (found: boolean, isMore = false): LookResult => (isMore ? "more" : found ? "done" : "nothing")

/** Deliveries that one account may add before the next account has its turn. */
const deliveriesPerStep = 400

/** How much an account with this many webhooks announces before the next account has its turn. */
export const shareOf = (webhooks: ReadonlyArray<Webhook>): number =>
  Math.max(1, Math.floor(deliveriesPerStep / Math.max(1, webhooks.length)))

/**
 * Runs the turns of all accounts, even if one of them dies; a defect is rethrown at the end. Failures end the loop at
 * once.
 */
export const forEachIsolated = <A, E, R>(
  all: Iterable<A>,
  use: (each: A) => Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    let defect: Exit.Exit<void, E> = Exit.void
    for (const each of all) {
      const exit = yield* Effect.exit(use(each))
      if (Exit.isSuccess(exit)) continue
      if (!Cause.hasDies(exit.cause)) return yield* exit
      defect = exit
    }
    yield* defect
  })

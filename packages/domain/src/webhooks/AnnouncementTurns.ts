import { Cause, Effect, Exit } from "effect"
import type { Webhook } from "../model/Webhook.ts"

/** What a look found: nothing to announce, what it has announced, or more than it announces at a time. */
export type Look = "nothing" | "done" | "more"

export const lookOf = (found: boolean, isMore = false): Look => (isMore ? "more" : found ? "done" : "nothing")

/** Deliveries that an account adds before it is another one's turn. */
const deliveriesPerStep = 400

/** What an account with so many webhooks announces before it is another one's turn. */
export const shareOf = (webhooks: ReadonlyArray<Webhook>): number =>
  Math.max(1, Math.floor(deliveriesPerStep / Math.max(1, webhooks.length)))

/** A defect in what one account has does not keep others waiting; it is reported after them. */
export const eachApart = <A, E, R>(
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

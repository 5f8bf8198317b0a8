import { Effect } from "effect"

/**
 * A function whose calls are spans of this name where somebody collects them, and cost nothing more where nobody does:
 * `Effect.fn` notes where each call came from, and makes the fiber read its settings anew.
 */
export const traced = (name: string): Effect.fn.Untraced =>
  ((body: () => Generator<Effect.Effect<unknown>, unknown, never>) => {
    const collected: (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown> = Effect.fn(name)(body)
    const plain: typeof collected = Effect.fnUntraced(body)
    return (...args: ReadonlyArray<unknown>) =>
      Effect.withFiber(({ cache }) => (cache.tracerEnabled ? collected(...args) : plain(...args)))
  }) as Effect.fn.Untraced

/** Like `traced`, for one effect. */
export const inSpan =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber(({ cache }) => (cache.tracerEnabled ? Effect.withSpan(effect, name) : effect)) as Effect.Effect<
      A,
      E,
      R
    >

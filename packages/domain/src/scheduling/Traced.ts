import { Effect } from "effect"

/**
 * Like `Effect.fn`, makes each call a span of this name, but costs nothing when no spans are collected: `Effect.fn`
 * captures a stack trace for each call, and makes the fiber read its settings again.
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

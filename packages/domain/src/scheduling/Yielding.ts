import { Effect } from "effect"
import { CurrentTimeSlices, type TimeSlices } from "./TimeSlices.ts"

/**
 * Work in steps: a generator that yields wherever it may be paused, between items and never within one. The yielded
 * values are meaningless; the result is the return value.
 */
export type Steps<A> = Generator<void, A>

/**
 * Runs all steps; yields to other requests between steps when the time slice is used up. (Not a generator function
 * created per call: each would get a hidden class of its own, which retains what it refers to until the next full
 * garbage collection.)
 */
export const runSteps = <A>(steps: () => Steps<A>): Effect.Effect<A> =>
  Effect.flatMap(CurrentTimeSlices, (slices) => stepThrough(slices, steps()))

const stepThrough = <A>(slices: TimeSlices, work: Steps<A>): Effect.Effect<A> => {
  let step = work.next()
  while (step.done !== true) {
    if (slices.isDue()) return Effect.flatMap(slices.yieldNow, () => stepThrough(slices, work))
    step = work.next()
  }
  return Effect.succeed(step.value)
}

/** Runs all steps without yielding to other requests. */
export const runStepsSync = <A>(steps: Steps<A>): A => {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Yields to other requests if the time slice is used up; for use between the effects of a long loop. */
export const yieldIfDue: Effect.Effect<void> = Effect.flatMap(CurrentTimeSlices, ({ yieldNow, isDue }) =>
  isDue() ? yieldNow : Effect.void
)

/** `forEach` with a synchronous function; each item must be short work. */
export const forEachYielding = <A>(items: Iterable<A>, use: (item: A, at: number) => void): Effect.Effect<void> =>
  runSteps(() => useEach(items, use))

function* useEach<A>(items: Iterable<A>, use: (item: A, at: number) => void): Steps<void> {
  let at = 0
  for (const item of items) {
    use(item, at++)
    yield
  }
}

/** `map` with a synchronous function; each item must be short work. */
export const mapYielding = <A, B>(items: Iterable<A>, use: (item: A, at: number) => B): Effect.Effect<Array<B>> =>
  Effect.suspend(() => {
    const mapped: Array<B> = []
    return Effect.as(
      forEachYielding(items, (item, at) => void mapped.push(use(item, at))),
      mapped
    )
  })

const runLength = 64

/** A stable sort like `toSorted`, in `n log n` comparisons. */
export const sortYielding = <A>(
  items: ReadonlyArray<A>,
  compare: (a: A, b: A) => number
): Effect.Effect<ReadonlyArray<A>> => runSteps(() => sortSteps(items, compare))

/** `sortYielding` as steps. */
export function* sortSteps<A>(items: ReadonlyArray<A>, compare: (a: A, b: A) => number): Steps<ReadonlyArray<A>> {
  let runs: Array<ReadonlyArray<A>> = []
  for (let from = 0; from < items.length; from += runLength) {
    runs.push(items.slice(from, from + runLength).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: Array<ReadonlyArray<A>> = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at]!, runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

function* merge<A>(
  left: ReadonlyArray<A>,
  right: ReadonlyArray<A>,
  compare: (a: A, b: A) => number
): Steps<ReadonlyArray<A>> {
  const merged: Array<A> = []
  let [l, r] = [0, 0]
  while (l < left.length && r < right.length) {
    merged.push(compare(left[l]!, right[r]!) <= 0 ? left[l++]! : right[r++]!)
    if (merged.length % runLength === 0) yield
  }
  while (l < left.length) merged.push(left[l++]!)
  while (r < right.length) merged.push(right[r++]!)
  return merged
}

import { type Load, measure, type Measured } from "./Load.ts"
import type { Running } from "./Processes.ts"

/** Duration and number of the measurements per side. */
export interface Effort {
  readonly seconds: number
  readonly rounds: number
  /** Whether an uncounted round precedes the others. */
  readonly warmUp: boolean
  /** Whether the row with this number is selected. */
  readonly wants: (row: string) => boolean
}

/** The same request for both sides; each side adds its own headers. */
export interface Pair {
  readonly ours: Omit<Load, "url" | "seconds">
  readonly floor: Omit<Load, "url" | "seconds">
}

export interface Row {
  readonly row: string
  readonly what: string
  /** `throughput`: ours / floor, more is better. `time`: ours / floor of the median time, less is better. */
  readonly by: "throughput" | "time" | "absolute"
  readonly goal: string
  readonly ratio: number
  readonly met: boolean
  /** Ours / floor of the 99th percentile, if it is measured; should be at most 1.5. */
  readonly tail?: number
  readonly ours: string
  readonly floor: string
}

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

interface Sides {
  readonly ours: ReadonlyArray<Measured>
  readonly floor: ReadonlyArray<Measured>
}

/** Measures in rounds that alternate between the two sides. */
export const alternate = async (pair: Pair, ours: Running, floor: Running, effort: Effort): Promise<Sides> => {
  const sides = { ours: [] as Array<Measured>, floor: [] as Array<Measured> }
  const run = (load: Omit<Load, "url" | "seconds">, server: Running, seconds: number) =>
    measure({ ...load, url: server.url, seconds })
  if (effort.warmUp) {
    await run(pair.ours, ours, effort.seconds)
    await run(pair.floor, floor, effort.seconds)
  }
  for (let round = 0; round < effort.rounds; round++) {
    sides.ours.push(await run(pair.ours, ours, effort.seconds))
    sides.floor.push(await run(pair.floor, floor, effort.seconds))
  }
  const failed = [...sides.ours, ...sides.floor].reduce((sum, each) => sum + each.failed, 0)
  if (failed > 0) throw new Error(`${failed} requests of ${pair.ours.method} ${pair.ours.path} failed`)
  return sides
}

/** A row computed from its rounds, judged by the ratio of the medians. */
export const judge = (
  row: string,
  what: string,
  by: "throughput" | "time",
  goal: number,
  { ours, floor }: Sides
): Row => {
  const of = (side: ReadonlyArray<Measured>, value: (each: Measured) => number) => median(side.map(value))
  const value = by === "throughput" ? (each: Measured) => each.perSecond : (each: Measured) => 1000 / each.perSecond
  const ratio = of(ours, value) / of(floor, value)
  const shown = (side: ReadonlyArray<Measured>) =>
    `${of(side, (each) => each.perSecond).toFixed(0)}/s, p50 ${of(side, (each) => each.p50)} ms, p99 ${of(side, (each) => each.p99)} ms`
  return {
    row,
    what,
    by,
    goal: by === "throughput" ? `>= ${goal}` : `<= ${goal}`,
    ratio,
    met: by === "throughput" ? ratio >= goal : ratio <= goal,
    tail: of(ours, ({ p99 }) => p99) / of(floor, ({ p99 }) => p99),
    ours: shown(ours),
    floor: shown(floor)
  }
}

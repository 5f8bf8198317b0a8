import type { Position } from "@lists-and-things/domain/model/Thing"
import { earliest, latest, noon, timed } from "./Fixtures.ts"

/**
 * Positions at the end of a list (docs/decisions.md#order-and-nesting). The rule is implemented twice, in
 * `positionAllocator` and in the SQL of `append`; both must pass these cases.
 */
export interface EndPosition {
  readonly name: string
  /** The positions of the list's things, in no particular order. */
  readonly occupied: ReadonlyArray<Position>
  /** How far the account's last write is ahead of the clock, in milliseconds. */
  readonly skew?: number
  /** The position of a new thing, with the clock at `noon`. */
  readonly expected: Position
}

const at = (sortTime: number, sequence: number): Position => timed<Position>({ sortTime, sequence })

export const endPositions: ReadonlyArray<EndPosition> = [
  { name: "an empty list", occupied: [], expected: at(noon, 0) },
  { name: "behind earlier things", occupied: [at(noon - 1, 7), at(earliest, 3)], expected: at(noon, 0) },
  { name: "behind things of the same time", occupied: [at(noon, 4), at(noon, 9)], expected: at(noon, 10) },
  { name: "behind a later thing", occupied: [at(noon, 9), at(noon + 1, 0)], expected: at(noon + 1, 1) },
  { name: "behind the latest thing", occupied: [at(latest, 4), at(noon, 9)], expected: at(latest, 5) },
  { name: "a last write just ahead of the clock", occupied: [], skew: 30_000, expected: at(noon + 30_001, 0) },
  { name: "a last write far ahead of the clock", occupied: [at(noon, 2)], skew: 600_000, expected: at(noon, 3) }
]

import { isIdForm } from "../model/Ids.ts"
import { runSteps, sortSteps, type Steps } from "../scheduling/Yielding.ts"
import type { Effect } from "effect"

/**
 * Short ids, for people who type (docs/decisions.md#ids). All that is made in one minute begins alike, since ids begin
 * with the time; their last blocks are random.
 */

const blockStart = 24
const blockLength = 12
const leastLength = 4

/**
 * What a short id names, and the beginning of a longer part of an id that was cut: the part with which the id's last
 * block begins or, where it has a dash, the id itself. Undefined for what is neither.
 */
export const idPart = (text: string): string | undefined => {
  const part = text.trim().toLowerCase()
  if (/^[0-9a-f]{4,12}$/.test(part)) return part
  return part.length < 36 && /^[0-9a-f]{8}-[0-9a-f-]*$/.test(part) && isIdForm(completed(part)) ? part : undefined
}

/** The beginning of an id made whole. */
const completed = (part: string): string => `${part}${"00000000-0000-0000-0000-000000000000".slice(part.length)}`

/** The first and the last id that begin with a part which has a dash, both inclusive. */
export const idsFrom = (part: string): readonly [string, string] => [
  completed(part),
  `${part}${"ffffffff-ffff-ffff-ffff-ffffffffffff".slice(part.length)}`
]

/** Whether an id is one of those that `part` names. */
export const hasPart = (id: string, part: string): boolean =>
  part.includes("-") ? id.startsWith(part) : id.startsWith(part, blockStart)

export const shortId = (id: string, length: number): string => id.slice(blockStart, blockStart + length)

const sharedLength = (a: string, b: string): number => {
  let length = 0
  while (length < b.length && a[length] === b[length]) length++
  return length
}

/** The least length, from 4, at which the short ids of these are all different; 12 where no length makes them so. */
function* uniqueLength(ids: ReadonlyArray<string>): Steps<number> {
  const blocks = yield* sortSteps(
    ids.map((id) => id.slice(blockStart)),
    (a, b) => (a < b ? -1 : a > b ? 1 : 0)
  )
  let length = leastLength
  for (const [at, block] of blocks.entries()) {
    length = Math.max(length, Math.min(blockLength, sharedLength(block, blocks[at + 1] ?? "") + 1))
    yield
  }
  return length
}

/**
 * The length of the short ids of what is shown together: they differ from each other, and one of an account of so many
 * `things` is also another one's in at most one case of 256.
 */
export const shortLength = (ids: ReadonlyArray<string>, things: number): Effect.Effect<number> =>
  runSteps(function* () {
    let length = yield* uniqueLength([...new Set(ids)])
    while (length < blockLength && 16 ** length < 256 * things) length++
    return length
  })

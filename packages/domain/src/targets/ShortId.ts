import { isIdForm } from "../model/Ids.ts"
import { runSteps, sortSteps, type Steps } from "../scheduling/Yielding.ts"
import type { Effect } from "effect"

/**
 * Short ids, for people who type (docs/decisions.md#ids). All that is made in one minute begins alike, since ids begin
 * with the time; their last blocks are random.
 */

const blockStart = 24
const blockLength = 12
const minLength = 4

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

const sharedLength = (a: string, b: string): number => {
  let length = 0
  while (length < b.length && a[length] === b[length]) length++
  return length
}

/**
 * The length at which, in an account with `things` things, a short id fits another thing in at most one case of 256.
 */
const lengthIn = (things: number): number => {
  let length = minLength
  while (length < blockLength && 16 ** length < 256 * things) length++
  return length
}

/**
 * Whether a part is shorter than the short ids that are shown in an account with `things` things: what people type for a
 * year or a word, such as `1984` and `face`, begins some id of a large account.
 */
export const isShorterThanShown = (part: string, things: number): boolean =>
  !part.includes("-") && part.length < lengthIn(things)

function* shortIdSteps(ids: ReadonlyArray<string>, things: number): Steps<ReadonlyMap<string, string>> {
  const least = lengthIn(things)
  const sorted = yield* sortSteps([...new Set(ids)], (a, b) => (a.slice(blockStart) < b.slice(blockStart) ? -1 : 1))
  const blocks = sorted.map((id) => id.slice(blockStart))
  const short = new Map<string, string>()
  for (const [at, block] of blocks.entries()) {
    const alike = Math.max(sharedLength(block, blocks[at - 1] ?? ""), sharedLength(block, blocks[at + 1] ?? ""))
    short.set(sorted[at]!, block.slice(0, Math.max(least, alike + 1)))
    yield
  }
  return short
}

/**
 * The short ids of things that are shown together, by id: as short as possible, but different from each other and,
 * given the number of `things` in the account, unlikely to fit another one.
 */
export const shortIdsOf = (ids: ReadonlyArray<string>, things: number): Effect.Effect<ReadonlyMap<string, string>> =>
  runSteps(() => shortIdSteps(ids, things))

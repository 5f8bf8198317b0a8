import { Effect } from "effect"
import { notify } from "../model/CurrentOperation.ts"
import type { Thing } from "../model/Thing.ts"
import { quoted } from "../text/Quoted.ts"
import { tagKey } from "../text/TextFold.ts"
import { counted, enumerated } from "../text/Wording.ts"

/** Tags that a notice names; of more only the number is told. */
const maxNamed = 10

/**
 * A notice that names the tags that a change of many things takes from them, the most frequent first, for answers that
 * only have numbers: `tags replaces the tags of each thing. Gone are 'vegan' (2 things) and 'work' (1 thing).` None
 * where no tags are given, which clears them.
 */
export const notifyLostTags = (
  things: ReadonlyArray<Thing>,
  tags: ReadonlyArray<string> | undefined
): Effect.Effect<void> => {
  if (tags === undefined || tags.length === 0) return Effect.void
  const kept = new Set(tags.map(tagKey))
  const lost = things.flatMap((thing) => thing.tags.filter((tag) => !kept.has(tagKey(tag))))
  if (lost.length === 0) return Effect.void
  const byFrequency = [...Map.groupBy(lost, tagKey).values()].toSorted((one, other) => other.length - one.length)
  const named = byFrequency.map((each) => `${quoted(each[0]!)} (${counted(each.length, "thing")})`)
  return notify(`tags replaces the tags of each thing. Gone are ${enumerated(named, maxNamed)}.`)
}

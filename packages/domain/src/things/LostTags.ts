import { Effect } from "effect"
import { notify } from "../model/CurrentOperation.ts"
import type { Thing } from "../model/Thing.ts"
import { forEachYielding, sortYielding } from "../scheduling/Yielding.ts"
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
export const notifyLostTags = Effect.fnUntraced(function* (
  things: ReadonlyArray<Thing>,
  tags: ReadonlyArray<string> = []
) {
  if (tags.length === 0) return
  const kept = new Set(tags.map(tagKey))
  const lost = new Map<string, { readonly name: string; readonly count: number }>()
  yield* forEachYielding(things, (thing) => {
    for (const tag of thing.tags) {
      const key = tagKey(tag)
      const { count, name } = lost.get(key) ?? { name: tag, count: 0 }
      if (!kept.has(key)) lost.set(key, { name, count: count + 1 })
    }
  })
  if (lost.size === 0) return
  const byFrequency = yield* sortYielding([...lost.values()], (one, other) => other.count - one.count)
  const named = byFrequency.slice(0, maxNamed).map(({ count, name }) => `${quoted(name)} (${counted(count, "thing")})`)
  const others = lost.size - named.length
  yield* notify(
    `tags replaces the tags of each thing. Gone are ${enumerated(others > 0 ? [...named, `${others} more`] : named)}.`
  )
})

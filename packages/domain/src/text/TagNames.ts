import { tagKey } from "./TextFold.ts"

/**
 * Trimmed, without leading `#`, blank ones and repeats (ignoring case) dropped; the first spelling stays
 * (docs/decisions.md#things).
 */
export const cleanTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = cleaned.get(tags)
  if (known !== undefined) return known
  const clean = [...byKey(tags.map(cleanTag).filter((tag) => tag !== "")).values()]
  cleaned.set(tags, clean)
  return clean
}

/** Cached, since decoding validates the same tags once per rule. */
const cleaned = new WeakMap<ReadonlyArray<string>, ReadonlyArray<string>>()

/** Tags that compare equal are merged; the first spelling is kept. */
export const byKey = (tags: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const kept = new Map<string, string>()
  for (const tag of tags) {
    const key = tagKey(tag)
    if (!kept.has(key)) kept.set(key, tag)
  }
  return kept
}

/** Without every `#` in front and the blanks around: a tag that is read and sent back stays as it is. */
export const cleanTag = (tag: string): string => tag.replace(/^[#\s]+/, "").trimEnd()

const palette = [
  "#d94f4f",
  "#e07b39",
  "#c9a227",
  "#6a9f3d",
  "#2f9e79",
  "#2b8fb3",
  "#3f6fd1",
  "#6b5bd2",
  "#9a4fc4",
  "#c9479b",
  "#7a6a58",
  "#5b7083"
]

/** The color of a tag, `#rrggbb`, derived from its name ignoring case, so that it is stable everywhere. */
export const tagColor = (name: string): string => {
  let hash = 2_166_136_261
  for (const character of tagKey(name)) hash = Math.imul(hash ^ character.codePointAt(0)!, 16_777_619) >>> 0
  return palette[hash % palette.length]!
}

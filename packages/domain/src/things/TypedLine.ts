import { caps } from "../model/Caps.ts"
import { atMost } from "../text/Characters.ts"
import { cleanTags } from "../text/TagNames.ts"

/** Begins with a letter, so that `#12` is none. */
const tagWord = /^#\p{L}[\p{L}\p{M}\p{N}_-]*$/u

/** A line that a person typed, without the `#tag` words at its end, and their tags; a line of nothing else stays text. */
export const takeTags = (line: string): { readonly text: string; readonly tags: ReadonlyArray<string> } => {
  const words = line.split(" ")
  const isTag = (word: string) => atMost(word, caps.tag) && tagWord.test(word)
  const last = words.findLastIndex((word) => !isTag(word))
  const end = Math.max(last + 1, words.length - caps.tags)
  const text = words.slice(0, end).join(" ").trimEnd()
  return text.trim() === "" ? { text: line, tags: [] } : { text, tags: cleanTags(words.slice(end)) }
}

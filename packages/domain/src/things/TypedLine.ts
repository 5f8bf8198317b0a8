import { caps } from "../model/Caps.ts"
import { atMost } from "../text/Characters.ts"
import { cleanTags } from "../text/TagNames.ts"

/** Begins with a letter, so that `#12` is none. */
const tagWord = /^#\p{L}[\p{L}\p{M}\p{N}_-]*$/u

/** A line that a person typed, without the `#tag` words at its end, and their tags; a line of nothing else stays text. */
export const takeTags = (line: string): { readonly text: string; readonly tags: ReadonlyArray<string> } => {
  // Words and the white space between them, in turn.
  const parts = line.trimEnd().split(/(\s+)/)
  const isTag = (word: string) => atMost(word, caps.tag) && tagWord.test(word)
  const last = parts.findLastIndex((part) => part.trim() !== "" && !isTag(part))
  const end = Math.max(last + 1, parts.length - 2 * caps.tags)
  const text = parts.slice(0, end).join("").trimEnd()
  return text.trim() === "" ? { text: line, tags: [] } : { text, tags: cleanTags(parts.slice(end)) }
}

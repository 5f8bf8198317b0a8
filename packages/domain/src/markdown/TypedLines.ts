import type { Steps } from "../scheduling/Yielding.ts"

/** Bullets and boxes of other programs, by what they are in markdown. */
const foreign: ReadonlyArray<readonly [marker: RegExp, markdown: string]> = [
  [/^([ \t]*)[•◦▪‣·∙●○–][ \t]+/, "- "],
  [/^([ \t]*)(?:[☐□❏❑⬜]\uFE0F?[ \t]*|\[ ?\][ \t]+)/, "- [ ] "],
  [/^([ \t]*)(?:[☑☒✓✔✅]\uFE0F?[ \t]*|\[[xX]\][ \t]+)/, "- [x] "]
]

const marked = (line: string): string => {
  for (const [marker, markdown] of foreign) {
    const match = marker.exec(line)
    if (match !== null) return `${match[1]}${markdown}${line.slice(match[0].length)}`
  }
  return line
}

const fence = /^[ \t]*(`{3,}|~{3,})/
const item = /^(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/
const indented = /^[ \t]+[^ \t]/
const atMargin = /^[^ \t]/

/**
 * Lines that a person typed or pasted, as markdown in which each line at the left margin stands for itself: in CommonMark
 * such a line below an item continues the item. Code in fences stays as it is. Yields once per line.
 */
export function* typedLines(text: string): Steps<string> {
  const lines: Array<string> = []
  let closing: string | undefined
  let isInItem = false
  for (const written of text.split(/\r\n?|\n/)) {
    yield
    const opened = fence.exec(written)?.[1]
    if (closing !== undefined) {
      if (opened !== undefined && opened.startsWith(closing)) closing = undefined
      lines.push(written)
      continue
    }
    closing = opened
    const line = marked(written)
    const isItem = item.test(line)
    const goesOn = lines.at(-1)?.endsWith("\\") === true
    if (isInItem && !isItem && !goesOn && atMargin.test(line)) lines.push("")
    isInItem = isItem || (isInItem && (goesOn || indented.test(line)))
    lines.push(line)
  }
  return lines.join("\n")
}

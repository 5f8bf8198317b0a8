import type { Token } from "markdown-it"

/**
 * A thing's note stands below it in a fence of its own, as it is:
 *
 *     ```note
 *     long-form markdown
 *     ```
 *
 * A note that a fence cannot hold as it is (it has carriage returns) is written as a JSON string in a `note json` fence.
 */
const plain = "note"
const json = "note json"

/** The info strings of a note's fence, which are no language. */
export const noteInfos: ReadonlyArray<string> = [plain, json]

const parsedJson = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}

/** The note in a code block; undefined for any other block. */
export const readNote = (token: Token): string | undefined => {
  const info = token.type === "fence" ? token.info.trim() : ""
  const content = token.content.replace(/\n$/, "")
  const note = info === plain ? content : info === json ? parsedJson(content) : undefined
  return note === "" ? undefined : note
}

/** Fences lines verbatim; uses tildes where the info string contains backticks. */
export const fence = (info: string, content: string): string => {
  const tildes = info.includes("`")
  const mark = tildes ? "~" : "`"
  let [longest, run] = [2, 0]
  for (let at = content.indexOf(mark); at !== -1; at = content.indexOf(mark, at + 1)) {
    run = content[at - 1] === mark ? run + 1 : 1
    longest = Math.max(longest, run)
  }
  const marks = mark.repeat(longest + 1)
  return `${marks}${tildes ? " " : ""}${info}\n${content}\n${marks}`
}

export const noteFence = (note: string): string =>
  note.includes("\r") ? fence(json, JSON.stringify(note)) : fence(plain, note)

import { caps } from "../model/Caps.ts"
import { inlineAddress } from "./Address.ts"
import { parser } from "./Blocks.ts"
import { emphasisPairs } from "./Emphasis.ts"
import { codeSpans, isEscape, linkSpans } from "./InlineScan.ts"

/** Converts markdown source to the dialect of a thing's text. */

const reference = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|[a-z][a-z0-9]{1,31});/iy

const decoded = (match: RegExpExecArray): string => {
  const digits = match[1] ?? match[2]
  if (digits === undefined) return parser.utils.unescapeAll(match[0])
  const code = Number.parseInt(digits, match[1] === undefined ? 10 : 16)
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return valid ? String.fromCodePoint(code) : match[0]
}

const isLineEnd = (source: string, at: number): boolean => source[at] === "\\" && source[at + 1] === "\n"

/**
 * Replaces escapes and character references outside the ranges to keep; writes `*` at offsets that are 1 in `changed`.
 */
const unescapeBut = (
  source: string,
  keep: ReadonlyArray<{ readonly start: number; readonly end: number }>,
  changed: Uint8Array | undefined
): string => {
  const parts: Array<string> = []
  const special = /[\\&_]/g
  let from = 0
  let next = 0
  const replace = (at: number, length: number, by: string): void => {
    parts.push(source.slice(from, at), by)
    from = special.lastIndex = at + length
  }
  for (let match = special.exec(source); match !== null; match = special.exec(source)) {
    const at = match.index
    while ((keep[next]?.end ?? Infinity) <= at) next++
    const kept = keep[next]
    if (kept !== undefined && kept.start <= at) special.lastIndex = kept.end
    else if (changed?.[at] === 1) replace(at, 1, "*")
    else if (isEscape(source, at) || isLineEnd(source, at)) replace(at, 2, source[at + 1] ?? "")
    else if (match[0] === "&") {
      reference.lastIndex = at
      const found = reference.exec(source)
      if (found !== null) replace(at, found[0].length, decoded(found))
    }
  }
  return from === 0 ? source : parts.join("") + source.slice(from)
}

const shortened = /\\[\n!-/:-@[-`{-~]|&[#a-z]\w{1,31};/gi

/** Whether a text exceeds the cap under any reading. */
export const isTooLong = (source: string): boolean => {
  if (source.length <= 2 * caps.text) return false
  let length = source.length
  for (const [match] of source.matchAll(shortened)) length -= match.length - 1
  return length > 2 * caps.text
}

/** Links without titles and angle brackets, which a thing's text does not have. */
const withPlainLinks = (source: string): string => {
  if (!source.includes("](")) return source
  const parts: Array<string> = []
  let from = 0
  for (const { end, image, labelEnd, urlEnd, urlStart } of linkSpans(source, "source", codeSpans(source, "source"))) {
    const url = source.slice(urlStart, urlEnd)
    if (image || end === urlEnd + 1 || url === "" || url.includes("`")) continue
    parts.push(source.slice(from, labelEnd), `](${inlineAddress(addressOf(url))})`)
    from = end
  }
  return parts.join("") + source.slice(from)
}

/**
 * Rewrites `__x__` as `**x**` and `_x_` as `*x*`, and resolves escapes and character references; a backslash before a
 * line break becomes the line break; links lose titles and angle brackets. Code spans and everything else are kept as
 * written, and so is a text that exceeds the cap under any reading.
 */
export const dialectOf = (written: string): string => {
  if (!/[\\&_]|\]\(/.test(written) || isTooLong(written)) return written
  const source = withPlainLinks(written)
  if (!/[\\&_]/.test(source)) return source
  const codes = codeSpans(source, "source")
  let changed: Uint8Array | undefined
  if (source.includes("_")) {
    changed = new Uint8Array(source.length)
    for (const pair of emphasisPairs(source, "source", codes, linkSpans(source, "source", codes))) {
      if (pair.char !== "_") continue
      changed.fill(1, pair.open, pair.open + pair.width).fill(1, pair.close, pair.close + pair.width)
    }
  }
  return unescapeBut(source, codes, changed)
}

/** A link's address with its escapes resolved. */
export const addressOf = (source: string): string => unescapeBut(source, [], undefined)

const endsInBackslash = (line: string): boolean => {
  let start = line.length
  while (line[start - 1] === "\\") start--
  return (line.length - start) % 2 === 1
}

/** The lines of a paragraph, trimmed. */
export const trimmedLines = (content: string): ReadonlyArray<string> => physicalLines(content).map(withoutTrailingSpace)

const physicalLines = (content: string): ReadonlyArray<string> =>
  content.split("\n").map((line) => line.replace(/^[ \t]+/, ""))

const withoutTrailingSpace = (line: string): string => {
  let end = line.length
  while (line[end - 1] === " " || line[end - 1] === "\t") end--
  return line.slice(0, end)
}

/** The lines of a paragraph, joined with a line break where one ends in a backslash. */
export const logicalLines = (content: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let open: Array<string> = []
  for (const line of physicalLines(content)) {
    open.push(withoutTrailingSpace(line))
    if (endsInBackslash(line)) continue
    lines.push(open.join("\n"))
    open = []
  }
  if (open.length > 0) lines.push(open.join("\n"))
  return lines
}

/** The wrapped text of an item or heading on one line; hard breaks remain line breaks. */
export const joinedLine = (content: string): string => {
  const lines = physicalLines(content)
  const parts = lines.map((line, index) => {
    const text = withoutTrailingSpace(line)
    if (index === lines.length - 1) return text
    return endsInBackslash(line) ? `${text}\n` : line.endsWith("  ") ? `${text}\\\n` : `${text} `
  })
  return parts.join("")
}

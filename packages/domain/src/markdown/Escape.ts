import { charReference } from "./Address.ts"
import { dialectOf, logicalLines } from "./Source.ts"
import { codeSpans } from "./InlineScan.ts"
import { isDivider } from "./Tables.ts"

/** Writes a thing's text as markdown source that parses back to exactly that text. */

export interface EscapeOptions {
  /** Line breaks may be written as such; otherwise they become character references. */
  readonly multiline: boolean
  /** The first line is where a block could begin (also after a list marker), not after `## ` or `[ ] `. */
  readonly startsBlock: boolean
  /** The text is between square brackets. */
  readonly label: boolean
}

const escapeAll = (text: string, chars: RegExp): string => text.replace(chars, "\\$&")

/** Keeps the markup of the text and escapes only outside code. */
const escapeAroundCode = (text: string, chars: RegExp): string => {
  const parts: Array<string> = []
  let from = 0
  for (const span of codeSpans(text, "dialect")) {
    parts.push(escapeAll(text.slice(from, span.start), chars), text.slice(span.start, span.end))
    from = span.end
  }
  return parts.join("") + escapeAll(text.slice(from), chars)
}

/**
 * Writes white space at either end of a line as character references, and also line breaks: all of them unless
 * `multiline`, otherwise those next to an empty line.
 */
const escapeSpace = (text: string, multiline: boolean): string => {
  const lines = text.replaceAll("\r", "&#13;").split("\n")
  const parts: Array<string> = []
  for (const [index, line] of lines.entries()) {
    const last = index === lines.length - 1
    const shown = line.replace(/^[\s\uFEFF]/, charReference).replace(/(?<!^)[\s\uFEFF]$/, charReference)
    parts.push(shown)
    if (!last) parts.push(multiline && line !== "" && lines[index + 1] !== "" ? "\\\n" : "&#10;")
  }
  return parts.join("")
}

const blockStart = new RegExp(
  [
    "^#{1,6}(?=[ \\t]|$)",
    "^>",
    "^[-+*](?=[ \\t]|$)",
    "^<(?=[A-Za-z/!?])",
    "^`{3,}(?=[^`]*$)",
    "^~{3}",
    "^[-*_=+#~](?=[-*_=+#~ \\t]*$)",
    "^\\[(?=[ xX-]\\](?:\\s|$))"
  ].join("|")
)

/** Escapes the start of a line that would begin a block, or of a table's delimiter row. */
const escapeStart = (line: string): string =>
  isDivider(line) ? `\\${line}` : line.replace(blockStart, "\\$&").replace(/^(\d{1,9})([.)])(?=[ \t]|$)/, "$1\\$2")

/** Escapes a text that could begin with a link definition, whose label may continue on the next lines. */
const escapeDefinition = (source: string): string =>
  source.startsWith("[") && !source.startsWith("[^") && source.includes("]:") ? `\\${source}` : source

const escapeStarts = (source: string, options: EscapeOptions): string => {
  const lines = (options.startsBlock ? escapeDefinition(source) : source).split("\n")
  return lines.map((line, index) => (index > 0 || options.startsBlock ? escapeStart(line) : line)).join("\n")
}

const readsAs = (source: string, text: string): boolean => {
  const [line, end] = logicalLines(`${source}\nend`)
  return end === "end" && line !== undefined && dialectOf(line) === text
}

/**
 * Escapes as little as possible: first only what would begin a block, then everything outside code, then everything.
 */
export const escapeText = (text: string, options: EscapeOptions): string => {
  const some = options.label ? /[\\&_<[\]]/g : /[\\&_<]/g
  const finish = (source: string) => escapeStarts(escapeSpace(source, options.multiline), options)
  const attempts = [
    () => (options.label ? escapeAroundCode(text, /[\\[\]]/g) : text),
    () => escapeAroundCode(text, some)
  ]
  for (const attempt of attempts) {
    const source = finish(attempt())
    const definition = options.label && /(?<!\\)\]:/.test(source)
    if (!definition && readsAs(source, text)) return source
  }
  return finish(escapeAll(text, /[\\&_<`[\]]/g))
}

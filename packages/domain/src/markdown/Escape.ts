import { dialectOf, logicalLines } from "./Source.ts"
import { codeSpans } from "./InlineScan.ts"
import { isDivider } from "./Tables.ts"

/** A thing's text written as markdown source that reads back as exactly that text. */

export interface EscapeOptions {
  /** Line ends may stand in the source; else they are written as character references. */
  readonly multiline: boolean
  /** The first line stands where a block could begin (after a list marker too), not behind `## ` or `[ ] `. */
  readonly startsBlock: boolean
  /** The text stands between square brackets. */
  readonly label: boolean
}

const escapeAll = (text: string, chars: RegExp): string => text.replace(chars, "\\$&")

/** The text with its markup kept and escapes outside code only. */
const escapeAroundCode = (text: string, chars: RegExp): string => {
  const parts: Array<string> = []
  let from = 0
  for (const span of codeSpans(text, "dialect")) {
    parts.push(escapeAll(text.slice(from, span.start), chars), text.slice(span.start, span.end))
    from = span.end
  }
  return parts.join("") + escapeAll(text.slice(from), chars)
}

const reference = (char: string): string => `&#${char.charCodeAt(0)};`

/**
 * White space at either end of a line as character references, and the line ends that may not stand for themselves:
 * all of them in one line, else those beside which nothing stands.
 */
const escapeSpace = (text: string, multiline: boolean): string => {
  const lines = text.replaceAll("\r", "&#13;").split("\n")
  const parts: Array<string> = []
  for (const [index, line] of lines.entries()) {
    const last = index === lines.length - 1
    const shown = line.replace(/^[\s\uFEFF]/, reference).replace(/(?<!^)[\s\uFEFF]$/, reference)
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

/** Takes the meaning of a block from the beginning of a line, or of what divides a table. */
const escapeStart = (line: string): string =>
  isDivider(line) ? `\\${line}` : line.replace(blockStart, "\\$&").replace(/^(\d{1,9})([.)])(?=[ \t]|$)/, "$1\\$2")

/** A text that could begin with a definition of a link; its label may go on in the next lines. */
const escapeDefinition = (source: string): string =>
  source.startsWith("[") && source.includes("]:") ? `\\${source}` : source

const escapeStarts = (source: string, options: EscapeOptions): string => {
  const lines = (options.startsBlock ? escapeDefinition(source) : source).split("\n")
  return lines.map((line, index) => (index > 0 || options.startsBlock ? escapeStart(line) : line)).join("\n")
}

const readsAs = (source: string, text: string): boolean => {
  const [line, end] = logicalLines(`${source}\nend`)
  return end === "end" && line !== undefined && dialectOf(line) === text
}

/** As readable as it can be: first nothing escaped but where a block would begin, then around code, then everything. */
export const escapeText = (text: string, options: EscapeOptions): string => {
  const some = options.label ? /[\\&_<[\]]/g : /[\\&_<]/g
  const every = options.label ? /[\\&_<`[\]]/g : /[\\&_<`]/g
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
  return finish(escapeAll(text, every))
}

/** An ampersand that begins no character reference. */
const isPlainAmpersand = (url: string, at: number): boolean =>
  !/^&(?:#\w{1,8}|[a-z]\w{0,31});/i.test(url.slice(at, at + 40))

/**
 * An address between the parentheses of a link; without backticks, which could pair with one in the label. With
 * `pairedParentheses` its own stay as they are, else angle brackets go around them.
 */
export const escapeAddress = (url: string, options?: { readonly pairedParentheses: true }): string => {
  const escaped = url.replace(/[\s\p{Cc}\uFEFF\\&<>`]/gu, (char, at: number) => {
    if (char === "&") return isPlainAmpersand(url, at) ? char : `\\${char}`
    return /[\\<>]/.test(char) ? `\\${char}` : reference(char)
  })
  return options === undefined && /[()]/.test(escaped) ? `<${escaped}>` : escaped
}

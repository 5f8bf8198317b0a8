/** Finds code spans and links in a text; every function here takes time linear in its length. */

/** `start` is inclusive, `end` exclusive; both include the backticks. */
export interface CodeSpan {
  readonly start: number
  readonly end: number
  /** Number of backticks on either side. */
  readonly fence: number
}

export interface LinkSpan {
  /** The offset of the `[`, or of the `!` of an image. */
  readonly start: number
  readonly labelStart: number
  readonly labelEnd: number
  readonly urlStart: number
  readonly urlEnd: number
  /** After the closing parenthesis. */
  readonly end: number
  readonly image: boolean
  /** Set for a reference link; `urlStart` and `urlEnd` are meaningless then. */
  readonly reference?: Reference
}

export interface Reference {
  readonly label: string
  readonly url: string
}

/**
 * `dialect` is the language of a thing's text: no escapes, no images, only the five kinds of markup. `source` is
 * markdown as found in a document, with backslash escapes, images and `<url>` destinations.
 */
export type Syntax = "dialect" | "source"

export const openingBracket = 91
export const backslash = 92
export const closingBracket = 93
export const backtick = 96

const isPunctuation = (code: number): boolean =>
  (code > 32 && code < 48) || (code > 57 && code < 65) || (code > 90 && code < 97) || (code > 122 && code < 127)

/** Whether the backslash at this offset escapes the next character. */
export const isEscape = (text: string, at: number): boolean =>
  text.charCodeAt(at) === backslash && isPunctuation(text.charCodeAt(at + 1))

const runLength = (text: string, at: number): number => {
  let end = at
  while (text.charCodeAt(end) === backtick) end++
  return end - at
}

/** Starts of all backtick runs by length, and how far each list has been consumed. */
const backtickRuns = (text: string): Map<number, { readonly starts: Array<number>; used: number }> => {
  const runs = new Map<number, { readonly starts: Array<number>; used: number }>()
  for (let at = text.indexOf("`"); at !== -1;) {
    const length = runLength(text, at)
    const known = runs.get(length)
    if (known === undefined) runs.set(length, { starts: [at], used: 0 })
    else known.starts.push(at)
    at = text.indexOf("`", at + length)
  }
  return runs
}

export const codeSpans = (text: string, syntax: Syntax): ReadonlyArray<CodeSpan> => {
  if (!text.includes("`")) return []
  const runs = backtickRuns(text)
  const spans: Array<CodeSpan> = []
  for (let at = 0; at < text.length;) {
    if (syntax === "source" && isEscape(text, at)) at += 2
    else if (text.charCodeAt(at) !== backtick) at++
    else {
      const fence = runLength(text, at)
      const candidates = runs.get(fence) ?? { starts: [], used: 0 }
      while ((candidates.starts[candidates.used] ?? Infinity) < at + fence) candidates.used++
      const close = candidates.starts[candidates.used]
      if (close !== undefined) spans.push({ start: at, end: close + fence, fence })
      at = close === undefined ? at + fence : close + fence
    }
  }
  return spans
}

/** The end of the code span that begins at `at`, or -1; `at` must not decrease between calls. */
const codeEnds = (codes: ReadonlyArray<CodeSpan>) => {
  let next = 0
  return (at: number): number => {
    while ((codes[next]?.start ?? Infinity) < at) next++
    const span = codes[next]
    return span?.start === at ? span.end : -1
  }
}

/**
 * For each `(` the offset of its `)`, when neither white space nor code is between them; 0 elsewhere. In `source` also
 * the negative offset of the white space at which an address that begins behind it ends.
 */
const parentheses = (text: string, syntax: Syntax, codes: ReadonlyArray<CodeSpan>): Int32Array => {
  const closing = new Int32Array(text.length + 1)
  const codeEnd = codeEnds(codes)
  const escapes = syntax === "source"
  let open: Array<number> = []
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    let next = at + 1
    if (code === 40) open.push(at)
    else if (code === 41) {
      const start = open.pop()
      if (start !== undefined) closing[start] = at
    } else if (code === backtick) {
      const end = codeEnd(at)
      if (end !== -1) {
        if (open.length > 0) open = []
        next = end
      }
    } else if (code <= 32 || code === 127) {
      const last = open.at(-1)
      if (last !== undefined) {
        if (escapes && isWhite(code)) closing[last] = -at
        open = []
      }
    } else if (escapes && code === backslash && isEscape(text, at)) next++
    at = next
  }
  return closing
}

interface Destination {
  readonly urlStart: number
  readonly urlEnd: number
  readonly end: number
  readonly reference?: Reference
}

const isWhite = (code: number): boolean => code === 32 || code === 9 || code === 10

const afterWhite = (text: string, at: number): number => {
  let end = at
  while (isWhite(text.charCodeAt(end))) end++
  return end
}

/** The offset after a title that begins at `at`; -1 where none does. */
const afterTitle = (text: string, at: number): number => {
  const closing = text[at] === "(" ? ")" : text[at]
  if (closing !== ")" && closing !== '"' && closing !== "'") return -1
  for (let end = at + 1; end < text.length; end++) {
    const char = text[end]
    if (char === closing) return end + 1
    if (char === "`" || (char === "(" && closing === ")")) return -1
    if (isEscape(text, end)) end++
  }
  return -1
}

/** The destination whose address ends at `urlEnd`, with the title after it; the rest begins at `at`. */
const titled = (text: string, urlStart: number, urlEnd: number, at: number): Destination | undefined => {
  const title = afterWhite(text, at)
  const end = text[title] === ")" || title === at ? title : afterWhite(text, afterTitle(text, title))
  return text[end] === ")" ? { urlStart, urlEnd, end: end + 1 } : undefined
}

/** `at` is the offset after the `(<`. */
const bracketed = (text: string, at: number): Destination | undefined => {
  for (let end = at; end < text.length; end++) {
    const char = text[end]
    if (char === ">") return titled(text, at, end, end + 1)
    if (char === "<" || char === "\n") return undefined
    if (isEscape(text, end)) end++
  }
  return undefined
}

/** An opening bracket at offset `at`. */
interface Opener {
  readonly at: number
  readonly image: boolean
}

/** Maximum length of a definition's label, in UTF-16 units. */
const maxLabel = 2_000

/** The end of the label that begins at `at`; -1 when it contains another bracket or is not closed. */
const labelEnd = (text: string, at: number): number => {
  const last = Math.min(text.length, at + maxLabel)
  for (let end = at; end < last; end++) {
    const code = text.charCodeAt(end)
    if (code === closingBracket) return end
    if (code === openingBracket) return -1
    if (isEscape(text, end)) end++
  }
  return -1
}

/** The reference after the text of a link whose `]` is at `at`; `own` is that text where it can be a label. */
const referred = (
  text: string,
  at: number,
  own: string | undefined,
  find: (label: string) => Reference | undefined
): Destination | undefined => {
  const end = text.charCodeAt(at + 1) === openingBracket ? labelEnd(text, at + 2) : -1
  const label = end > at + 2 ? text.slice(at + 2, end) : own
  const reference = label === undefined || label.trim() === "" ? undefined : find(label)
  return reference && { urlStart: at, urlEnd: at, end: end === -1 ? at + 1 : end + 1, reference }
}

/**
 * Links in the order of their ends; in the dialect they do not nest. Reference links are included when `find`, which
 * looks up definitions, is given.
 */
export const linkSpans = (
  text: string,
  syntax: Syntax,
  codes: ReadonlyArray<CodeSpan>,
  find?: (label: string) => Reference | undefined
): ReadonlyArray<LinkSpan> => {
  if (find === undefined && !text.includes("](")) return []
  const source = syntax === "source"
  const closing = parentheses(text, syntax, codes)
  const codeEnd = codeEnds(codes)
  const destination = (at: number): Destination | undefined => {
    if (text.charCodeAt(at) !== 40) return undefined
    if (source && text[at + 1] === "<") return bracketed(text, at + 2)
    const close = closing[at] ?? 0
    if (close < -at - 1) return titled(text, at + 1, -close, -close)
    return close > at + 1 ? { urlStart: at + 1, urlEnd: close, end: close + 1 } : undefined
  }
  const links: Array<LinkSpan> = []
  const open: Array<Opener> = []
  /** Openers below this height enclose a link that was found; links do not nest. */
  let spent = 0
  let lastBracket = -1
  const close = (at: number): number => {
    const opener = open.pop()
    if (opener === undefined) {
      lastBracket = at
      return at + 1
    }
    const usable = opener.image || open.length >= spent
    spent = Math.min(spent, open.length)
    const innermost = lastBracket === opener.at
    lastBracket = at
    const own = innermost && at - opener.at <= maxLabel ? text.slice(opener.at + 1, at) : undefined
    const found = usable ? (destination(at + 1) ?? (find && referred(text, at, own, find))) : undefined
    if (found === undefined || (!source && at === opener.at + 1)) return at + 1
    if (!opener.image) spent = open.length
    const start = opener.image ? opener.at - 1 : opener.at
    links.push({ start, labelStart: opener.at + 1, labelEnd: at, image: opener.image, ...found })
    return found.end
  }
  let bang = -2
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (code === closingBracket) at = close(at)
    else if (code === openingBracket) {
      open.push({ at, image: source && bang === at - 1 })
      lastBracket = at++
    } else if (code === backtick) at = Math.max(at + 1, codeEnd(at))
    else if (source && code === backslash && isEscape(text, at)) at += 2
    else {
      if (code === 33) bang = at
      at++
    }
  }
  return links
}

/** Where code spans and links stand in one text; every function here is linear in its length. */

/** `start` inclusive, `end` exclusive, both with the backticks. */
export interface CodeSpan {
  readonly start: number
  readonly end: number
  /** Number of backticks on either side. */
  readonly fence: number
}

export interface LinkSpan {
  /** At the `[`, or at the `!` of an image. */
  readonly start: number
  readonly labelStart: number
  readonly labelEnd: number
  readonly urlStart: number
  readonly urlEnd: number
  /** After the closing parenthesis. */
  readonly end: number
  readonly image: boolean
}

/**
 * `dialect` is what a thing's text is written in: no escapes, no images, nothing but the five kinds of markup.
 * `source` is markdown as it stands in a document, with backslash escapes, images and `<url>` destinations.
 */
export type Syntax = "dialect" | "source"

const backslash = 92
const backtick = 96

const isPunctuation = (code: number): boolean =>
  (code > 32 && code < 48) || (code > 57 && code < 65) || (code > 90 && code < 97) || (code > 122 && code < 127)

/** Whether a backslash at this place takes the meaning of the character behind it. */
export const isEscape = (text: string, at: number): boolean =>
  text.charCodeAt(at) === backslash && isPunctuation(text.charCodeAt(at + 1))

const runLength = (text: string, at: number): number => {
  let end = at
  while (text.charCodeAt(end) === backtick) end++
  return end - at
}

/** Starts of all backtick runs by their length, and how far each list has been used up. */
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

/** Visits every place that is neither inside a code span nor escaped; the visitor answers where to go on. */
const walk = (
  text: string,
  syntax: Syntax,
  codes: ReadonlyArray<CodeSpan>,
  visit: (at: number, code: number) => number,
  onCode: () => void = () => undefined
): void => {
  let next = 0
  for (let at = 0; at < text.length;) {
    while ((codes[next]?.start ?? Infinity) < at) next++
    const span = codes[next]
    if (span !== undefined && span.start === at) {
      onCode()
      at = span.end
    } else if (syntax === "source" && isEscape(text, at)) at += 2
    else at = visit(at, text.charCodeAt(at))
  }
}

/** For each `(` the place of its `)`, where no white space lies between; -1 elsewhere. */
const parentheses = (text: string, syntax: Syntax, codes: ReadonlyArray<CodeSpan>): Int32Array => {
  const closing = new Int32Array(text.length + 1).fill(-1)
  let open: Array<number> = []
  const forget = () => {
    if (open.length > 0) open = []
  }
  const visit = (at: number, code: number): number => {
    if (code <= 32 || code === 127) forget()
    else if (code === 40) open.push(at)
    else if (code === 41) {
      const start = open.pop()
      if (start !== undefined) closing[start] = at
    }
    return at + 1
  }
  walk(text, syntax, codes, visit, forget)
  return closing
}

interface Destination {
  readonly urlStart: number
  readonly urlEnd: number
  readonly end: number
}

/** `at` is behind the `(<`. */
const bracketed = (text: string, at: number): Destination | undefined => {
  for (let end = at; end < text.length; end++) {
    const char = text[end]
    if (char === ">") return text[end + 1] === ")" ? { urlStart: at, urlEnd: end, end: end + 2 } : undefined
    if (char === "<" || char === "\n") return undefined
    if (isEscape(text, end)) end++
  }
  return undefined
}

/** Links in the order of their ends; in the dialect none lies within another. */
export const linkSpans = (text: string, syntax: Syntax, codes: ReadonlyArray<CodeSpan>): ReadonlyArray<LinkSpan> => {
  if (!text.includes("](")) return []
  const closing = parentheses(text, syntax, codes)
  const destination = (at: number): Destination | undefined => {
    if (syntax === "source" && text[at + 1] === "<") return bracketed(text, at + 2)
    const close = closing[at] ?? -1
    return close > at + 1 ? { urlStart: at + 1, urlEnd: close, end: close + 1 } : undefined
  }
  const links: Array<LinkSpan> = []
  const open: Array<{ readonly at: number; readonly image: boolean }> = []
  /** Openers below this height lie around a link that was found, and links do not nest. */
  let spent = 0
  let bang = -1
  walk(text, syntax, codes, (at, code) => {
    if (code === 33) bang = at
    if (code === 91) open.push({ at, image: syntax === "source" && bang === at - 1 && bang !== -1 })
    if (code !== 93) return at + 1
    const opener = open.pop()
    if (opener === undefined) return at + 1
    const usable = opener.image || open.length >= spent
    spent = Math.min(spent, open.length)
    const found = usable && text[at + 1] === "(" ? destination(at + 1) : undefined
    if (found === undefined || (syntax === "dialect" && at === opener.at + 1)) return at + 1
    if (!opener.image) spent = open.length
    const start = opener.image ? opener.at - 1 : opener.at
    links.push({ start, labelStart: opener.at + 1, labelEnd: at, image: opener.image, ...found })
    return found.end
  })
  return links
}

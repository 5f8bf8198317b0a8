import {
  backslash,
  backtick,
  closingBracket,
  type CodeSpan,
  isEscape,
  type LinkSpan,
  openingBracket,
  type Syntax
} from "./InlineScan.ts"

/** One pair of markers around a text; both are `width` characters long. */
export interface EmphasisPair {
  readonly open: number
  readonly close: number
  readonly width: 1 | 2
  readonly char: string
}

interface Delimiter {
  at: number
  left: number
  readonly length: number
  readonly code: number
  readonly canOpen: boolean
  readonly canClose: boolean
  previous: number
  next: number
}

const star = 42
const underscore = 95
const tilde = 126

const space = /\s/u
const punctuation = /[\p{P}\p{S}]/u

/** Kinds of character beside a delimiter, as bits. */
const spaceKind = 1
const punctuationKind = 2

const kindOf = (char: string): number => (space.test(char) ? spaceKind : punctuation.test(char) ? punctuationKind : 0)

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)))

const kindBefore = (text: string, at: number): number => {
  if (at === 0) return spaceKind
  const unit = text.charCodeAt(at - 1)
  if (unit < 128) return asciiKinds[unit] ?? 0
  return kindOf(unit >= 0xdc00 && unit <= 0xdfff ? text.slice(Math.max(0, at - 2), at) : text.slice(at - 1, at))
}

const kindAfter = (text: string, at: number): number => {
  if (at >= text.length) return spaceKind
  const unit = text.charCodeAt(at)
  return unit < 128 ? (asciiKinds[unit] ?? 0) : kindOf(String.fromCodePoint(text.codePointAt(at) ?? 32))
}

const delimiterAt = (text: string, at: number): Delimiter => {
  const code = text.charCodeAt(at)
  let end = at
  while (text.charCodeAt(end) === code) end++
  const [before, after] = [kindBefore(text, at), kindAfter(text, end)]
  const opens = after !== spaceKind && (after !== punctuationKind || before !== 0)
  const closes = before !== spaceKind && (before !== punctuationKind || after !== 0)
  const word = code === underscore
  return {
    at,
    left: end - at,
    length: end - at,
    code,
    canOpen: opens && (!word || !closes || before === punctuationKind),
    canClose: closes && (!word || !opens || after === punctuationKind),
    previous: -1,
    next: -1
  }
}

/** The rule of three of CommonMark, so that `**a*b**` and `*a**b*` pair as a reader expects. */
const fits = (opener: Delimiter, closer: Delimiter): boolean =>
  opener.code === closer.code &&
  opener.canOpen &&
  (!(opener.canClose || closer.canOpen) ||
    (opener.length + closer.length) % 3 !== 0 ||
    (opener.length % 3 === 0 && closer.length % 3 === 0))

/** Pairs the delimiters of one stretch of text as CommonMark specifies; linear because of `bottoms`. */
const pairUp = (delimiters: Array<Delimiter>, pairs: Array<EmphasisPair>): void => {
  /** Per kind of closer, the index below which it has no opener. */
  const bottoms = new Int32Array(18).fill(-1)
  const remove = (item: Delimiter): void => {
    const [previous, next] = [delimiters[item.previous], delimiters[item.next]]
    if (previous !== undefined) previous.next = item.next
    if (next !== undefined) next.previous = item.previous
  }
  for (const [index, item] of delimiters.entries()) {
    item.previous = index - 1
    item.next = index + 1
  }
  for (let index = 0; index < delimiters.length;) {
    const closer = delimiters[index] as Delimiter
    if (!closer.canClose) {
      index = closer.next
      continue
    }
    const marker = closer.code === star ? 0 : closer.code === underscore ? 6 : 12
    const key = marker + (closer.canOpen ? 3 : 0) + (closer.length % 3)
    const bottom = bottoms[key] ?? -1
    let at = closer.previous
    while (at > bottom && !fits(delimiters[at] as Delimiter, closer)) at = (delimiters[at] as Delimiter).previous
    if (at <= bottom) {
      bottoms[key] = closer.previous
      if (!closer.canOpen) remove(closer)
      index = closer.next
      continue
    }
    const opener = delimiters[at] as Delimiter
    const width = opener.left > 1 && closer.left > 1 ? 2 : 1
    pairs.push({
      open: opener.at + opener.left - width,
      close: closer.at,
      width,
      char: String.fromCharCode(closer.code)
    })
    opener.left -= width
    closer.left -= width
    closer.at += width
    opener.next = index
    closer.previous = at
    if (opener.left === 0) remove(opener)
    if (closer.left === 0) {
      remove(closer)
      index = closer.next
    }
  }
}

/** Addresses and tags in running text, where an underscore is no marker. */
const opaque = /(?:https?|ftp):\/\/[^\s<>]*|<[a-z/!][^<>]*>/gi

const opaqueRanges = (text: string, syntax: Syntax): Array<{ readonly start: number; readonly end: number }> =>
  syntax === "source"
    ? Array.from(text.matchAll(opaque), (match) => ({ start: match.index, end: match.index + match[0].length }))
    : []

const delimiterChars = { dialect: /[*~]/, source: /[*_]/ }

/** Whether the underscore at `at` is inside an address or a tag; `at` must not decrease between calls. */
const concealing = (hidden: ReadonlyArray<{ readonly start: number; readonly end: number }>) => {
  let next = 0
  return (at: number): boolean => {
    while ((hidden[next]?.end ?? Infinity) <= at) next++
    return (hidden[next]?.start ?? Infinity) < at
  }
}

/** All pairs of emphasis markers outside code and addresses; markers in a link's label only pair within it. */
export const emphasisPairs = (
  text: string,
  syntax: Syntax,
  codes: ReadonlyArray<CodeSpan>,
  links: ReadonlyArray<LinkSpan>
): ReadonlyArray<EmphasisPair> => {
  if (!delimiterChars[syntax].test(text)) return []
  const other = syntax === "source" ? underscore : tilde
  const pairs: Array<EmphasisPair> = []
  const starts = links.map((link) => link.labelStart - 1).sort((a, b) => a - b)
  const concealed = concealing(opaqueRanges(text, syntax))
  const outer: Array<Array<Delimiter>> = []
  let current: Array<Delimiter> = []
  let [nextCode, nextStart, nextEnd] = [0, 0, 0]
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (code === backtick) {
      while ((codes[nextCode]?.start ?? Infinity) < at) nextCode++
      const span = codes[nextCode]
      at = span?.start === at ? span.end : at + 1
    } else if (code === backslash) at += syntax === "source" && isEscape(text, at) ? 2 : 1
    else if (code === closingBracket && links[nextEnd]?.labelEnd === at) {
      pairUp(current, pairs)
      current = outer.pop() ?? []
      at = links[nextEnd++]?.end ?? at + 1
    } else if (code === openingBracket && starts[nextStart] === at) {
      nextStart++
      outer.push(current)
      current = []
      at++
    } else if (code === star || code === other) {
      const delimiter = delimiterAt(text, at)
      at += delimiter.length
      const hidden = code === underscore && concealed(delimiter.at)
      if (!hidden && (code !== tilde || delimiter.length === 2)) current.push(delimiter)
    } else at++
  }
  pairUp(current, pairs)
  return pairs
}

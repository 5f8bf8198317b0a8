import { type CodeSpan, isEscape, type LinkSpan, type Syntax } from "./InlineScan.ts"

/** One pair of markers around a text; the markers are `width` characters long on both sides. */
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
  readonly char: string
  readonly canOpen: boolean
  readonly canClose: boolean
  previous: number
  next: number
}

const space = /\s/u
const punctuation = /[\p{P}\p{S}]/u

const before = (text: string, at: number): string => {
  const unit = text.charCodeAt(at - 1)
  return unit >= 0xdc00 && unit <= 0xdfff ? text.slice(at - 2, at) : text.slice(at - 1, at)
}

const after = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 32)

const delimiterAt = (text: string, at: number): Delimiter => {
  const char = text[at] ?? ""
  let end = at
  while (text[end] === char) end++
  const previous = at === 0 ? " " : before(text, at)
  const next = after(text, end)
  const [spaceBefore, spaceAfter] = [space.test(previous), space.test(next)]
  const [markBefore, markAfter] = [punctuation.test(previous), punctuation.test(next)]
  const opens = !spaceAfter && (!markAfter || spaceBefore || markBefore)
  const closes = !spaceBefore && (!markBefore || spaceAfter || markAfter)
  const word = char === "_"
  return {
    at,
    left: end - at,
    length: end - at,
    char,
    canOpen: opens && (!word || !closes || markBefore),
    canClose: closes && (!word || !opens || markAfter),
    previous: -1,
    next: -1
  }
}

/** The rule of three of CommonMark, so that `**a*b**` and `*a**b*` pair as a reader expects. */
const fits = (opener: Delimiter, closer: Delimiter): boolean =>
  opener.char === closer.char &&
  opener.canOpen &&
  (!(opener.canClose || closer.canOpen) ||
    (opener.length + closer.length) % 3 !== 0 ||
    (opener.length % 3 === 0 && closer.length % 3 === 0))

/** Pairs the delimiters of one stretch of text, as CommonMark does it; linear through `bottoms`. */
const pairUp = (delimiters: Array<Delimiter>, pairs: Array<EmphasisPair>): void => {
  const bottoms = new Map<string, number>()
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
    const key = `${closer.char}${closer.canOpen}${closer.length % 3}`
    const bottom = bottoms.get(key) ?? -1
    let at = closer.previous
    while (at > bottom && !fits(delimiters[at] as Delimiter, closer)) at = (delimiters[at] as Delimiter).previous
    if (at <= bottom) {
      bottoms.set(key, closer.previous)
      if (!closer.canOpen) remove(closer)
      index = closer.next
      continue
    }
    const opener = delimiters[at] as Delimiter
    const width = opener.left > 1 && closer.left > 1 ? 2 : 1
    pairs.push({ open: opener.at + opener.left - width, close: closer.at, width, char: closer.char })
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

/** Addresses and tags as they stand in running text, where an underscore is no marker. */
const opaque = /(?:https?|ftp):\/\/[^\s<>]*|<[a-z/!][^<>]*>/gi

const opaqueRanges = (text: string, syntax: Syntax): Array<{ readonly start: number; readonly end: number }> =>
  syntax === "source"
    ? Array.from(text.matchAll(opaque), (match) => ({ start: match.index, end: match.index + match[0].length }))
    : []

const delimiterChars = { dialect: /[*~]/, source: /[*_]/ }

/** All pairs of emphasis markers outside code and addresses; what stands in a link's label pairs only there. */
export const emphasisPairs = (
  text: string,
  syntax: Syntax,
  codes: ReadonlyArray<CodeSpan>,
  links: ReadonlyArray<LinkSpan>
): ReadonlyArray<EmphasisPair> => {
  const chars = delimiterChars[syntax]
  if (!chars.test(text)) return []
  const pairs: Array<EmphasisPair> = []
  const jumps = new Map(codes.map((span) => [span.start, span.end]))
  const starts = new Set(links.map((link) => link.labelStart - 1))
  const ends = new Map(links.map((link) => [link.labelEnd, link.end]))
  const hidden = opaqueRanges(text, syntax)
  const outer: Array<Array<Delimiter>> = []
  let current: Array<Delimiter> = []
  let nextHidden = 0
  for (let at = 0; at < text.length;) {
    const jump = jumps.get(at)
    const linkEnd = ends.get(at)
    if (jump !== undefined) at = jump
    else if (linkEnd !== undefined) {
      pairUp(current, pairs)
      current = outer.pop() ?? []
      at = linkEnd
    } else if (syntax === "source" && isEscape(text, at)) at += 2
    else if (starts.has(at)) {
      outer.push(current)
      current = []
      at++
    } else if (chars.test(text[at] ?? "")) {
      const delimiter = delimiterAt(text, at)
      at += delimiter.length
      while ((hidden[nextHidden]?.end ?? Infinity) <= delimiter.at) nextHidden++
      const concealed = delimiter.char === "_" && (hidden[nextHidden]?.start ?? Infinity) < delimiter.at
      if (!concealed && (delimiter.char !== "~" || delimiter.length === 2)) current.push(delimiter)
    } else at++
  }
  pairUp(current, pairs)
  return pairs
}

import { fold } from "./TextFold.ts"

/**
 * 0 equals the query, 1 starts with it, 2 contains it at the start of a word, 3 contains it elsewhere; undefined: no
 * match.
 */
export type SearchRank = 0 | 1 | 2 | 3

const wordCharacter = /[\p{L}\p{N}\p{M}]/u

const startsWord = (text: string, at: number): boolean => {
  const last = [...text.slice(Math.max(0, at - 2), at)].at(-1)
  return last === undefined || !wordCharacter.test(last)
}

/** Per offset of a query, the length of the longest proper prefix that ends there (the KMP failure function). */
const overlapsOf = (query: string): ReadonlyArray<number> => {
  const overlaps = [0]
  for (let at = 1, matched = 0; at < query.length; at++) {
    while (matched > 0 && query[at] !== query[matched]) matched = overlaps[matched - 1]!
    if (query[at] === query[matched]) matched++
    overlaps.push(matched)
  }
  return overlaps
}

/**
 * Offsets at which a query occurs in a text, overlapping ones included. Linear, even for repetitive queries (Knuth,
 * Morris, Pratt).
 */
export function* occurrences(text: string, query: string, from: number): Generator<number, void> {
  const overlaps = overlapsOf(query)
  for (let at = from, matched = 0; at < text.length; at++) {
    while (matched > 0 && text[at] !== query[matched]) matched = overlaps[matched - 1]!
    if (text[at] === query[matched]) matched++
    if (matched < query.length) continue
    yield at - query.length + 1
    matched = overlaps[matched - 1]!
  }
}

/** Ranks one text against a folded query; there are no wildcards. */
const rankOf = (text: string, query: string): SearchRank | undefined => {
  if (text === query) return 0
  const first = text.indexOf(query)
  if (first === -1) return undefined
  if (first === 0) return 1
  return occurrences(text, query, first).some((at) => startsWord(text, at)) ? 2 : 3
}

/** The folded, trimmed form of a query; empty for a blank one. */
export const searchKey = (query: string): string => fold(query.trim())

/**
 * The best rank of a query (as `searchKey`) among the forms of one item: a title, or a thing's text with and
 * without its markup, each folded (docs/decisions.md#search).
 */
export const searchRank = (forms: ReadonlyArray<string>, query: string): SearchRank | undefined => {
  let best: SearchRank | undefined
  for (const form of forms) {
    const rank = rankOf(form, query)
    if (rank !== undefined && (best === undefined || rank < best)) best = rank
  }
  return best
}

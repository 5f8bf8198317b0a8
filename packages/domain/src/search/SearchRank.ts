import { fold } from "../TextFold.ts"

/** 0 equals the query, 1 begins with it, 2 has it at the start of a word, 3 has it anywhere; undefined: not at all. */
export type SearchRank = 0 | 1 | 2 | 3

const wordCharacter = /[\p{L}\p{N}\p{M}]/u

const startsWord = (text: string, at: number): boolean => {
  const before = text.slice(0, at)
  const last = [...before.slice(-2)].at(-1)
  return last === undefined || !wordCharacter.test(last)
}

/** Ranks one text against a folded query; wildcards have no meaning. */
const rankOf = (text: string, query: string): SearchRank | undefined => {
  if (text === query) return 0
  let at = text.indexOf(query)
  if (at === -1) return undefined
  if (at === 0) return 1
  for (; at !== -1; at = text.indexOf(query, at + 1)) if (startsWord(text, at)) return 2
  return 3
}

/** The folded, trimmed form in which a query is compared; empty for a blank one. */
export const searchKey = (query: string): string => fold(query.trim())

/**
 * The best rank of a query (as `searchKey`) among the forms of one item: a title, or a thing's text with and
 * without its markup, each folded (decisions 9).
 */
export const searchRank = (forms: ReadonlyArray<string>, query: string): SearchRank | undefined => {
  let best: SearchRank | undefined
  for (const form of forms) {
    const rank = rankOf(form, query)
    if (rank !== undefined && (best === undefined || rank < best)) best = rank
  }
  return best
}

/**
 * How a text is stored for searching, so that PostgreSQL ranks exactly as the domain's `SearchRank` does.
 * Each form stands between U+0001 marks, and U+0002 stands before every character that a word can start at,
 * that is after every character which is no letter, number or mark. A query marked alike is a substring of it
 * in the very same places.
 */
const formEnd = "\u0001"
const wordStart = "\u0002"
/** Stands for a mark that is itself part of a text. */
const standIn = "\u0003"

const marks = new RegExp(`[${formEnd}${wordStart}${standIn}]`, "gu")
const beforeWordStart = /([^\p{L}\p{N}\p{M}])(?=.)/gsu

const mark = (text: string): string => text.replace(beforeWordStart, `$1${wordStart}`)

/** The value of a `search` column for the folded forms of one item. */
export const searchText = (forms: ReadonlyArray<string>): string =>
  formEnd + forms.map((form) => mark(form.replace(marks, standIn)) + formEnd).join("")

/**
 * A word of three letters or a whole shorter one is what a trigram index finds; it would read all of itself
 * for less, where reading the owner's rows is faster.
 */
const indexed = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]{2}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u

/** A pattern for `LIKE` of what has `text` anywhere. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`

export interface SearchTerms {
  /** What a row has that has the query anywhere. */
  readonly anywhere: string
  /** The same as a pattern for `LIKE`; undefined where no index helps. */
  readonly pattern: string | undefined
  readonly exact: string
  readonly prefix: string
  /** A pattern for `LIKE`. */
  readonly word: string
  /** Whether the rows found may be too many, and their ranks wrong: the query has a mark in it. */
  readonly inexact: boolean
}

/** `query` as `SearchRank.searchKey`. */
export const searchTerms = (query: string): SearchTerms => {
  const inexact = query.search(marks) !== -1
  const marked = mark(query.replace(marks, standIn))
  return {
    anywhere: marked,
    pattern: indexed.test(marked) ? containing(marked) : undefined,
    exact: formEnd + marked + formEnd,
    prefix: formEnd + marked,
    word: containing(wordStart + marked),
    inexact
  }
}

/**
 * The stored form of a text for searching, with which PostgreSQL ranks exactly as the domain's `SearchRank` does. Each
 * form stands between U+0001 marks. U+0002 precedes every character at which a word can start: one that follows a
 * character which is no letter, number or mark. A query marked in the same way is a substring at exactly the same
 * places.
 */
const formEnd = "\u0001"
const wordStart = "\u0002"
/** Replaces a mark character that is part of a text. */
const standIn = "\u0003"

const marks = new RegExp(`[${formEnd}${wordStart}${standIn}]`, "gu")
const beforeWordStart = /([^\p{L}\p{N}\p{M}])(?=.)/gsu

const mark = (text: string): string => text.replace(beforeWordStart, `$1${wordStart}`)

/** The value of a `search` column for the folded forms of one item. */
export const searchText = (forms: ReadonlyArray<string>): string =>
  formEnd + forms.map((form) => mark(form.replace(marks, standIn)) + formEnd).join("")

/**
 * What a trigram index can find: three letters of a word, or a whole word of two. For a shorter query the whole index
 * would be read, and reading the owner's rows is faster.
 */
const indexed = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]{2}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u

/** A `LIKE` pattern for values that contain `text`. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`

export interface SearchTerms {
  /** Substring of every row that contains the query. */
  readonly anywhere: string
  /** The same as a `LIKE` pattern; undefined when no index helps. */
  readonly pattern: string | undefined
  readonly exact: string
  readonly prefix: string
  /** A `LIKE` pattern. */
  readonly word: string
  /** True when the query contains a mark: the result may then have too many rows, and wrong ranks. */
  readonly inexact: boolean
}

/** `query` is the result of `SearchRank.searchKey`. */
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

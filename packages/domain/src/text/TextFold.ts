import { normalize } from "./Normalization.ts"

/**
 * How texts are compared, in every adapter alike: adapters store and compare what these functions return and use no
 * case rule or collation of their own (docs/decisions.md#lists-and-day-lists, docs/decisions.md#things,
 * docs/decisions.md#search).
 */

const ascii = /^[\0-\u007f]*$/

/** Unicode case folding: `STRASSE`, `STRAẞE`, `Straße` and `strasse` are equal, and so are the three sigmas. */
export const fold = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : normalize(lowerOf(normalize(text).toUpperCase()))

/** Upper case turns ß into SS, but leaves the capital ẞ. */
const lowerOf = (upper: string): string => upper.toLowerCase().replaceAll("ς", "σ").replaceAll("ß", "ss")

/** The key by which names of lists and places are equal ignoring case. */
export const titleKey = (title: string): string => fold(title.trim())

/** The key by which names of lists are exactly equal. */
export const exactTitle = (title: string): string => normalize(title).trim()

/** The key by which tags are equal, ignoring case. */
export const tagKey = (tag: string): string => fold(tag)

/** By UTF-16 code units, as ids are ordered; breaks the ties of `collate`. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

let collator: Intl.Collator | undefined

/**
 * Unicode collation ignoring case, not accents; the caller breaks ties. It sorts runs of combining marks as
 * normalization does, so long texts are in Stream-Safe Text Format. The first use reads ICU's tables.
 */
export const collate = (a: string, b: string): number =>
  (collator ??= new Intl.Collator("und", { sensitivity: "accent", numeric: false })).compare(a, b)

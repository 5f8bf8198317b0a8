import { truncate } from "./Characters.ts"

/** Characters of a name or id in a message. */
const maxLength = 80

/** A text in one line: runs of control characters and line breaks are a blank. */
export const inOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")

/** A text in one line: each run of white space is a blank, and none is at its ends. */
export const collapsed = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

/**
 * A name or id in a message: in one line, cut at 80 characters, in quotation marks that it cannot end. One with an
 * apostrophe is written as a string of JSON: `'Groceries'`, `"Mum's list"`.
 */
export const quoted = (text: string): string => {
  const shown = truncate(inOneLine(text), maxLength)
  return shown.includes("'") ? JSON.stringify(shown) : `'${shown}'`
}

/** A character is a Unicode code point here as everywhere (docs/decisions.md#text). */

/** Whether a text has at most `most` characters; counts them only when the length in UTF-16 units is not conclusive. */
export const atMost = (text: string, most: number): boolean => {
  if (text.length <= most) return true
  if (text.length > most * 2) return false
  let count = 0
  for (const _ of text) if (++count > most) return false
  return true
}

/** How many characters a text has; at once where it has Latin letters alone. */
export const characters = (text: string): number => {
  if (!/[\ud800-\udbff]/.test(text)) return text.length
  let pairs = 0
  for (let at = 1; at < text.length; at++)
    if (isLow(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) pairs++
  return text.length - pairs
}

/** Whether a UTF-16 unit is the first half of a surrogate pair. */
export const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800

const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00

/** The first `most` characters, or all; reads no further, however long the text is. */
export const firstCharacters = (text: string, most: number): string => {
  let end = 0
  for (let count = 0; count < most && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** The first `most` characters, with `…` behind them when truncated. */
export const truncate = (text: string, most: number): string =>
  atMost(text, most) ? text : `${firstCharacters(text, most)}…`

/** At most `most` characters, of which `…` is one when truncated. */
export const truncateTo = (text: string, most: number): string => (atMost(text, most) ? text : truncate(text, most - 1))

/** Whether both adapters can store a text: no U+0000, no lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** The rule of `isStorable` in words, after “must be”. */
export const storableText = "text without U+0000 and without lone surrogates"

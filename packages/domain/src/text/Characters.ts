/** A character is a Unicode code point here as everywhere (docs/decisions.md#text). */

/** Whether a text has at most `max` characters; counts them only when the length in UTF-16 units is not conclusive. */
export const atMost = (text: string, max: number): boolean => {
  if (text.length <= max) return true
  if (text.length > max * 2) return false
  let count = 0
  for (const _ of text) if (++count > max) return false
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

/** The first `max` characters, or all; reads no further, however long the text is. */
export const firstCharacters = (text: string, max: number): string => {
  let end = 0
  for (let count = 0; count < max && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** The first `max` characters, with `…` behind them when truncated. */
export const truncate = (text: string, max: number): string =>
  atMost(text, max) ? text : `${firstCharacters(text, max)}…`

/** At most `max` characters, of which `…` is one when truncated. */
export const truncateTo = (text: string, max: number): string => (atMost(text, max) ? text : truncate(text, max - 1))

/** Whether both adapters can store a text: no U+0000, no lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** The rule of `isStorable` in words, after “must be”. */
export const storableText = "text without U+0000 and without lone surrogates"

/**
 * Reads a row or an array in the text form that PostgreSQL gives it:
 * https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX. Takes time linear in the length.
 */
const quote = 0x22
const backslash = 0x5c

/** The values of a row by position; null where there is none. */
export const fieldsOf = (text: string): ReadonlyArray<string | null> => {
  const elements: Array<string | null> = []
  const end = text.length - 1
  for (let at = 1; at <= end; at++) {
    const isQuoted = text.charCodeAt(at) === quote
    const after = isQuoted ? afterQuoted(text, at + 1) : afterPlain(text, at, end)
    elements.push(isQuoted ? unquoted(text.slice(at + 1, after - 1)) : after === at ? null : text.slice(at, after))
    at = after
  }
  return elements
}

/** Behind the closing quotation mark. One within is doubled or follows a backslash. */
const afterQuoted = (text: string, from: number): number => {
  let at = from
  for (; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === backslash) at++
    else if (character === quote) {
      if (text.charCodeAt(at + 1) !== quote) break
      at++
    }
  }
  return at + 1
}

const afterPlain = (text: string, from: number, end: number): number => {
  const comma = text.indexOf(",", from)
  return comma < 0 ? end : comma
}

const unquoted = (text: string): string => text.replaceAll(/\\(.)|""/gs, (_, escaped?: string) => escaped ?? '"')

/** The elements of an array of one dimension, none of which is null. */
export const textsOf = (text: string): ReadonlyArray<string> =>
  text === "{}" ? [] : fieldsOf(text).map((element) => element ?? "")

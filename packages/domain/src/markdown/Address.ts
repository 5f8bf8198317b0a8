/** Addresses as they are written in markdown. */

/** A character as a reference to it. */
export const charReference = (char: string): string => `&#${char.charCodeAt(0)};`

/** Whether this ampersand begins no character reference. */
const isPlainAmpersand = (url: string, at: number): boolean =>
  !/^&(?:#\w{1,8}|[a-z]\w{0,31});/i.test(url.slice(at, at + 40))

/**
 * An address between the parentheses of a link; backticks are escaped, since they could pair with one in the label.
 * With `pairedParentheses` its own parentheses are kept, otherwise they put it in angle brackets.
 */
export const escapeAddress = (url: string, options?: { readonly pairedParentheses: true }): string => {
  const escaped = url.replace(/[\s\p{Cc}\uFEFF\\&<>`]/gu, (char, at: number) => {
    if (char === "&") return isPlainAmpersand(url, at) ? char : `\\${char}`
    return /[\\<>]/.test(char) ? `\\${char}` : charReference(char)
  })
  return options === undefined && /[()]/.test(escaped) ? `<${escaped}>` : escaped
}

/** Whether the parentheses of an address are balanced, so that they need no escaping. */
const isBalanced = (url: string): boolean => {
  let depth = 0
  for (const char of url) {
    if (char === "(") depth++
    else if (char === ")" && --depth < 0) return false
  }
  return depth === 0
}

/** An address in the form that a thing's text and a row of a table can hold: no escapes, angle brackets or bars. */
export const inlineAddress = (url: string): string => {
  const plain = url.replace(/[\s\p{Cc}<>`|]/gu, encodeURIComponent)
  const paired = isBalanced(plain) ? plain : plain.replace(/[()]/g, (char) => (char === "(" ? "%28" : "%29"))
  return escapeAddress(paired, { pairedParentheses: true })
}

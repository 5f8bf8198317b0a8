/** Whether a text is a color as a request may write it: `#rgb` or `#rrggbb` in either case, or empty for none. */
export const isColor = (text: string): boolean => color.test(text)

const color = /^(?:#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}))?$/

/** The same, as a pattern of JSON Schema. */
export const colorPattern = color.source

/** A color in the form in which it is stored: `#rrggbb` in lower case, or empty. */
export const sixDigits = (color: string): string => {
  const lower = color.toLowerCase()
  return lower.length === 4 ? `#${[...lower.slice(1)].map((digit) => digit + digit).join("")}` : lower
}

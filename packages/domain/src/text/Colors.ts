/** Whether a text is a color as a request may write it: `#rgb` or `#rrggbb` in either case, or empty for none. */
export const isColor = (text: string): boolean => /^(?:#(?:[0-9a-f]{3}|[0-9a-f]{6}))?$/i.test(text)

/** A color in the form in which it is stored: `#rrggbb` in lower case, or empty. */
export const sixDigits = (color: string): string => {
  const lower = color.toLowerCase()
  return lower.length === 4 ? `#${[...lower.slice(1)].map((digit) => digit + digit).join("")}` : lower
}

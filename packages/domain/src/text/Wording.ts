/** A whole number with commas between thousands. `toLocaleString` would load ICU's tables, which takes 10 ms. */
export const inFigures = (value: number): string =>
  Math.abs(value) < 1000
    ? String(value)
    : `${inFigures(Math.trunc(value / 1000))},${String(Math.abs(value % 1000)).padStart(3, "0")}`

/** `1 thing`, `1,500 things`. */
export const counted = (amount: number, one: string, many = `${one}s`): string =>
  `${inFigures(amount)} ${amount === 1 ? one : many}`

/** `a, b and c`; of more than `max` names `a, b and 7 more`. */
export const enumerated = (names: ReadonlyArray<string>, max = names.length): string => {
  const shown = names.length > max ? [...names.slice(0, max), `${names.length - max} more`] : names
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`
}

/** A message with a full stop at its end. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

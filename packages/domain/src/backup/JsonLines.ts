/** Locates values in JSON text, so that an error can name the line. The text is valid JSON. */

export type JsonPath = ReadonlyArray<string | number>

/** Splits a path such as `things[3].text` into its steps. */
export const pathOf = (field: string): JsonPath =>
  Array.from(field.matchAll(/\[(\d+)\]|([^.[\]]+)/g), ([, index, key]) => (index === undefined ? key! : Number(index)))

/** The line (1-based) on which the value at a path begins, or that of the nearest enclosing value that exists. */
export const lineOf = (json: string, path: JsonPath): number => {
  let at = skipSpace(json, 0)
  for (const step of path) {
    const found = typeof step === "number" ? element(json, at, step) : member(json, at, step)
    if (found === undefined) break
    at = found
  }
  return lineAt(json, at)
}

/** The line (1-based) of an offset. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

const skipSpace = (json: string, from: number): number => {
  let at = from
  while (at < json.length && " \t\n\r".includes(json[at]!)) at++
  return at
}

const skipString = (json: string, from: number): number => {
  let at = from + 1
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1
  return at + 1
}

/** The offset just past the value that begins at `from`. */
const skipValue = (json: string, from: number): number => {
  let depth = 0
  for (let at = from; at < json.length;) {
    const character = json[at]!
    if (character === '"') at = skipString(json, at)
    else if (character === "{" || character === "[") {
      depth++
      at++
    } else if (character === "}" || character === "]") {
      if (depth === 0) return at
      depth--
      at++
    } else if (character === "," && depth === 0) return at
    else at++
    if (depth === 0 && /[\]}"]/.test(character)) return at
  }
  return json.length
}

const element = (json: string, from: number, index: number): number | undefined => {
  if (json[from] !== "[") return undefined
  let at = skipSpace(json, from + 1)
  for (let count = 0; at < json.length && json[at] !== "]"; count++) {
    if (count === index) return at
    at = skipSpace(json, skipValue(json, at))
    if (json[at] === ",") at = skipSpace(json, at + 1)
  }
  return undefined
}

/** The last member of that name: with duplicate names, the last one counts. */
const member = (json: string, from: number, key: string): number | undefined => {
  if (json[from] !== "{") return undefined
  let found: number | undefined
  let at = skipSpace(json, from + 1)
  while (at < json.length && json[at] === '"') {
    const end = skipString(json, at)
    const name: unknown = JSON.parse(json.slice(at, end))
    const value = skipSpace(json, skipSpace(json, end) + 1)
    if (name === key) found = value
    at = skipSpace(json, skipValue(json, value))
    if (json[at] === ",") at = skipSpace(json, at + 1)
  }
  return found
}

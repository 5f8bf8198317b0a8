import { type JSONVisitor, visit } from "jsonc-parser"

/** Locates values and syntax errors in JSON text, so that an error can name the line. */

export type JsonPath = ReadonlyArray<string | number>

/** Splits a path such as `things[3].text` into its steps. */
export const pathOf = (field: string): JsonPath =>
  Array.from(field.matchAll(/\[(\d+)\]|([^.[\]]+)/g), ([, index, key]) => (index === undefined ? key! : Number(index)))

/** The line (1-based) of an offset. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

/**
 * The line (1-based) on which the value at a path begins, or that of the nearest enclosing value that exists; with
 * duplicate names, the last one counts. The text is valid JSON.
 */
export const lineOf = (json: string, path: JsonPath): number => {
  let found = 0
  visitStrictly(json, (depth, offset, pathHere) => {
    if (depth <= path.length && pathHere().every((step, at) => step === path[at])) found = offset
  })
  return lineAt(json, found)
}

/**
 * The offset of the first syntax error in a text that is not valid JSON, since the parser's own messages do not always
 * report it. The length of the text when it ends too early.
 */
export const brokenAt = (text: string): number => visitStrictly(text, () => {}) ?? text.length

/** Far deeper than an export nests; bounds the recursion of `visit`. */
const maxDepth = 500

class Stopped {
  readonly offset: number
  constructor(offset: number) {
    this.offset = offset
  }
}

type OnValue = (depth: number, offset: number, path: () => JsonPath) => void

/** Visits each value in order; the offset of the first syntax error or of a value that nests too deep, where it stops. */
const visitStrictly = (text: string, onValue: OnValue): number | undefined => {
  let depth = 0
  const open: JSONVisitor["onObjectBegin"] = (offset, _length, _line, _column, path) => {
    onValue(depth, offset, path)
    if (++depth > maxDepth) throw new Stopped(offset)
  }
  const close = () => void depth--
  const visitor: JSONVisitor = {
    onObjectBegin: open,
    onArrayBegin: open,
    onObjectEnd: close,
    onArrayEnd: close,
    onLiteralValue: (_value, offset, _length, _line, _column, path) => onValue(depth, offset, path),
    onError: (_code, offset) => {
      throw new Stopped(offset)
    }
  }
  try {
    visit(text, visitor, { disallowComments: true })
    return undefined
  } catch (error) {
    if (error instanceof Stopped) return error.offset
    throw error
  }
}

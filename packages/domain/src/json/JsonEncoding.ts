import type { Steps } from "../scheduling/Yielding.ts"

/** Minimum characters per piece, except the last. */
const pieceLength = 64 * 1024

/** `JSON.stringify` of an object, in pieces; yields after each item of its array members. */
export function* jsonPieces(value: object): Steps<ReadonlyArray<string>> {
  const pieces: Array<string> = []
  let piece = "{"
  let separator = ""
  for (const [name, member] of Object.entries(value) as Array<[string, unknown]>) {
    if (member === undefined) continue
    piece += `${separator}${JSON.stringify(name)}:`
    separator = ","
    if (!Array.isArray(member)) {
      piece += JSON.stringify(member)
      continue
    }
    piece += "["
    for (const [at, item] of (member as ReadonlyArray<unknown>).entries()) {
      piece += `${at === 0 ? "" : ","}${JSON.stringify(item)}`
      if (piece.length >= pieceLength) {
        pieces.push(piece)
        piece = ""
      }
      yield
    }
    piece += "]"
  }
  return [...pieces, `${piece}}`]
}

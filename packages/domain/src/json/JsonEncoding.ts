import type { Steps } from "../scheduling/Yielding.ts"

/** Characters from which on a piece is complete. */
const pieceLength = 64 * 1024

/** What `JSON.stringify` makes of an object, in pieces; a step is an item of an array that is a member of it. */
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

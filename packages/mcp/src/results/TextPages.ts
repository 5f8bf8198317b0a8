import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { isHighSurrogate } from "@lists-and-things/domain/text/Characters"
import type { LongText } from "@lists-and-things/domain/text/LongText"

/** UTF-16 units of a piece of a line; each takes at most six bytes as JSON. */
const pieceLength = 10_000

/** A page of a text, and whether there is one after it. */
export interface TextPage {
  readonly text: string
  readonly hasMore: boolean
}

/**
 * A page of a text, counted from 0. Pages have at most `max` bytes of JSON each, and joined they are the text. Lines
 * are not divided unless they are longer than 10,000 characters. A page beyond the end is empty. Linear in the text.
 */
export function* textPage(text: LongText, page: number, max: number): Steps<TextPage> {
  let number = 0
  let bytes = 0
  let kept = ""
  for (const piece of linesOf(text)) {
    const size = bytesInJson(piece)
    if (bytes > 0 && bytes + size > max) {
      number++
      bytes = 0
      if (number > page) return { text: kept, hasMore: true }
    }
    bytes += size
    if (number === page) kept += piece
    yield
  }
  return { text: kept, hasMore: false }
}

const bytesInJson = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2

function* linesOf({ pieces }: LongText): Generator<string> {
  for (const piece of pieces) yield* linesIn(piece)
}

/** Lines with their newlines. A long line comes in several pieces, which divide no surrogate pair. */
function* linesIn(text: string): Generator<string> {
  let from = 0
  while (from < text.length) {
    const end = text.indexOf("\n", from)
    let to = end === -1 ? text.length : end + 1
    if (to - from > pieceLength) {
      to = from + pieceLength
      if (isHighSurrogate(text.charCodeAt(to - 1))) to--
    }
    yield text.slice(from, to)
    from = to
  }
}

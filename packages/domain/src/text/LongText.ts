import { isHighSurrogate } from "./Characters.ts"

/** Minimum characters per piece, except the last; less than twice as many are in one. */
const pieceLength = 64 * 1024

/** Whether a text takes long enough to join or to encode that it is done in pieces. */
export const isLong = (text: string): boolean => text.length > pieceLength

/** The text in pieces, none of which ends within a surrogate pair. */
export const piecesOfText = (text: string): ReadonlyArray<string> => {
  if (!isLong(text)) return [text]
  const pieces: Array<string> = []
  for (let from = 0; from < text.length;) {
    const end = from + pieceLength
    const to = end + (isHighSurrogate(text.charCodeAt(end - 1)) ? 1 : 0)
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces
}

/** A text in pieces, since joining 16 MB takes a tenth of a second. No piece ends within a surrogate pair. */
export class LongText {
  readonly pieces: ReadonlyArray<string>

  constructor(pieces: ReadonlyArray<string>) {
    this.pieces = pieces
  }

  get length(): number {
    return this.pieces.reduce((sum, { length }) => sum + length, 0)
  }

  toString(): string {
    return this.pieces.join("")
  }

  toJSON(): string {
    return this.toString()
  }
}

/** Collects a text in pieces. */
export class PieceWriter {
  readonly #pieces: Array<string> = []
  #open = ""

  /** A text that does not end within a surrogate pair. */
  add(text: string): void {
    this.#open += text
    if (this.#open.length >= pieceLength) this.#close()
  }

  #close(): void {
    if (this.#open.length < 2 * pieceLength) this.#pieces.push(this.#open)
    else this.#pieces.push(...piecesOfText(this.#open))
    this.#open = ""
  }

  written(): LongText {
    return new LongText([...this.#pieces, this.#open])
  }
}

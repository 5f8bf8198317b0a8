import { isHighSurrogate } from "./Characters.ts"

/** Minimum characters per piece, except the last; less than twice as many are in one. */
const pieceLength = 64 * 1024

/** Whether a text takes long enough to join or to encode that it is done in pieces. */
export const isLong = (text: string): boolean => text.length > pieceLength

/**
 * The text in pieces. Each ends at the end of a line, or, of a line that is longer than a piece, anywhere but within a
 * surrogate pair.
 */
export const piecesOfText = (text: string): ReadonlyArray<string> => {
  if (!isLong(text)) return [text]
  const pieces: Array<string> = []
  for (let from = 0; from < text.length;) {
    const piece = text.slice(from, from + pieceLength + 1)
    const { length } = piece
    const to = length <= pieceLength ? length : piece.lastIndexOf("\n", pieceLength - 1) + 1 || endOf(piece)
    pieces.push(piece.slice(0, to))
    from += to
  }
  return pieces
}

const endOf = (piece: string): number => pieceLength + (isHighSurrogate(piece.charCodeAt(pieceLength - 1)) ? 1 : 0)

/**
 * A text in pieces, since joining 16 MB takes a tenth of a second or more. None ends within a surrogate pair, and one of
 * whole lines only within a line that is longer than a piece.
 */
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

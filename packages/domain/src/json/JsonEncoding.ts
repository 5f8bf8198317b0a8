import type { Steps } from "../scheduling/Yielding.ts"
import { isHighSurrogate } from "../text/Characters.ts"

/** Minimum characters per piece, except the last. */
const pieceLength = 64 * 1024

/**
 * Items that are converted to the form of the answer one at a time while they are written, so that only one exists in
 * that form.
 */
export class Shown<Json> {
  readonly items: ReadonlyArray<unknown>
  readonly show: (item: unknown) => Json

  private constructor(items: ReadonlyArray<unknown>, show: (item: unknown) => Json) {
    this.items = items
    this.show = show
  }

  static as<Item, Json>(items: ReadonlyArray<Item>, show: (item: Item) => Json): Shown<Json> {
    return new Shown(items, show as (item: unknown) => Json)
  }

  toJSON(): ReadonlyArray<Json> {
    return this.items.map((item) => this.show(item))
  }
}

/** `A`, with items for an array where it has one. */
export type WithShown<A> = {
  readonly [Key in keyof A]: A[Key] extends ReadonlyArray<infer Json> ? A[Key] | Shown<Json> : A[Key]
}

const asIs = (item: unknown): unknown => item

/** The text in pieces, none of which ends within a surrogate pair. */
export const piecesOfText = (text: string): ReadonlyArray<string> => {
  if (text.length <= pieceLength) return [text]
  const pieces: Array<string> = []
  for (let from = 0; from < text.length;) {
    const end = from + pieceLength
    const to = end + (isHighSurrogate(text.charCodeAt(end - 1)) ? 1 : 0)
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces
}

/** `JSON.stringify` of a text, in pieces without the quotes; yields after each. */
export function* jsonTextSteps(text: string): Steps<ReadonlyArray<string>> {
  const pieces: Array<string> = []
  for (const piece of piecesOfText(text)) {
    pieces.push(JSON.stringify(piece).slice(1, -1))
    yield
  }
  return pieces
}

/** `JSON.stringify` of an object, in pieces; yields after each item of its array members, and within long texts. */
export function* jsonPieces(value: object): Steps<ReadonlyArray<string>> {
  const pieces: Array<string> = []
  let piece = "{"
  let separator = ""
  for (const [name, member] of Object.entries(value) as Array<[string, unknown]>) {
    if (member === undefined) continue
    piece += `${separator}${JSON.stringify(name)}:`
    separator = ","
    const isShown = member instanceof Shown
    if (typeof member === "string" && member.length > pieceLength) {
      pieces.push(`${piece}"`, ...(yield* jsonTextSteps(member)))
      piece = '"'
      continue
    }
    if (!isShown && !Array.isArray(member)) {
      piece += JSON.stringify(member)
      continue
    }
    const items: ReadonlyArray<unknown> = isShown ? member.items : member
    const show = isShown ? member.show : asIs
    let between = "["
    for (const item of items) {
      piece += between + JSON.stringify(show(item))
      between = ","
      if (piece.length >= pieceLength) {
        pieces.push(piece)
        piece = ""
      }
      yield
    }
    piece += items.length === 0 ? "[]" : "]"
  }
  return [...pieces, `${piece}}`]
}

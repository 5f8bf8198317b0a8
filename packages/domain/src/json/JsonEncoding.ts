import type { Steps } from "../scheduling/Yielding.ts"
import { isLong, LongText, PieceWriter, piecesOfText } from "../text/LongText.ts"

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

/** `A`, with items for an array and pieces for a text where it has one. */
export type WithShown<A> = A extends string
  ? A | LongText
  : {
      readonly [Key in keyof A]: A[Key] extends ReadonlyArray<infer Json>
        ? A[Key] | Shown<Json>
        : A[Key] extends string
          ? A[Key] | LongText
          : A[Key]
    }

/** `JSON.stringify` of a text in pieces, without the quotes; yields after each. */
export function* jsonTextSteps(pieces: ReadonlyArray<string>): Steps<ReadonlyArray<string>> {
  const written: Array<string> = []
  for (const piece of pieces) {
    written.push(JSON.stringify(piece).slice(1, -1))
    yield
  }
  return written
}

/**
 * `JSON.stringify` of an object, in pieces; yields after each item of its array members, and within long texts, wherever
 * they are but in an array of an item.
 */
export function* jsonPieces(value: object): Steps<ReadonlyArray<string>> {
  const writer = new PieceWriter()
  yield* writeObject(value, writer)
  return writer.written().pieces
}

function* writeObject(value: object, writer: PieceWriter): Steps<void> {
  let before = "{"
  for (const [name, member] of Object.entries(value) as Array<[string, unknown]>) {
    if (member === undefined) continue
    writer.add(`${before}${JSON.stringify(name)}:`)
    before = ","
    if (member instanceof Shown) yield* writeItems(member.items, member.show, writer)
    else if (Array.isArray(member)) yield* writeItems(member, asIs, writer)
    else if (hasLongText(member)) yield* writeLong(member, writer)
    else writer.add(JSON.stringify(member))
  }
  writer.add(before === "{" ? "{}" : "}")
}

const asIs = (item: unknown): unknown => item

function* writeItems(
  items: ReadonlyArray<unknown>,
  show: (item: unknown) => unknown,
  writer: PieceWriter
): Steps<void> {
  let before = "["
  for (const item of items) {
    const shown = show(item)
    if (hasLongText(shown)) {
      writer.add(before)
      yield* writeLong(shown, writer)
    } else writer.add(before + JSON.stringify(shown))
    before = ","
    yield
  }
  writer.add(before === "[" ? "[]" : "]")
}

function* writeLong(value: string | object, writer: PieceWriter): Steps<void> {
  const pieces = typeof value === "string" ? piecesOfText(value) : value instanceof LongText ? value.pieces : undefined
  if (pieces === undefined) return yield* writeObject(value as object, writer)
  writer.add('"')
  for (const piece of yield* jsonTextSteps(pieces)) writer.add(piece)
  writer.add('"')
}

/** Whether it is a long text, or an object with one, which take long to encode. */
const hasLongText = (value: unknown): value is string | object => {
  if (typeof value === "string") return isLong(value)
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  if (value instanceof LongText) return true
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name]
    if (typeof member === "string" ? isLong(member) : typeof member === "object" && hasLongText(member)) return true
  }
  return false
}

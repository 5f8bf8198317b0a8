import { jsonTextSteps } from "@lists-and-things/domain/json/JsonEncoding"
import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { type LongText, piecesOfText } from "@lists-and-things/domain/text/LongText"

/** Characters from which a part of an answer is encoded in steps. */
const longLength = 16 * 1024

/** Characters of long parts after which a batch serves no further messages. */
const maxHeld = 16 * 1024 ** 2

interface Part {
  readonly pieces: ReadonlyArray<string>
  /** Whether they are of a text that has yet to be encoded as JSON; else they are JSON. */
  readonly isText: boolean
}

/**
 * The long parts of an answer, which the SDK would encode in one event-loop turn. The SDK gets a short placeholder for
 * each, and `whole` replaces the placeholders in steps.
 */
export class LongParts {
  readonly #name = crypto.randomUUID()
  readonly #parts: Array<Part> = []
  #held = 0

  /** Whether the answer takes no further long parts, so that the client must request the rest separately. */
  get isFull(): boolean {
    return this.#held >= maxHeld
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0
  }

  /** The text, or a placeholder if it is long. */
  text(text: string | LongText): string {
    const { length } = text
    if (length < longLength) return text.toString()
    const pieces = typeof text === "string" ? piecesOfText(text) : text.pieces
    return `${this.#name}${this.#add({ pieces, isText: true }, length)}`
  }

  /** The object that the JSON describes, or a placeholder if it is long. */
  object(json: string): Record<string, unknown> {
    if (json.length < longLength) return JSON.parse(json) as Record<string, unknown>
    return { [this.#name]: this.#add({ pieces: piecesOfText(json), isText: false }, json.length) }
  }

  #add(part: Part, length: number): number {
    this.#held += length
    return this.#parts.push(part) - 1
  }

  /**
   * What the SDK has written, as chunks of UTF-8 with the parts in place of their placeholders. Yields after each
   * piece.
   */
  *whole(written: string): Steps<ReadonlyArray<Uint8Array>> {
    const encoder = new TextEncoder()
    const chunks: Array<Uint8Array> = []
    let from = 0
    for (const found of written.matchAll(
      new RegExp(`\\{"${this.#name}":(\\d+)\\}|(?<=")${this.#name}(\\d+)(?=")`, "g")
    )) {
      chunks.push(encoder.encode(written.slice(from, found.index)))
      from = found.index + found[0].length
      const { isText, pieces } = this.#parts[Number(found[1] ?? found[2])]!
      for (const piece of isText ? yield* jsonTextSteps(pieces) : pieces) {
        chunks.push(encoder.encode(piece))
        yield
      }
    }
    chunks.push(encoder.encode(written.slice(from)))
    return chunks
  }
}

import { jsonTextSteps, piecesOfText } from "@lists-and-things/domain/json/JsonEncoding"
import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"

/** Characters from which on a part of an answer is written in steps. */
const longLength = 16 * 1024

/** Characters of long parts from which on an answer takes no further ones. */
const mostHeld = 16 * 1024 ** 2

interface Part {
  readonly json: string
  /** Whether it is a text, of which its JSON has yet to be made. */
  readonly isText: boolean
}

/**
 * The long parts of an answer, which the SDK would write in one turn of the event loop: it is given a short one in place
 * of each, and those are replaced in steps in what it has written.
 */
export class LongParts {
  readonly #name = crypto.randomUUID()
  readonly #parts: Array<Part> = []
  #held = 0

  /** Whether the answer takes no further long parts, so that the client must request the rest separately. */
  get isFull(): boolean {
    return this.#held >= mostHeld
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0
  }

  /** What the SDK is given in place of a text. */
  text(text: string): string {
    return text.length < longLength ? text : `${this.#name}${this.#add({ json: text, isText: true })}`
  }

  /** What the SDK is given in place of an object, given as JSON. */
  object(json: string): Record<string, unknown> {
    if (json.length < longLength) return JSON.parse(json) as Record<string, unknown>
    return { [this.#name]: this.#add({ json, isText: false }) }
  }

  #add(part: Part): number {
    this.#held += part.json.length
    return this.#parts.push(part) - 1
  }

  /** What the SDK has written, with the long parts in their places. Yields after each piece. */
  *whole(written: string): Steps<ReadonlyArray<Uint8Array>> {
    const encoder = new TextEncoder()
    const chunks: Array<Uint8Array> = []
    let from = 0
    for (const found of written.matchAll(
      new RegExp(`\\{"${this.#name}":(\\d+)\\}|(?<=")${this.#name}(\\d+)(?=")`, "g")
    )) {
      chunks.push(encoder.encode(written.slice(from, found.index)))
      from = found.index + found[0].length
      const { isText, json } = this.#parts[Number(found[1] ?? found[2])]!
      for (const piece of isText ? yield* jsonTextSteps(json) : piecesOfText(json)) {
        chunks.push(encoder.encode(piece))
        yield
      }
    }
    chunks.push(encoder.encode(written.slice(from)))
    return chunks
  }
}

import type { ListId } from "./Ids.ts"
import { runStepsSync, type Steps } from "../scheduling/Yielding.ts"
import type { Thing, ThingContent } from "./Thing.ts"

/** What a list or an account holds. */
export interface Size {
  readonly things: number
  /** Bytes in UTF-8 of all text content: texts, notes, tags, urls and the addresses of photos. */
  readonly bytes: number
}

/** The size of an empty list. */
export const nothing: Size = { things: 0, bytes: 0 }

/** Length of a text in UTF-8 bytes. Stored text has no lone surrogates. */
export const utf8Bytes = (text: string): number => {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    // Each half of a surrogate pair counts two of its four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2
  }
  return bytes
}

type Written = Pick<ThingContent, "text" | "note" | "url" | "photos" | "tags">

/** What a thing adds to its list and account. A live linked copy counts in full, since it shows all of the content. */
export const sizeOf = (written: Written): Size => sizeBy(written, utf8Bytes)

/** Length of all text content in UTF-16 code units, which is known without reading it. */
export const codeUnitsOf = (written: Written): number => totalOf(written, ({ length }) => length)

const sizeBy = (written: Written, bytesOf: (text: string) => number): Size => ({
  things: 1,
  bytes: totalOf(written, bytesOf)
})

const totalOf = ({ note, photos, tags, text, url }: Written, of: (text: string) => number): number => {
  let total = of(text) + of(note) + of(url)
  for (const photo of photos) total += of(photo)
  for (const tag of tags) total += of(tag)
  return total
}

export const plus = (a: Size, b: Size): Size => ({ things: a.things + b.things, bytes: a.bytes + b.bytes })
/** May be negative. */
export const minus = (a: Size, b: Size): Size => ({ things: a.things - b.things, bytes: a.bytes - b.bytes })

/** The change in size per list between these two states of things; negative where a list shrinks. */
export const growthOf = (before: Iterable<Thing>, after: Iterable<Thing>): ReadonlyMap<ListId, Size> =>
  runStepsSync(growthSteps(before, after))

/** `growthOf` as steps. */
export function* growthSteps(before: Iterable<Thing>, after: Iterable<Thing>): Steps<ReadonlyMap<ListId, Size>> {
  const growth = new Map<ListId, Size>()
  const counted = new Map<string, number>()
  /** Cached, since thousands of linked copies can share one note of a million characters. */
  const bytesOf = (text: string): number => {
    if (text.length < 256) return utf8Bytes(text)
    const known = counted.get(text) ?? utf8Bytes(text)
    counted.set(text, known)
    return known
  }
  const size = (thing: Thing) => sizeBy(thing, bytesOf)
  for (const thing of before) {
    yield
    growth.set(thing.listId, minus(growth.get(thing.listId) ?? nothing, size(thing)))
  }
  for (const thing of after) {
    yield
    growth.set(thing.listId, plus(growth.get(thing.listId) ?? nothing, size(thing)))
  }
  return growth
}

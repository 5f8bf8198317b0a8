import type { Thing } from "../model/Thing.ts"
import { withAnnotation } from "./Annotation.ts"
import { escapeAddress } from "./Address.ts"
import { escapeText } from "./Escape.ts"
import { annotationOf } from "./Form.ts"
import type { ParsedThing } from "./ParsedThing.ts"
import { readLine } from "./ThingLine.ts"

export interface LineOptions {
  readonly multiline: boolean
  readonly startsBlock: boolean
}

const label = (text: string, options: LineOptions): string =>
  escapeText(text, { multiline: options.multiline, startsBlock: false, label: true })

const image = (alt: string, src: string): string => `![${alt}](${escapeAddress(src)})`

const onlyThing = (line: string, base: ParsedThing): ParsedThing | undefined => {
  const things = readLine(line, base)
  return things.length === 1 ? things[0] : undefined
}

const samePhotos = (a: ParsedThing, b: Thing): boolean =>
  a.photos.length === b.photos.length && a.photos.every((photo, index) => photo === b.photos[index])

const sameContent = (read: ParsedThing | undefined, thing: Thing): read is ParsedThing =>
  read !== undefined && read.text === thing.text && read.url === thing.url && samePhotos(read, thing)

/** Writes photos as images only, with the text in the first, where that parses back. */
const asImages = (thing: Thing, base: ParsedThing, options: LineOptions): string | undefined => {
  if (thing.photos.length === 0 || thing.url !== "") return undefined
  const content = thing.photos
    .map((photo, index) => image(index === 0 ? label(thing.text, options) : "", photo))
    .join(" ")
  const read = onlyThing(content, base)
  return sameContent(read, thing) && read.type === thing.type
    ? withAnnotation(content, annotationOf(thing, read))
    : undefined
}

/** Whether a line of this text can be neither a link nor images, nor carry an annotation. */
const isOrdinary = (content: string): boolean => !/^[!<[]/.test(content) && !content.endsWith("-->")

/** The line of a thing given what its block implies, with an annotation where one is needed. */
export const writeLine = (thing: Thing, base: ParsedThing, options: LineOptions): string => {
  const images = asImages(thing, base, options)
  if (images !== undefined) return images
  const main =
    thing.url === ""
      ? escapeText(thing.text, { ...options, label: false })
      : `[${label(thing.text, options)}](${escapeAddress(thing.url)})`
  if (thing.url === "" && thing.photos.length === 0 && isOrdinary(main))
    return withAnnotation(main, annotationOf(thing, { ...base, text: thing.text }))
  const photos = thing.photos.length === 0 ? {} : { photos: thing.photos.length }
  const content = [...(main === "" ? [] : [main]), ...thing.photos.map((photo) => image("", photo))].join(" ")
  const bare = withAnnotation(content, photos)
  const read = onlyThing(bare, base)
  if (sameContent(read, thing)) return withAnnotation(content, { ...annotationOf(thing, read), ...photos })
  const asText = { text: true, ...photos } as const
  const readText = onlyThing(withAnnotation(content, asText), base) ?? base
  return withAnnotation(content, { ...annotationOf(thing, readText), ...asText })
}

import { caps } from "../model/Caps.ts"
import { atMost } from "../text/Characters.ts"
import { isPhotoUrl, isUrl } from "../text/Urls.ts"
import { takeAnnotation } from "./Annotation.ts"
import { codeSpans, type LinkSpan, linkSpans } from "./InlineScan.ts"
import { annotated, type ParsedThing } from "./ParsedThing.ts"
import { addressOf, dialectOf } from "./Source.ts"

interface Image {
  readonly alt: string
  readonly src: string
}

const isAbsolute = (url: string): boolean => atMost(url, caps.url) && URL.canParse(url) && isUrl(url)
const isPhoto = (url: string): boolean => atMost(url, caps.url) && isPhotoUrl(url)

const linksOf = (content: string): ReadonlyArray<LinkSpan> =>
  linkSpans(content, "source", codeSpans(content, "source")).toSorted((a, b) => a.start - b.start)

const imageOf = (content: string, link: LinkSpan): Image => ({
  alt: dialectOf(content.slice(link.labelStart, link.labelEnd)),
  src: addressOf(content.slice(link.urlStart, link.urlEnd))
})

const isGap = (content: string, start: number, end: number): boolean => /^[ \t\n]*$/.test(content.slice(start, end))

/** The images at the end of a line, separated only by white space, and where they begin. */
const trailingImages = (content: string): { readonly start: number; readonly images: ReadonlyArray<Image> } => {
  const images: Array<Image> = []
  let start = content.length
  if (!content.endsWith(")")) return { start, images }
  for (const link of linksOf(content).toReversed()) {
    if (link.end > start) continue
    if (!link.image || !isGap(content, link.end, start)) break
    images.push(imageOf(content, link))
    start = link.start
  }
  images.reverse()
  return { start, images }
}

const autolink = /^<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>$/i

/** Text and url of a line that is a single link. */
const loneLink = (content: string): { readonly text: string; readonly url: string } | undefined => {
  const automatic = autolink.exec(content)?.[1]
  if (automatic !== undefined) return isAbsolute(automatic) ? { text: automatic, url: automatic } : undefined
  if (!content.startsWith("[") || !content.endsWith(")")) return undefined
  const link = linksOf(content).find((candidate) => !candidate.image && candidate.start === 0)
  if (link === undefined || link.end !== content.length) return undefined
  const url = addressOf(content.slice(link.urlStart, link.urlEnd))
  return isAbsolute(url) ? { text: dialectOf(content.slice(link.labelStart, link.labelEnd)), url } : undefined
}

/** The photos of a line that consists of images; an image with a text of its own begins another thing. */
const lonePhotos = (content: string, base: ParsedThing): ReadonlyArray<ParsedThing> | undefined => {
  if (!content.startsWith("![")) return undefined
  const { start, images } = trailingImages(content)
  if (start !== 0 || !images.every((image) => isPhoto(image.src))) return undefined
  const groups: Array<{ readonly text: string; readonly photos: Array<string> }> = []
  for (const { alt, src } of images) {
    const last = groups.at(-1)
    if (last !== undefined && alt === "" && last.photos.length < caps.photos) last.photos.push(src)
    else groups.push({ text: alt, photos: [src] })
  }
  const type = base.type === "none" ? "photo" : base.type
  return groups.map((group) => ({ ...base, ...group, type }))
}

const readContent = (content: string, base: ParsedThing, asText: boolean): ReadonlyArray<ParsedThing> => {
  const photos = asText ? undefined : lonePhotos(content, base)
  if (photos !== undefined) return photos
  const link = asText ? undefined : loneLink(content)
  return [{ ...base, ...(link ?? { text: dialectOf(content) }) }]
}

/**
 * The thing on one line of source, given what its block implies; several where the line contains several images. Never
 * empty.
 */
export const readLine = (line: string, base: ParsedThing): ReadonlyArray<ParsedThing> => {
  const { content, annotation } = takeAnnotation(line)
  const wanted = annotation.photos ?? 0
  if (wanted === 0)
    return readContent(content, base, annotation.text === true).map((thing) => annotated(thing, annotation))
  const links = linksOf(content)
    .filter((link) => link.image)
    .slice(-wanted)
  const start = links[0]?.start ?? content.length
  const photos = links.map((link) => imageOf(content, link).src)
  const rest = content.slice(0, start).replace(/[ \n]$/, "")
  const [thing] = readContent(rest, base, annotation.text === true)
  return thing === undefined ? [] : [annotated({ ...thing, photos }, annotation)]
}

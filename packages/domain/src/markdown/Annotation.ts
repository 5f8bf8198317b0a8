import { type ThingType, thingTypes } from "../model/Thing.ts"
import { noteInfos } from "./NoteFence.ts"

/**
 * What markdown cannot express about a thing, as words in a trailing comment (`<!-- lat: dash tabs=3 -->`) or in the
 * info string of a code fence. Only what differs from the plain reading is written.
 */
export interface Annotation {
  readonly type?: ThingType
  readonly completed?: true
  readonly canceled?: true
  readonly header?: true
  readonly subheader?: true
  readonly quote?: true
  readonly code?: true
  /** The line is text, even where it would otherwise be read as a single link or image. */
  readonly text?: true
  readonly tabs?: number
  /** The number of images at the end of the line that are the thing's photos. */
  readonly photos?: number
}

const flags = ["completed", "canceled", "header", "subheader", "quote", "code", "text"] as const
const counts = ["tabs", "photos"] as const
const opening = "<!-- lat: "
const closing = " -->"

type Flag = (typeof flags)[number]
const isFlag = (word: string): word is Flag => (flags as ReadonlyArray<string>).includes(word)
const isType = (word: string): word is ThingType => (thingTypes as ReadonlyArray<string>).includes(word)

const entry = (word: string): Annotation | undefined => {
  if (isType(word)) return { type: word }
  if (isFlag(word)) return { [word]: true }
  const match = /^(tabs|photos)=(\d{1,4})$/.exec(word)
  return match === null ? undefined : { [match[1] ?? ""]: Number(match[2]) }
}

/** Parses the words of an annotation; undefined when any word is unknown. */
const parseAnnotation = (words: string): Annotation | undefined => {
  if (words.length > 200) return undefined
  const entries = words.split(" ").map(entry)
  return entries.includes(undefined) ? undefined : Object.assign({}, ...entries)
}

export const annotationWords = (annotation: Annotation): string =>
  [
    ...(annotation.type === undefined ? [] : [annotation.type]),
    ...flags.filter((flag) => annotation[flag]),
    ...counts.filter((count) => annotation[count] !== undefined).map((count) => `${count}=${annotation[count]}`)
  ].join(" ")

/** Splits a line of source into content and trailing annotation. */
export const takeAnnotation = (source: string): { readonly content: string; readonly annotation: Annotation } => {
  const start = source.endsWith(closing) ? source.lastIndexOf(opening) : -1
  const alone = start === 0 || source[start - 1] === " "
  const annotation =
    start === -1 || !alone ? undefined : parseAnnotation(source.slice(start + opening.length, -closing.length))
  return annotation === undefined
    ? { content: source, annotation: {} }
    : { content: source.slice(0, Math.max(0, start - 1)), annotation }
}

export const withAnnotation = (content: string, annotation: Annotation): string => {
  const words = annotationWords(annotation)
  return words === "" ? content : `${content}${content === "" ? "" : " "}${opening}${words}${closing}`
}

const fencePrefix = "lat: "

/** Longer languages of a fence are dropped. */
const maxLanguage = 200

const languageOf = (info: string): string => (info.length > maxLanguage || noteInfos.includes(info) ? "" : info)

/** The language in the info string of a code fence, and the annotation after it. */
export const readFenceInfo = (info: string): { readonly language: string; readonly annotation: Annotation } => {
  const start = info.startsWith(fencePrefix) ? 0 : info.lastIndexOf(` ${fencePrefix}`) + 1
  const words = start > 0 || info.startsWith(fencePrefix) ? info.slice(start + fencePrefix.length) : undefined
  const annotation = words === undefined ? undefined : parseAnnotation(words)
  return annotation === undefined
    ? { language: languageOf(info), annotation: {} }
    : { language: languageOf(info.slice(0, start).trim()), annotation }
}

export const fenceInfo = (markup: string, annotation: Annotation): string => {
  const words = annotationWords(annotation)
  const language = /[\r\n]/.test(markup) ? "" : languageOf(markup.trim())
  return words === "" ? language : `${language} ${fencePrefix}${words}`
}

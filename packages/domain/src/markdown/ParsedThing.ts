import { caps } from "../model/Caps.ts"
import type { ThingType } from "../model/Thing.ts"
import type { Annotation } from "./Annotation.ts"

/** One thing as parsed from markdown; one that is blank is skipped. */
export interface ParsedThing {
  readonly text: string
  readonly type: ThingType
  readonly url: string
  readonly photos: ReadonlyArray<string>
  readonly tabs: number
  readonly completed: boolean
  readonly canceled: boolean
  readonly header: boolean
  readonly subheader: boolean
  readonly bold: boolean
  readonly quote: boolean
  readonly code: boolean
  readonly note: string
  /** As in `Thing`. */
  readonly markup: string
}

/** Whether a thing has no content that markdown can carry. */
export const isBlank = ({ photos, text, url }: Pick<ParsedThing, "photos" | "text" | "url">): boolean =>
  text.trim() === "" && url === "" && photos.length === 0

export const plainThing: ParsedThing = {
  text: "",
  type: "none",
  url: "",
  photos: [],
  tabs: 0,
  completed: false,
  canceled: false,
  header: false,
  subheader: false,
  bold: false,
  quote: false,
  code: false,
  note: "",
  markup: ""
}

/** Applies an annotation to a thing; it overrides conflicting properties. */
export const annotated = (thing: ParsedThing, annotation: Annotation): ParsedThing => {
  const header = annotation.subheader ? false : (annotation.header ?? thing.header)
  const subheader = annotation.header ? false : (annotation.subheader ?? thing.subheader)
  const code = annotation.code ?? thing.code
  return {
    ...thing,
    type: annotation.type ?? thing.type,
    completed: annotation.canceled ? false : (annotation.completed ?? thing.completed),
    canceled: annotation.completed ? false : (annotation.canceled ?? thing.canceled),
    header,
    subheader,
    bold: header || subheader,
    quote: code ? false : (annotation.quote ?? thing.quote),
    code,
    tabs: Math.min(caps.tabs, annotation.tabs ?? thing.tabs)
  }
}

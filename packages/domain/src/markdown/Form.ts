import { isHeading, type Thing } from "../model/Thing.ts"
import type { Annotation } from "./Annotation.ts"
import { isBlank, type ParsedThing, plainThing } from "./ParsedThing.ts"

/** How a thing is written: the kind of block, the prefix of its line, and what the prefix alone parses as. */
export interface Form {
  readonly kind: "item" | "heading" | "quote" | "fence" | "block"
  readonly prefix: string
  readonly base: ParsedThing
}

const item = (thing: Thing): Form => {
  const { completed, canceled } = thing
  if (thing.type === "todo") {
    const box = completed ? "[x] " : canceled ? "[-] " : "[ ] "
    return { kind: "item", prefix: box, base: { ...plainThing, type: "todo", completed, canceled } }
  }
  const type = thing.type === "number" ? "number" : "bullet"
  return { kind: "item", prefix: "", base: { ...plainThing, type } }
}

/** The level of the first headings of things: below the title. */
export const belowTitle = 2

const heading = (thing: Thing, level: number): Form => {
  const { header, subheader, quote } = thing
  const prefix = `${quote ? "> " : ""}${"#".repeat(header ? level : level + 1)} `
  return { kind: "heading", prefix, base: { ...plainThing, header, subheader, bold: true, quote } }
}

/** A fence keeps its lines verbatim, but cannot hold carriage returns or anything besides the text. */
const fitsFence = (thing: Thing): boolean =>
  thing.code && thing.url === "" && thing.photos.length === 0 && !thing.text.includes("\r")

/** `parent`: other things are nested in this one, so a plain line is written as an item. `headings`: the level of the first. */
export const blockForm = (thing: Thing, parent: boolean, headings = belowTitle): Form => {
  if (fitsFence(thing)) return { kind: "fence", prefix: "", base: { ...plainThing, code: true } }
  if (isBlank(thing)) return item(thing)
  if (isHeading(thing)) return heading(thing, headings)
  if (thing.quote) return { kind: "quote", prefix: "> ", base: { ...plainThing, quote: true } }
  const plain = thing.type === "none" || thing.type === "photo" || thing.code
  return plain && !(parent && thing.type === "none") ? { kind: "block", prefix: "", base: plainThing } : item(thing)
}

/** The annotation for a thing that would otherwise parse as `natural`. */
export const annotationOf = (thing: Thing, natural: ParsedThing): Annotation => ({
  ...(thing.type === natural.type ? {} : { type: thing.type }),
  ...(thing.completed && !natural.completed ? { completed: true } : {}),
  ...(thing.canceled && !natural.canceled ? { canceled: true } : {}),
  ...(thing.header && !natural.header ? { header: true } : {}),
  ...(thing.subheader && !natural.subheader ? { subheader: true } : {}),
  ...(thing.quote && !natural.quote ? { quote: true } : {}),
  ...(thing.code && !natural.code ? { code: true } : {}),
  ...(thing.tabs === natural.tabs ? {} : { tabs: thing.tabs })
})

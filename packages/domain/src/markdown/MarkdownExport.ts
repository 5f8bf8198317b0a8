import type { List } from "../model/List.ts"
import type { Thing } from "../model/Thing.ts"
import { runStepsSync, type Steps } from "../scheduling/Yielding.ts"
import { type LongText, PieceWriter } from "../text/LongText.ts"
import { fenceInfo } from "./Annotation.ts"
import { escapeText } from "./Escape.ts"
import { fence, noteFence } from "./NoteFence.ts"
import { writeLine } from "./LineSource.ts"
import { isBlank, type ParsedThing } from "./ParsedThing.ts"
import { rawRun, sourceOf } from "./RawRun.ts"
import { annotationOf, belowTitle, blockForm, type Form } from "./Form.ts"

/** An open list item; its nested content is indented by `indent`. */
interface OpenItem {
  readonly tabs: number
  readonly indent: string
}

/** Deeper nesting is written as annotations, so that the output of deeply nested lists does not grow quadratically. */
const maxDepth = 40

/** Characters of a note that are written at once. */
const pieceSize = 65_536

const linesIn = (text: string): number => {
  let lines = 1
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

/** Whether a thing has so many lines that indenting each would dominate the output. */
const isBeyondIndent = ({ text, note }: Thing, indent: number): boolean => {
  const size = text.length + note.length
  const max = 1_000 + 4 * size
  if (indent === 0 || (size + 4) * indent <= max) return false
  return (linesIn(text) + linesIn(note)) * indent > max
}

/** Prefixes lines but blank ones. */
const prefixed = (lines: string, first: string, rest: string): string => {
  if (first === "" && rest === "") return lines
  const parts = lines.split("\n").map((line, index) => (line === "" ? "" : (index === 0 ? first : rest) + line))
  return parts.join("\n")
}

class Writer {
  private readonly pieces = new PieceWriter()
  private open: Array<OpenItem> = []
  /** Per depth, the number of the last item of the numbered list that continues there. */
  private numbers: Array<number> = []
  private previous: Form["kind"] | "title" | undefined = undefined
  private previousDepth = 0
  private readonly headings: number

  constructor(headings: number) {
    this.headings = headings
  }

  written(): LongText {
    return this.pieces.written()
  }

  title(title: string): void {
    if (title.trim() === "") return
    const source = escapeText(title, { multiline: false, startsBlock: false, label: false })
    this.lines(`# ${withoutClosing(source)}`)
    this.previous = "title"
  }

  /** Everything of a thing but its note, of which it returns the indentation. */
  thing(thing: Thing, next: Thing | undefined): string {
    this.open.length = this.around(thing)
    const parent = this.open.at(-1)
    const natural = parent === undefined ? 0 : parent.tabs + 1
    const form = blockForm(thing, next !== undefined && next.tabs > thing.tabs, this.headings)
    const indent = parent?.indent ?? ""
    this.separate(form)
    this.previous = thing.note === "" || form.kind === "item" ? form.kind : "block"
    if (form.kind === "item") return this.item(thing, form, natural, indent)
    this.block(thing, form, natural, indent)
    return indent
  }

  /** Lines of a table or of HTML, verbatim; returns the indentation of the note of the last. */
  raw(lines: ReadonlyArray<Thing>): string {
    const [first, last] = [lines[0]!, lines.at(-1)!]
    this.open.length = this.around(first)
    if (this.previous !== undefined) this.lines("")
    const indent = this.open.at(-1)?.indent ?? ""
    const prefix = `${indent}${first.quote ? "> " : ""}`
    this.push(sourceOf(lines), prefix, prefix)
    this.numbers.length = this.open.length
    if (last.note !== "") this.lines("")
    this.previous = "block"
    this.previousDepth = this.open.length
    return indent
  }

  *note(note: string, indent: string): Steps<void> {
    const source = noteFence(note)
    for (let from = 0; from <= source.length;) {
      const lineEnd = source.indexOf("\n", from + pieceSize)
      const to = lineEnd === -1 ? source.length : lineEnd
      this.push(source.slice(from, to), indent, indent)
      from = to + 1
      yield
    }
  }

  /** The depth of a thing that follows from the open lists around it. */
  natural(thing: Thing): number {
    const parent = this.open[this.around(thing) - 1]
    return parent === undefined ? 0 : parent.tabs + 1
  }

  /** Whether white space at the beginning of a line reaches into an item that ends before the thing. */
  reachesIntoItem(thing: Thing): boolean {
    const around = this.around(thing)
    const ended = this.open[around]
    if (ended === undefined || thing.quote) return false
    return /^\s*/.exec(thing.text)![0].length >= ended.indent.length - (this.open[around - 1]?.indent.length ?? 0)
  }

  /** The number of open items that enclose the thing. */
  private around(thing: Thing): number {
    const fits = Math.min(maxDepth, this.open.findLastIndex((item) => item.tabs < thing.tabs) + 1)
    return isBeyondIndent(thing, this.open[fits - 1]?.indent.length ?? 0) ? 0 : fits
  }

  /** Puts a blank line between blocks, but not between items or between the lines of a quote. */
  private separate(form: Form): void {
    const depth = this.open.length
    this.numbers.length = Math.min(this.numbers.length, depth + 1)
    const joins =
      this.previous === form.kind && (form.kind === "item" || (form.kind === "quote" && this.previousDepth === depth))
    if (this.previous !== undefined && !joins) this.lines("")
    this.previousDepth = depth
  }

  private item(thing: Thing, form: Form, natural: number, indent: string): string {
    const depth = this.open.length
    const number = form.base.type === "number" ? (this.numbers[depth] ?? 0) + 1 : 0
    this.numbers[depth] = number
    const marker = number > 0 ? `${number}. ` : "- "
    const inner = indent + " ".repeat(marker.length)
    const blank = isBlank(thing)
    const base = { ...form.base, tabs: natural }
    const content = blank ? "&#32;" : writeLine(thing, base, { multiline: true, startsBlock: form.prefix === "" })
    this.push(content, `${indent}${marker}${form.prefix}`, inner)
    this.open.push({ tabs: blank ? natural : thing.tabs, indent: inner })
    return inner
  }

  private block(thing: Thing, form: Form, natural: number, indent: string): void {
    this.numbers[this.open.length] = 0
    const base: ParsedThing = { ...form.base, tabs: natural }
    const prefix = indent + form.prefix
    if (form.kind === "fence")
      this.push(fence(fenceInfo(thing.markup, annotationOf(thing, base)), thing.text), prefix, prefix)
    else if (form.kind === "heading")
      this.push(withoutClosing(writeLine(thing, base, { multiline: false, startsBlock: false })), prefix, prefix)
    else this.push(writeLine(thing, base, { multiline: true, startsBlock: true }), prefix, prefix)
  }

  private push(source: string, first: string, rest: string): void {
    this.lines(prefixed(source, first, rest))
  }

  /** One line or several. */
  private lines(lines: string): void {
    this.pieces.add(`${lines}\n`)
  }
}

/** Escapes a trailing `#` of a heading, which would be parsed as its closing sequence. */
const withoutClosing = (source: string): string => source.replace(/#$/, "\\#")

/**
 * Writes a list as readable markdown that imports as the same things; `things` are in output order. `headings` is the
 * level of their first headings: deeper ones are for a section of another document. A piece ends at the end of a line,
 * unless the line is long.
 */
export function* renderSteps(
  list: Pick<List, "title">,
  things: ReadonlyArray<Thing>,
  headings = belowTitle
): Steps<LongText> {
  const writer = new Writer(headings)
  writer.title(list.title)
  for (let at = 0; at < things.length;) {
    const thing = things[at]!
    const raw = writer.reachesIntoItem(thing) ? [] : yield* rawRun(things, at, writer.natural(thing))
    const indent = raw.length > 0 ? writer.raw(raw) : writer.thing(thing, things[at + 1])
    const { note } = raw.at(-1) ?? thing
    if (note !== "") yield* writer.note(note, indent)
    at += Math.max(1, raw.length)
    yield
  }
  return writer.written()
}

/** `renderSteps` as one text, without yielding. */
export const renderMarkdown = (list: Pick<List, "title">, things: ReadonlyArray<Thing>): string =>
  runStepsSync(renderSteps(list, things)).toString()

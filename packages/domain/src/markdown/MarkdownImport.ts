import type { Token } from "markdown-it"
import { caps } from "../model/Caps.ts"
import { readFenceInfo } from "./Annotation.ts"
import type { Steps } from "../scheduling/Yielding.ts"
import { atQuoteLimit, blocks, columnOf, type References, TooManyBlocks, withoutQuoteMarks } from "./Blocks.ts"
import { type FrontMatter, takeFrontMatter } from "./FrontMatter.ts"
import { readNote } from "./NoteFence.ts"
import { takeOverIndented } from "./OverIndented.ts"
import { firstRaw, furtherRaw, htmlLines, tableStart } from "./RawLines.ts"
import { annotated, isBlank, type ParsedThing, plainThing } from "./ParsedThing.ts"
import { dialectOf, joinedLine, logicalLines, trimmedLines } from "./Source.ts"
import { ReferenceLinks } from "./References.ts"
import { OpenItems } from "./OpenItems.ts"
import { readLine } from "./ThingLine.ts"

export interface ParsedMarkdown {
  /** Undefined when no title was requested or the document has none. */
  readonly title: string | undefined
  readonly items: ReadonlyArray<ParsedThing>
}

export interface ParseOptions {
  /** `first-heading`: the first level-1 heading outside lists and quotes becomes the title, not a thing. */
  readonly title: "first-heading" | "none"
}

const taskBox = /^\[([ xX-])\](?:[ \t\n]+|$)/

class Reader {
  readonly items: Array<ParsedThing> = []
  /** Number of items that are not blank. */
  things = 0
  title: string | undefined = undefined
  /** The title in the front matter, for a document without a heading that is one. */
  private namedTitle: string | undefined = undefined
  private readonly wantsTitle: boolean
  private readonly links: ReferenceLinks
  /** The labels of things that are definitions. */
  private readonly definitions = new Map<ParsedThing, string>()
  private readonly open = new OpenItems()
  private quotes = 0
  private heading = 0

  constructor(wantsTitle: boolean, references: References) {
    this.wantsTitle = wantsTitle
    this.links = new ReferenceLinks(references)
  }

  *read(token: Token): Steps<void> {
    switch (token.type) {
      case "bullet_list_open":
      case "ordered_list_open":
        return this.flush()
      case "list_item_open":
        return this.open.push(token.info === "" ? "bullet" : "number", columnOf(token), this.quotes)
      case "list_item_close":
        this.flush()
        return this.open.pop()
      case "blockquote_open":
        this.quotes++
        return this.open.interrupt()
      case "blockquote_close":
        this.quotes--
        return this.open.interrupt()
      case "heading_open":
        this.heading = Number(token.tag.slice(1))
        return
      case "inline":
        this.open.interrupt()
        if (this.heading > 0) return this.readHeading(token.content)
        yield
        return yield* this.readParagraph(token.content)
      case "fence":
      case "code_block":
        this.open.interrupt()
        yield
        return this.readCode(token)
      case "html_block":
        this.open.interrupt()
        return yield* this.readHtml(token.content)
      case "hr":
        return this.open.interrupt()
      case "reference_definition":
        this.open.interrupt()
        return this.readDefinition(token)
    }
  }

  readFrontMatter({ thing, title }: FrontMatter): void {
    this.add(thing)
    this.namedTitle = title
  }

  /** The things of the document; a definition becomes a thing only when no link uses it. */
  finish(): ParsedMarkdown {
    const { definitions, links, items, namedTitle } = this
    const title = this.title ?? (this.wantsTitle ? namedTitle : undefined)
    if (definitions.size === 0) return { title, items }
    const isTaken = (item: ParsedThing): boolean => links.took(definitions.get(item) ?? "")
    return { title, items: items.filter((item) => !definitions.has(item) || !isTaken(item)) }
  }

  /** The defaults for the next block: the open item itself, or a plain thing inside it. */
  private base(): ParsedThing {
    const item = this.open.last
    const quote = this.quotes > 0
    if (item === undefined) return { ...plainThing, quote }
    if (!item.pending) return { ...plainThing, quote, tabs: item.tabs + 1 }
    return { ...plainThing, quote, tabs: item.tabs, type: item.type }
  }

  private add(...things: ReadonlyArray<ParsedThing>): void {
    const item = this.open.last
    if (item?.pending) {
      item.pending = false
      item.tabs = things[0]?.tabs ?? item.tabs
    }
    for (const thing of things) {
      this.items.push(thing)
      if (!isBlank(thing)) this.things++
    }
  }

  /** Adds an item that is empty or has nothing before its nested list. */
  private flush(): void {
    const item = this.open.last
    if (item?.pending && !item.described) this.add(this.base())
  }

  private readHeading(content: string): void {
    const depth = this.heading
    this.heading = 0
    const line = joinedLine(content)
    const top = this.open.last === undefined && this.quotes === 0
    if (depth === 1 && top && this.wantsTitle && this.title === undefined && line !== "") {
      this.title = dialectOf(this.links.inlined(line, caps.title))
      return
    }
    const header = depth <= 2
    this.addLine(line, { ...this.base(), header, subheader: !header, bold: true })
  }

  private addLine(line: string, base: ParsedThing): void {
    this.add(...readLine(this.links.inlined(line), base))
  }

  private *readParagraph(paragraph: string): Steps<void> {
    const item = this.open.last
    const { content, items } = takeOverIndented(paragraph)
    const base = this.base()
    if (item?.pending && item.quotes === this.quotes) this.readItem(joinedLine(content), base)
    else yield* this.readLines(content)
    const tabs = this.items.at(-1)?.tabs ?? 0
    for (const { type, depth, content: nested } of items) {
      this.readItem(joinedLine(nested), { ...base, type, tabs: tabs + depth })
      yield
    }
  }

  private *readLines(content: string): Steps<void> {
    const deep = atQuoteLimit(this.quotes)
    const trimmed = content.includes("|") && !deep ? trimmedLines(content) : []
    const table = tableStart(trimmed)
    for (const line of logicalLines(table === -1 ? content : trimmed.slice(0, table).join("\n"))) {
      const source = deep ? withoutQuoteMarks(line) : line
      if (source !== "") this.addLine(source, this.base())
      yield
    }
    if (table !== -1) yield* this.readRaw(trimmed.slice(table).map((row) => this.links.inlined(row)))
  }

  private readItem(line: string, base: ParsedThing): void {
    const box = taskBox.exec(line)
    if (box === null) return this.addLine(line, base)
    const [completed, canceled] = [box[1] === "x" || box[1] === "X", box[1] === "-"]
    this.addLine(line.slice(box[0].length), { ...base, type: "todo", completed, canceled })
  }

  private readCode(token: Token): void {
    const note = readNote(token)
    const owner = this.items.at(-1)
    if (note !== undefined && owner !== undefined && owner.note === "" && !this.open.last?.pending) {
      this.items[this.items.length - 1] = { ...owner, note }
      return
    }
    const text = token.content.replace(/\n$/, "")
    const { language, annotation } = readFenceInfo(token.info.trim())
    this.add(annotated({ ...this.base(), quote: false, code: true, text, markup: language }, annotation))
  }

  private *readHtml(content: string): Steps<void> {
    yield* this.readRaw(htmlLines(content))
  }

  /** Adds lines verbatim, one thing each; marked as a raw run unless they are the text of an item. */
  private *readRaw(lines: ReadonlyArray<string>): Steps<void> {
    const together = this.open.last?.pending !== true
    for (const [index, text] of lines.entries()) {
      const markup = !together ? "" : index === 0 ? firstRaw : furtherRaw
      this.add({ ...this.base(), text, markup })
      yield
    }
  }

  private readDefinition(token: Token): void {
    const { label } = token.meta as { readonly label: string }
    for (const line of token.content.split("\n")) {
      const thing = { ...this.base(), text: line.trim() }
      this.definitions.set(thing, label)
      this.items.push(thing)
    }
    const item = this.open.last
    if (item !== undefined) item.described = true
  }
}

/** Collects definitions in a first pass, since they may follow the links that use them. */
function* referencesOf(markdown: string, maxLeaves: number): Steps<References> {
  const references: References = Object.create(null)
  if (!markdown.includes("]:")) return references
  for (const _ of blocks(markdown, { maxLeaves, references })) yield
  return references
}

/**
 * The things of a markdown document in document order; docs/markdown.md has the mapping. Undefined, without reading
 * further, when the document has more than `max` non-blank things.
 */
export function* parseSteps(
  markdown: string,
  options: ParseOptions & { readonly max: number }
): Steps<ParsedMarkdown | undefined> {
  const { title, max } = options
  try {
    const { matter, rest } = takeFrontMatter(markdown)
    const references = yield* referencesOf(rest, max)
    const reader = new Reader(title === "first-heading", references)
    if (matter !== undefined) reader.readFrontMatter(matter)
    for (const tokens of blocks(rest, { maxLeaves: max, references })) {
      for (const token of tokens) yield* reader.read(token)
      if (reader.things > max) return undefined
      yield
    }
    return reader.finish()
  } catch (error) {
    if (error instanceof TooManyBlocks) return undefined
    throw error
  }
}

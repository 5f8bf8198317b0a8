import type { Token } from "markdown-it"
import { fenceAnnotation } from "./Annotation.ts"
import { atQuoteLimit, blocks, withoutQuoteMarks } from "./Blocks.ts"
import { readNote } from "./NoteFence.ts"
import { takeOverIndented } from "./OverIndented.ts"
import { annotated, type ParsedThing, plainThing } from "./ParsedThing.ts"
import { dialectOf, joinedLine, logicalLines } from "./Source.ts"
import { readLine } from "./ThingLine.ts"

export type { ParsedThing } from "./ParsedThing.ts"

export interface ParsedMarkdown {
  /** Undefined when no title was asked for or the document has none. */
  readonly title: string | undefined
  readonly items: ReadonlyArray<ParsedThing>
}

/** A list item that is open. */
interface OpenItem {
  readonly type: "bullet" | "number"
  /** Of the item's own thing, once it is read; what lies in the item is one deeper. */
  tabs: number
  /** Nothing of the item has been read yet: its first block is the thing itself. */
  pending: boolean
  /** How many quotes were open where the item began. */
  readonly quotes: number
}

const taskBox = /^\[([ xX-])\](?:[ \t\n]+|$)/

class Reader {
  readonly items: Array<ParsedThing> = []
  title: string | undefined = undefined
  private readonly wantsTitle: boolean
  private readonly open: Array<OpenItem> = []
  private quotes = 0
  private heading = 0

  constructor(wantsTitle: boolean) {
    this.wantsTitle = wantsTitle
  }

  read(token: Token): void {
    switch (token.type) {
      case "bullet_list_open":
      case "ordered_list_open":
        return this.flush()
      case "list_item_open":
        return this.openItem(token.info === "" ? "bullet" : "number")
      case "list_item_close":
        this.flush()
        this.open.pop()
        return
      case "blockquote_open":
        this.quotes++
        return
      case "blockquote_close":
        this.quotes--
        return
      case "heading_open":
        this.heading = Number(token.tag.slice(1))
        return
      case "inline":
        return this.heading > 0 ? this.readHeading(token.content) : this.readParagraph(token.content)
      case "fence":
      case "code_block":
        return this.readCode(token)
      case "html_block":
        return this.readHtml(token.content)
    }
  }

  private openItem(type: "bullet" | "number"): void {
    const parent = this.open.at(-1)
    this.open.push({ type, tabs: parent === undefined ? 0 : parent.tabs + 1, pending: true, quotes: this.quotes })
  }

  /** What the next block is read over: the open item itself, or a plain thing inside it. */
  private base(): ParsedThing {
    const item = this.open.at(-1)
    const quote = this.quotes > 0
    if (item === undefined) return { ...plainThing, quote }
    if (!item.pending) return { ...plainThing, quote, tabs: item.tabs + 1 }
    return { ...plainThing, quote, tabs: item.tabs, type: item.type }
  }

  private add(...things: ReadonlyArray<ParsedThing>): void {
    const item = this.open.at(-1)
    if (item?.pending) {
      item.pending = false
      item.tabs = things[0]?.tabs ?? item.tabs
    }
    this.items.push(...things)
  }

  /** An item in which nothing stands before its nested list, or nothing at all. */
  private flush(): void {
    if (this.open.at(-1)?.pending) this.add(this.base())
  }

  private readHeading(content: string): void {
    const depth = this.heading
    this.heading = 0
    const line = joinedLine(content)
    const top = this.open.length === 0 && this.quotes === 0
    if (depth === 1 && top && this.wantsTitle && this.title === undefined && line !== "") {
      this.title = dialectOf(line)
      return
    }
    const header = depth <= 2
    this.add(...readLine(line, { ...this.base(), header, subheader: !header, bold: true }))
  }

  private readParagraph(paragraph: string): void {
    const item = this.open.at(-1)
    const { content, items } = takeOverIndented(paragraph)
    const base = this.base()
    if (item?.pending && item.quotes === this.quotes) this.readItem(joinedLine(content), base)
    else this.readLines(content)
    const tabs = this.items.at(-1)?.tabs ?? 0
    for (const { type, depth, content: nested } of items)
      this.readItem(joinedLine(nested), { ...base, type, tabs: tabs + depth })
  }

  private readLines(content: string): void {
    const deep = atQuoteLimit(this.quotes)
    for (const line of logicalLines(content)) {
      const source = deep ? withoutQuoteMarks(line) : line
      if (source !== "") this.add(...readLine(source, this.base()))
    }
  }

  private readItem(line: string, base: ParsedThing): void {
    const box = taskBox.exec(line)
    if (box === null) return this.add(...readLine(line, base))
    const [completed, canceled] = [box[1] === "x" || box[1] === "X", box[1] === "-"]
    this.add(...readLine(line.slice(box[0].length), { ...base, type: "todo", completed, canceled }))
  }

  private readCode(token: Token): void {
    const note = readNote(token)
    const owner = this.items.at(-1)
    if (note !== undefined && owner !== undefined && owner.note === "" && !this.open.at(-1)?.pending) {
      this.items[this.items.length - 1] = { ...owner, note }
      return
    }
    const text = token.content.replace(/\n$/, "")
    this.add(annotated({ ...this.base(), quote: false, code: true, text }, fenceAnnotation(token.info.trim())))
  }

  private readHtml(content: string): void {
    for (const line of content.split("\n")) {
      const text = line.trim()
      if (text !== "") this.add({ ...this.base(), text })
    }
  }
}

/**
 * The things of a markdown document in its order; docs/markdown.md has the mapping. With `first-heading` the
 * first heading of the first level that stands in no list and no quote is the title and no thing.
 */
export const parseMarkdown = (
  markdown: string,
  options: { readonly title: "first-heading" | "none" }
): ParsedMarkdown => {
  const reader = new Reader(options.title === "first-heading")
  for (const token of blocks(markdown)) reader.read(token)
  return { title: reader.title, items: reader.items }
}

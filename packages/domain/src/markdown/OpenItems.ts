/** An open list item. */
export interface OpenItem {
  readonly type: "bullet" | "number"
  /** The column (0-based) of its marker. */
  readonly column: number
  /** The depth of the item's own thing, once it is read; content of the item is one deeper. */
  tabs: number
  /** Nothing of the item has been read yet: its first block becomes the item's own thing. */
  pending: boolean
  /** It contains a link definition, so it is not empty even without other content. */
  described: boolean
  /** The number of quotes open where the item began. */
  readonly quotes: number
}

/** Minimum indentation, in columns, of an item nested in the one above it. */
const minIndent = 2

/**
 * The open list items, each within the one before it, along with the items directly above them: an item indented by
 * less than the text above it can nest in that item, although CommonMark makes them siblings.
 */
export class OpenItems {
  private readonly items: Array<OpenItem> = []
  /** By the number of enclosing items: the items above, each nested in the one before it. */
  private readonly above: Array<Array<OpenItem>> = []

  get last(): OpenItem | undefined {
    return this.items.at(-1)
  }

  push(type: OpenItem["type"], column: number, quotes: number): void {
    const depth = this.items.length
    const above = (this.above[depth] ??= [])
    while ((above.at(-1)?.column ?? -minIndent) + minIndent > column) above.pop()
    const parent = above.at(-1) ?? this.last
    const tabs = parent === undefined ? 0 : parent.tabs + 1
    const item: OpenItem = { type, column, tabs, pending: true, described: false, quotes }
    above.push(item)
    this.items.push(item)
    this.above.length = depth + 1
  }

  pop(): void {
    this.items.pop()
  }

  /** Another block separates the items above from what follows. */
  interrupt(): void {
    this.above.length = Math.min(this.above.length, this.items.length)
  }
}

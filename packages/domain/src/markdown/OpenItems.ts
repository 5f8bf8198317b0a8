/** A list item that is open. */
export interface OpenItem {
  readonly type: "bullet" | "number"
  /** Where its marker stands, from 0. */
  readonly column: number
  /** Of the item's own thing, once it is read; what lies in the item is one deeper. */
  tabs: number
  /** Nothing of the item has been read yet: its first block is the thing itself. */
  pending: boolean
  /** A definition of a link stands in it, so that it says something though nothing else does. */
  described: boolean
  /** How many quotes were open where the item began. */
  readonly quotes: number
}

/** Columns by which an item is indented at least to be nested in the one above it. */
const leastIndent = 2

/**
 * The list items that are open, each within the one before it, with those that stand directly above one: an item can be
 * nested in such a one though by the letter of CommonMark it is its neighbor, being indented by less than the text above.
 */
export class OpenItems {
  private readonly items: Array<OpenItem> = []
  /** By the number of items around: those above, each nested in the one before it. */
  private readonly above: Array<Array<OpenItem>> = []

  get last(): OpenItem | undefined {
    return this.items.at(-1)
  }

  push(type: OpenItem["type"], column: number, quotes: number): void {
    const depth = this.items.length
    const above = (this.above[depth] ??= [])
    while ((above.at(-1)?.column ?? -leastIndent) + leastIndent > column) above.pop()
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

  /** Another block stands between what is above and what follows. */
  interrupt(): void {
    this.above.length = Math.min(this.above.length, this.items.length)
  }
}

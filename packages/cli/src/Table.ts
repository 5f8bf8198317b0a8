import { withoutControls } from "./ControlCharacters.ts"
import type { Terminal } from "./Terminal.ts"

/** Rows under headings. */
export interface Table {
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** Shown in place of a table without rows. */
  readonly none?: string
}

/** `none` of a table that is a page, of which the first is 0. */
export const noneOnPage = (page: number, none: string): string =>
  page === 0 ? none : `Page ${page} is beyond the last page; the first one is 0.`

/** Cells that a text takes on a terminal. */
type Width = (text: string) => number

const plain = /^[ -~]*$/

/**
 * Loads `string-width` only for texts beyond ASCII: it compiles a table of all emoji when loaded, which takes 20 ms.
 */
const widthFor = async (texts: Iterable<string>): Promise<Width> => {
  for (const text of texts) if (!plain.test(text)) return (await import("string-width")).default
  return (text) => text.length
}

const gap = 2

/** Minimum cells of a column that is narrowed; a wider heading raises it. */
const minWidth = 12

/**
 * The text of a table; each column is as wide as its widest cell. If the terminal is narrower, the widest columns are
 * narrowed and their cells wrapped, but never the first column, which names the row.
 */
export const layOut = async (terminal: Terminal, { heads, none, rows }: Table): Promise<string> => {
  if (rows.length === 0 && none !== undefined) return none
  const shown = rows.map((row) => row.map(withoutControls))
  const widthOf = await widthFor([...heads, ...shown.flat()])
  const natural = heads.map((head, column) =>
    shown.reduce((max, row) => Math.max(max, widthOf(row[column] ?? "")), widthOf(head))
  )
  const widths = terminal.outIsTerminal
    ? fitted(
        natural,
        heads.map((head) => widthOf(head)),
        terminal.columns
      )
    : natural
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell, column) => cell + " ".repeat(Math.max(0, widths[column]! - widthOf(cell))))
      .join(" ".repeat(gap))
      .trimEnd()
  const linesOf = (row: ReadonlyArray<string>): ReadonlyArray<string> => {
    const broken = widths.map((width, column) => brokenAt(row[column] ?? "", width, widthOf))
    const height = Math.max(...broken.map((lines) => lines.length))
    return Array.from({ length: height }, (_, at) => line(broken.map((lines) => lines[at] ?? "")))
  }
  return [terminal.paint("bold", line(heads)), ...shown.flatMap(linesOf)].join("\n")
}

/** Column widths that fit into `columns` cells if possible; the widest are narrowed first. */
const fitted = (
  natural: ReadonlyArray<number>,
  heads: ReadonlyArray<number>,
  columns: number
): ReadonlyArray<number> => {
  const widths = [...natural]
  const least = heads.map((head, column) => Math.min(natural[column]!, Math.max(head, minWidth)))
  let excess = widths.reduce((sum, width) => sum + width + gap, -gap) - columns
  while (excess > 0) {
    const spare = widths.map((width, column) => (column === 0 || width <= least[column]! ? 0 : width))
    const widest = spare.indexOf(Math.max(...spare))
    if (spare[widest] === 0) break
    widths[widest]!--
    excess--
  }
  return widths
}

let segmenter: Intl.Segmenter | undefined

/** The grapheme clusters of a word. */
const charactersOf = (word: string): ReadonlyArray<string> =>
  plain.test(word) ? [...word] : [...(segmenter ??= new Intl.Segmenter()).segment(word)].map(({ segment }) => segment)

/** The lines of a cell, broken between words, or within one that is wider than a line. */
const brokenAt = (cell: string, width: number, widthOf: Width): ReadonlyArray<string> => {
  if (widthOf(cell) <= width) return [cell]
  const pieces = cell.split(/(?<= )/).flatMap((word) => (widthOf(word) <= width ? [word] : charactersOf(word)))
  const lines: Array<string> = []
  let [line, taken] = ["", 0]
  for (const piece of pieces) {
    const needed = widthOf(piece.trimEnd())
    if (taken + needed > width) {
      lines.push(line.trimEnd())
      ;[line, taken] = ["", 0]
    }
    line += piece
    taken += widthOf(piece)
  }
  return [...lines, line.trimEnd()].filter((each) => each !== "")
}

/** One name and value per line; names are padded to the widest. */
export const facts = (terminal: Terminal, pairs: ReadonlyArray<readonly [string, string]>): string => {
  const widest = Math.max(...pairs.map(([name]) => name.length))
  return pairs
    .map(([name, value]) => `${terminal.paint("dim", name.padEnd(widest))}  ${withoutControls(value)}`.trimEnd())
    .join("\n")
}

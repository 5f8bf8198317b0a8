import stringWidth from "string-width"
import type { Terminal } from "./Terminal.ts"

/** Without control characters, which a terminal would obey, whoever sent them. */
export const harmless = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd")

/** A table with headings; each column is as wide as its widest cell is on the terminal. */
export const table = (
  terminal: Terminal,
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): string => {
  const shown = rows.map((row) => row.map(harmless))
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...shown.map((row) => row[column] ?? "")].map((cell) => stringWidth(cell)))
  )
  const format = (row: ReadonlyArray<string>) =>
    row
      .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(cell))))
      .join("  ")
      .trimEnd()
  return [terminal.paint("bold", format(heads)), ...shown.map(format)].join("\n")
}

/** One name and value per line; names are padded to the widest. */
export const facts = (terminal: Terminal, pairs: ReadonlyArray<readonly [string, string]>): string => {
  const widest = Math.max(...pairs.map(([name]) => name.length))
  return pairs
    .map(([name, value]) => `${terminal.paint("dim", name.padEnd(widest))}  ${harmless(value)}`.trimEnd())
    .join("\n")
}

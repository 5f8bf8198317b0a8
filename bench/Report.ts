import type { Row } from "./Rows.ts"

const shown = (row: Row): ReadonlyArray<string> => [
  row.row,
  row.what,
  row.goal,
  row.by === "absolute" ? "" : row.ratio.toFixed(2),
  row.met ? "met" : "NOT met",
  row.tail === undefined || !Number.isFinite(row.tail) ? "" : row.tail.toFixed(2),
  row.ours,
  row.floor
]

const heads = ["row", "what", "goal", "ratio", "", "p99", "ours", "floor"]

/** Prints a table to standard output. */
export const printTable = (rows: ReadonlyArray<Row>): void => {
  const lines = [heads, ...rows.map(shown)]
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd()
    )
}

export const toMarkdown = (rows: ReadonlyArray<Row>): string =>
  [heads, heads.map(() => "---"), ...rows.map(shown)].map((line) => `| ${line.join(" | ")} |\n`).join("")

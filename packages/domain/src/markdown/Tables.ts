/** The number of columns of a table row: bars separate them and may enclose the row; a backslash escapes a bar. */
export const columnsOf = (row: string): number => {
  const line = row.trim()
  let bars = 0
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++
    else if (line[at] === "|") bars++
  }
  return bars + 1 - (line.startsWith("|") ? 1 : 0) - (line.endsWith("|") && !line.endsWith("\\|") ? 1 : 0)
}

/** Whether a line is the delimiter row of a table: dashes between bars, with colons for alignment. */
export const isDivider = (line: string): boolean =>
  /^[-:|][-:| \t]*$/.test(line) &&
  line.includes("|") &&
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .every((cell) => /^:?-+:?$/.test(cell.trim()))

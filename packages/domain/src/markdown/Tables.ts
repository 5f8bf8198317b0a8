/** How many columns a row of a table has: bars between them, and at its ends or not; a backslash takes one's meaning. */
export const columnsOf = (row: string): number => {
  const line = row.trim()
  let bars = 0
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++
    else if (line[at] === "|") bars++
  }
  return bars + 1 - (line.startsWith("|") ? 1 : 0) - (line.endsWith("|") && !line.endsWith("\\|") ? 1 : 0)
}

/** Whether a line divides the head of a table from its body: dashes between bars, with colons for the alignment. */
export const isDivider = (line: string): boolean =>
  /^[-:|][-:| \t]*$/.test(line) &&
  line.includes("|") &&
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .every((cell) => /^:?-+:?$/.test(cell.trim()))

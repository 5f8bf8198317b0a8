import { columnsOf, isDivider } from "./Tables.ts"

/** The `markup` of things that are lines of a table or of HTML: these are parsed and written verbatim, not as text. */
export const firstRaw = "raw"
export const furtherRaw = "raw+"

/** The index of the line at which a table begins that extends to the end of the paragraph; -1 without one. */
export const tableStart = (lines: ReadonlyArray<string>): number =>
  lines.findIndex((line, index) => {
    const divider = lines[index + 1]
    return divider !== undefined && isDivider(divider) && columnsOf(divider) === columnsOf(line)
  })

/** The lines of an HTML block as texts of things: blank lines become line breaks of the line above. */
export const htmlLines = (content: string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let blank = 0
  for (const line of content.split("\n")) {
    const text = line.trimEnd()
    if (text === "") blank++
    else {
      const last = texts.length - 1
      if (last >= 0) texts[last] += "\n".repeat(blank)
      texts.push(text)
      blank = 0
    }
  }
  return texts
}

/**
 * Items indented too far for CommonMark to read them as a nested list, or by less than the text above them but more
 * than its list: by CommonMark they continue the paragraph above, but the author meant items below it.
 */
export interface OverIndented {
  readonly type: "bullet" | "number"
  /** Nesting depth below the paragraph, from 1. */
  readonly depth: number
  /** Without its marker; several lines where the text is wrapped. */
  readonly content: string
}

/** Columns of indentation from which a list marker no longer begins a list. */
const codeIndent = 4
const marked = /^([ \t]*)(?:[-+*]|(\d{1,9}[.)]))[ \t]+(?=\S)/
/** Matches paragraphs that may contain such items. */
const candidate = /\n[ \t]*[-+*\d]/

const columns = (indent: string): number => {
  let width = 0
  for (const char of indent) width += char === "\t" ? 4 - (width % 4) : 1
  return width
}

/** Splits a paragraph into its own text and the over-indented items that follow. */
export const takeOverIndented = (
  paragraph: string
): { readonly content: string; readonly items: ReadonlyArray<OverIndented> } => {
  if (!candidate.test(paragraph)) return { content: paragraph, items: [] }
  const own: Array<string> = []
  const items: Array<{ readonly type: "bullet" | "number"; readonly depth: number; readonly lines: Array<string> }> = []
  const indents: Array<number> = []
  for (const line of paragraph.split("\n")) {
    const match = marked.exec(line)
    const indent = columns(match?.[1] ?? "")
    // A bullet and the number 1 begin a list anywhere else, and other numbers only where one is.
    const begins = indent >= codeIndent || items.length > 0 || /^(?:1[.)])?$/.test(match?.[2] ?? "")
    if (match === null || own.length === 0 || !begins) (items.at(-1)?.lines ?? own).push(line)
    else {
      while ((indents.at(-1) ?? -1) >= indent) indents.pop()
      indents.push(indent)
      const type = match[2] === undefined ? "bullet" : "number"
      items.push({ type, depth: indents.length, lines: [line.slice(match[0].length)] })
    }
  }
  return {
    content: own.join("\n"),
    items: items.map(({ type, depth, lines }) => ({ type, depth, content: lines.join("\n") }))
  }
}

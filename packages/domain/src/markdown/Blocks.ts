import MarkdownIt, { type Token } from "markdown-it"

/**
 * The block structure of a document: markdown-it with its inline rules left out, since texts keep their markup.
 * Link reference definitions stay lines of text. Depth is bounded, so that no document can exhaust the stack or
 * make the parser look at one line once for each of thousands of levels; what lies deeper stays, as text.
 */
export const parser = new MarkdownIt("commonmark", { maxNesting: Infinity })
parser.block.ruler.disable("reference")

/** Levels of `>` that are told apart; more of them on one line are stripped by `withoutQuoteMarks`. */
const maxQuotes = 4
/** Levels of markdown-it, of which a list takes two. */
const maxLevel = 400

/** How many quotes are open is kept in the parser's `env` of the one document. */
const openQuotes = (env: Record<PropertyKey, unknown>): number =>
  typeof env["quotes"] === "number" ? env["quotes"] : 0

const rule = (name: string) => {
  const found = parser.block.ruler.getRules("").find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`markdown-it has no block rule ${name}`)
  return found
}

const [blockquote, list] = [rule("blockquote"), rule("list")]

parser.block.ruler.at(
  "blockquote",
  (state, start, end, silent) => {
    const open = openQuotes(state.env)
    if (open >= maxQuotes) return false
    if (!silent) state.env["quotes"] = open + 1
    const matched = blockquote(state, start, end, silent)
    state.env["quotes"] = open
    return matched
  },
  { alt: ["paragraph", "blockquote", "list"] }
)

parser.block.ruler.at(
  "list",
  (state, start, end, silent) => state.level < maxLevel && list(state, start, end, silent),
  { alt: ["paragraph", "blockquote"] }
)

/** Whether `quotes` open block quotes are as many as are told apart. */
export const atQuoteLimit = (quotes: number): boolean => quotes >= maxQuotes

export const withoutQuoteMarks = (line: string): string => line.replace(/^(?:>[ \t]?)+/, "")

/** The tokens of a document; a leading BOM is skipped, and CR LF and CR end a line as LF does. */
export const blocks = (markdown: string): ReadonlyArray<Token> => {
  const source = markdown.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const tokens: Array<Token> = []
  parser.block.parse(source, parser, {}, tokens)
  return tokens
}

import MarkdownIt, { type Env, type StateBlock, type Token } from "markdown-it"

/**
 * The block structure of a document: markdown-it with its inline rules left out, since texts keep their markup.
 * Depth is bounded, so that no document can exhaust the stack or make the parser look at one line once for each of
 * thousands of levels; what lies deeper stays, as text.
 */
export const parser = new MarkdownIt("commonmark", { maxNesting: Infinity })
// Addresses of definitions stay as they are written, like those of other links.
parser.normalizeLink = (url) => url
parser.validateLink = () => true

/** The longest title of a definition. */
const maxTitle = 10_000
const { parseLinkTitle } = parser.helpers
parser.helpers = {
  ...parser.helpers,
  parseLinkTitle: (source, start, max, before) => {
    const title = parseLinkTitle(source, start, max, before)
    return title.str.length > maxTitle ? { ...title, ok: false, can_continue: false } : title
  }
}

/** Levels of `>` that are told apart; more of them on one line are stripped by `withoutQuoteMarks`. */
const maxQuotes = 4
/**
 * Lines after which a paragraph or a quote is read on as another one: no document within the caps on texts and things
 * has a paragraph as long as that.
 */
const maxLines = 20_000
/** Levels of markdown-it, of which a list takes two. */
const maxLevel = 400
/** Characters after which a list at the top is read on as another list, where one of its items begins. */
const chunkSize = 16_384

/** What is known of the one document that is parsed, kept in the parser's `env`. */
interface DocumentEnv extends Env {
  /** How many quotes are open. */
  quotes: number
  /** The line that `tail` is of. */
  line: number
  /** Where what the line ends with begins: nothing but white space and one character, again and again. */
  tail: number
  /** The line at which a list at the top may end, though it goes on; of a line before it. */
  bound: number
  /** Paragraphs, headings, code blocks and blocks of HTML so far. */
  leaves: number
}

const envOf = (state: StateBlock): DocumentEnv => state.env as DocumentEnv

const rule = (name: string) => {
  const found = parser.block.ruler.getRules("").find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`markdown-it has no block rule ${name}`)
  return found
}

const [blockquote, hr, list, reference] = [rule("blockquote"), rule("hr"), rule("list"), rule("reference")]
const [heading, paragraph] = [rule("lheading"), rule("paragraph")]

parser.block.ruler.at(
  "blockquote",
  (state, start, end, silent) => {
    const env = envOf(state)
    if (env.quotes >= maxQuotes) return false
    if (!silent) env.quotes++
    const matched = blockquote(state, start, env.quotes === 1 ? Math.min(end, start + maxLines) : end, silent)
    if (!silent) env.quotes--
    return matched
  },
  { alt: ["paragraph", "reference", "blockquote", "list"] }
)

parser.block.ruler.at("lheading", (state, start, end, silent) =>
  heading(state, start, Math.min(end, start + maxLines), silent)
)
parser.block.ruler.at("paragraph", (state, start, end, silent) =>
  paragraph(state, start, Math.min(end, start + maxLines), silent)
)

const isSpace = (code: number): boolean => code === 32 || code === 9

const tailOf = (state: StateBlock, line: number): number => {
  const { src } = state
  const least = state.bMarks[line] ?? 0
  let at = state.eMarks[line] ?? 0
  while (at > least && isSpace(src.charCodeAt(at - 1))) at--
  const marker = src.charCodeAt(at - 1)
  while (at > least && (src.charCodeAt(at - 1) === marker || isSpace(src.charCodeAt(at - 1)))) at--
  return at
}

/** Looks at a line once, not once for each of the lists that begin on it. */
parser.block.ruler.at(
  "hr",
  (state, start, end, silent) => {
    const env = envOf(state)
    if (env.line !== start) Object.assign(env, { line: start, tail: tailOf(state, start) })
    const at = (state.bMarks[start] ?? 0) + (state.tShift[start] ?? 0)
    return at >= env.tail && hr(state, start, end, silent)
  },
  { alt: ["paragraph", "reference", "blockquote", "list"] }
)

const beginsItem = /(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/my

/** Whether no item of a list at the top can go on in this line, whatever stands in it. */
const endsItems = (state: StateBlock, line: number): boolean => {
  if (state.sCount[line] !== 0 || state.isEmpty(line)) return false
  beginsItem.lastIndex = state.bMarks[line] ?? 0
  return state.isEmpty(line - 1) || beginsItem.test(state.src)
}

const boundOf = (state: StateBlock, start: number): number => {
  const env = envOf(state)
  if (env.bound > start) return env.bound
  const least = (state.bMarks[start] ?? 0) + chunkSize
  let line = start + 1
  while (line < state.lineMax && ((state.bMarks[line] ?? 0) < least || !endsItems(state, line))) line++
  env.bound = line
  return line
}

parser.block.ruler.at(
  "list",
  (state, start, end, silent) => {
    if (silent) return list(state, start, end, true)
    if (state.level >= maxLevel) return false
    return list(state, start, state.level === 0 ? Math.min(end, boundOf(state, start)) : end, false)
  },
  { alt: ["paragraph", "reference", "blockquote"] }
)

/** A definition's token has the definition as it is written. */
parser.block.ruler.at("reference", (state, start, end, silent) => {
  const tokens = state.tokens.length
  if (!reference(state, start, end, silent)) return false
  const token = state.tokens[tokens]
  if (token !== undefined) token.content = state.getLines(start, state.line, state.blkIndent, false)
  return true
})

/** Whether `quotes` open block quotes are as many as are told apart. */
export const atQuoteLimit = (quotes: number): boolean => quotes >= maxQuotes

export const withoutQuoteMarks = (line: string): string => line.replace(/^(?:>[ \t]?)+/, "")

/** The column of the marker of a list item, from 0, counted from where the quote around it begins. */
export const columnOf = (token: Token): number => (token.meta as { readonly column: number }).column

/** Blocks that a thing, or several, are made of. */
const leaves = new Set(["inline", "fence", "code_block", "html_block"])

/** A document with more blocks than asked for. */
export class TooManyBlocks extends Error {}

/** The definitions of a document by their normalized labels. */
export type References = NonNullable<Env["references"]>

export interface BlockOptions {
  readonly mostLeaves: number
  /** Where definitions are added, unless their label is there already. */
  readonly references: References
}

/** A leading BOM is skipped, and CR LF and CR end a line as LF does. */
const stateOf = (markdown: string, { mostLeaves, references }: BlockOptions): StateBlock => {
  const source = markdown.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const env: DocumentEnv = { quotes: 0, line: -1, tail: 0, bound: 0, leaves: 0, references }
  const state = new parser.block.State(source, parser, env, [])
  const push = state.push.bind(state)
  state.push = (type, tag, nesting) => {
    const token = push(type, tag, nesting)
    if (type === "list_item_open") token.meta = { column: state.sCount[state.line] ?? 0 }
    if (leaves.has(type) && ++env.leaves > mostLeaves) throw new TooManyBlocks()
    return token
  }
  // Nobody asks whether a list is tight, which markdown-it finds out by a walk over all that stands in it.
  Object.defineProperty(state, "tight", { get: () => false, set() {} })
  return state
}

/**
 * The tokens of a document, a block at the top after the other, a long list in chunks; `TooManyBlocks` beyond
 * `mostLeaves` blocks that hold no others.
 */
export function* blocks(markdown: string, options: BlockOptions): Generator<ReadonlyArray<Token>, void> {
  const state = stateOf(markdown, options)
  const rules = parser.block.ruler.getRules("")
  for (let line = state.skipEmptyLines(0); line < state.lineMax; line = state.skipEmptyLines(state.line)) {
    state.line = line
    rules.some((candidate) => candidate(state, line, state.lineMax, false))
    yield state.tokens
    state.tokens = []
  }
}

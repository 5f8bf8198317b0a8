import MarkdownIt, { type Env, type StateBlock, type Token } from "markdown-it"
import type { Steps } from "../scheduling/Yielding.ts"

/**
 * The block structure of a document: markdown-it without its inline rules, since texts keep their markup. Nesting is
 * bounded, so that no document can exhaust the stack or make the parser scan a line once per level; deeper nesting is
 * read as text.
 */
export const parser = new MarkdownIt("commonmark", { maxNesting: Infinity })
// The addresses of definitions are kept as written, like those of other links.
parser.normalizeLink = (url) => url
parser.validateLink = () => true

/** Maximum length of a definition's title. */
const maxTitle = 10_000
const { parseLinkTitle } = parser.helpers
parser.helpers = {
  ...parser.helpers,
  parseLinkTitle: (source, start, max, before) => {
    const title = parseLinkTitle(source, start, max, before)
    return title.str.length > maxTitle ? { ...title, ok: false, can_continue: false } : title
  }
}

/** Maximum nesting of block quotes; further `>` on a line are stripped by `withoutQuoteMarks`. */
const maxQuotes = 4
/**
 * Lines after which a paragraph or quote is split in two; longer than any paragraph of a document within the caps on
 * texts and things.
 */
const maxLines = 20_000
/** Maximum nesting level in markdown-it, where a list takes two. */
const maxLevel = 400
/** Characters after which a top-level list is split, at the start of one of its items. */
const chunkSize = 16_384
/** Characters after which taking in lines is paused, at the end of a line. */
const sectionSize = 32_768

/** State of the document being parsed, kept in the parser's `env`. */
interface DocumentEnv extends Env {
  /** Number of open block quotes. */
  quotes: number
  /** The line that `tail` refers to. */
  line: number
  /** The offset of the line's tail that consists of white space and a single repeated character. */
  tail: number
  /** The line at which a top-level list may be split; computed for an earlier line. */
  bound: number
  /** Paragraphs, headings, code blocks and HTML blocks so far. */
  leaves: number
}

const envOf = (state: StateBlock): DocumentEnv => state.env as DocumentEnv

const { ruler } = new MarkdownIt("commonmark").block

/** The rules' functions have no names where a bundler has renamed them. */
const rule = (name: string) => {
  ruler.enableOnly(name)
  return ruler.getRules("")[0]!
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

/** Scans a line once, not once per list that begins on it. */
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

/** Whether this line ends every item of a top-level list, whatever it contains. */
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

/** The token of a definition carries its source. Footnotes are text, although some look like definitions. */
parser.block.ruler.at("reference", (state, start, end, silent) => {
  if (state.src.startsWith("[^", (state.bMarks[start] ?? 0) + (state.tShift[start] ?? 0))) return false
  const tokens = state.tokens.length
  if (!reference(state, start, end, silent)) return false
  const token = state.tokens[tokens]
  if (token !== undefined) token.content = state.getLines(start, state.line, state.blkIndent, false)
  return true
})

/** Whether the maximum nesting of block quotes is reached. */
export const atQuoteLimit = (quotes: number): boolean => quotes >= maxQuotes

export const withoutQuoteMarks = (line: string): string => line.replace(/^(?:>[ \t]?)+/, "")

/** The column (0-based) of a list item's marker, relative to the enclosing quote. */
export const columnOf = (token: Token): number => (token.meta as { readonly column: number }).column

/** Blocks that become one or more things. */
const leaves = new Set(["inline", "fence", "code_block", "html_block"])

/** The document has more blocks than allowed. */
export class TooManyBlocks extends Error {}

/** The definitions of a document by normalized label. */
export type References = NonNullable<Env["references"]>

export interface BlockOptions {
  readonly maxLeaves: number
  /** Receives new definitions; the first one of a label wins. */
  readonly references: References
}

/** Where the lines of the source begin and end, as the parser's own constructor finds it, but in steps. */
function* takeLines(state: StateBlock, source: string): Steps<void> {
  state.src = source
  const last = lineEnds(source) + 1
  // Arrays that grow would be copied whole again and again, and each garbage collection would traverse them.
  for (const name of perLine) state[name] = new Int32Array(last + 1) as unknown as Array<number>
  for (let from = 0; from < source.length;) {
    const lineEnd = source.indexOf("\n", from + sectionSize)
    const to = lineEnd === -1 ? source.length : lineEnd + 1
    appendLines(state, new parser.block.State(source.slice(from, to), parser, {}, []), from)
    from = to
    yield
  }
}

const perLine = ["bMarks", "eMarks", "tShift", "sCount", "bsCount"] as const

const lineEnds = (source: string): number => {
  let count = 0
  for (let at = 0; at < source.length; at++) if (source.charCodeAt(at) === 10) count++
  return count
}

/** Replaces the mark of the end, which is the last entry, by the lines of the next section and theirs. */
const appendLines = (state: StateBlock, section: StateBlock, offset: number): void => {
  for (let line = 0; line <= section.lineMax; line++) {
    const at = state.lineMax + line
    state.bMarks[at] = offset + section.bMarks[line]!
    state.eMarks[at] = offset + section.eMarks[line]!
    state.tShift[at] = section.tShift[line]!
    state.sCount[at] = section.sCount[line]!
    state.bsCount[at] = section.bsCount[line]!
  }
  state.lineMax += section.lineMax
}

/** Skips a leading BOM; CR LF and CR end a line as LF does. */
function* stateOf(markdown: string, { maxLeaves, references }: BlockOptions): Steps<StateBlock> {
  const source = markdown.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const env: DocumentEnv = { quotes: 0, line: -1, tail: 0, bound: 0, leaves: 0, references }
  const state = new parser.block.State("", parser, env, [])
  yield* takeLines(state, source)
  const push = state.push.bind(state)
  state.push = (type, tag, nesting) => {
    const token = push(type, tag, nesting)
    if (type === "list_item_open") token.meta = { column: state.sCount[state.line] ?? 0 }
    if (leaves.has(type) && ++env.leaves > maxLeaves) throw new TooManyBlocks()
    return token
  }
  // Whether a list is tight is never read, and markdown-it computes it by walking the whole list.
  Object.defineProperty(state, "tight", { get: () => false, set() {} })
  return state
}

/**
 * The tokens of a document, one top-level block at a time, long lists in chunks; none while its lines are taken in.
 * Throws `TooManyBlocks` beyond `maxLeaves` leaf blocks.
 */
export function* blocks(markdown: string, options: BlockOptions): Generator<ReadonlyArray<Token>, void> {
  const taken = stateOf(markdown, options)
  let step = taken.next()
  for (; step.done !== true; step = taken.next()) yield []
  const state = step.value
  const rules = parser.block.ruler.getRules("")
  for (let line = state.skipEmptyLines(0); line < state.lineMax; line = state.skipEmptyLines(state.line)) {
    state.line = line
    rules.some((candidate) => candidate(state, line, state.lineMax, false))
    yield state.tokens
    state.tokens = []
  }
}

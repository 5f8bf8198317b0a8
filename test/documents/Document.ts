import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import MarkdownIt from "markdown-it"

export const root = join(import.meta.dirname, "../..")

/** Commands that a reader types or tools that an assistant calls, and the answer that the document shows. */
export interface Step {
  readonly kind: "shell" | "console" | "server" | "tools"
  /** The line of the document, counted from 1. */
  readonly line: number
  readonly text: string
  /** Absent if the document shows no answer. */
  readonly shown?: string
  /** The range of lines of `shown` in the document, counted from 0, without the end. */
  readonly shownAt?: readonly [number, number]
}

export interface Document {
  readonly path: string
  /** The day of the transcripts, from the document's comment `<!-- Transcripts of 2026-11-22 … -->`. */
  readonly recorded: string | undefined
  readonly steps: ReadonlyArray<Step>
}

const outputLanguages = new Set(["text", "json", "http", "ics"])
const startsServer = /^(?:\w+=\S+ )*npm start$/

interface Block {
  readonly language: string
  readonly content: string
  readonly lines: readonly [number, number]
}

/**
 * Reads the blocks of a document that can be run. A block of `sh` is typed; a block of output directly after it is
 * its output. A block of `text` with lines that begin with `→` has an assistant's calls and their answers, made
 * with the process that its first line starts (`$ LAT_API_KEY=$KEY lat-mcp --read-only`). In a block of `console`,
 * commands begin with `$`, may fail, and are followed by their output. Blocks without a language are not run.
 */
export const readDocument = (path: string): Document => {
  const text = readFileSync(join(root, path), "utf8")
  const tokens = new MarkdownIt({ html: true }).parse(text, {})
  const blocks = tokens.map((token): Block | undefined =>
    token.type === "fence"
      ? { language: token.info.trim(), content: token.content, lines: token.map as [number, number] }
      : undefined
  )
  return {
    path,
    recorded: /^<!-- Transcripts of (\d{4}-\d\d-\d\d)/m.exec(text)?.[1],
    steps: blocks.flatMap((block, at) => (block === undefined ? [] : stepOf(block, blocks[at + 1])))
  }
}

const stepOf = (block: Block, next: Block | undefined): ReadonlyArray<Step> => {
  const line = block.lines[0] + 1
  if (isSession(block)) return [{ kind: "tools", line, ...shownIn(block) }]
  if (block.language === "console") return [...typedIn(block)]
  if (block.language !== "sh") return []
  const kind = startsServer.test(block.content.trim()) ? "server" : "shell"
  const shown = next !== undefined && outputLanguages.has(next.language) && !isSession(next)
  return [{ kind, line, ...(shown ? shownIn(next) : {}), text: block.content }]
}

/** Each command of a `console` block with the output below it. */
function* typedIn({ content, lines: [first] }: Block): Generator<Step> {
  const lines = content.trimEnd().split("\n")
  const starts = lines.flatMap((line, at) => (line.startsWith("$ ") ? at : []))
  for (const [at, start] of starts.entries()) {
    const end = starts[at + 1] ?? lines.length
    const shown = lines.slice(start + 1, end)
    const [from, to] = [first + 2 + start, first + 1 + end]
    const answer = shown.length === 0 ? {} : { shown: `${shown.join("\n")}\n`, shownAt: [from, to] as const }
    yield { kind: "console", line: from, text: `${lines[start]!.slice(2)}\n`, ...answer }
  }
}

const isSession = ({ content, language }: Block): boolean =>
  language === "text" && /^(?:\$ (?:\w+=\S+ )*lat-mcp.*\n)?→ /.test(content)

const shownIn = ({ content, lines }: Block): Required<Pick<Step, "text" | "shown" | "shownAt">> => ({
  text: content,
  shown: content,
  shownAt: [lines[0] + 1, lines[1] - 1]
})

/** Replaces the outputs in the document by those of the run. */
export const rewrite = (document: Document, seen: ReadonlyMap<Step, string>): void => {
  const path = join(root, document.path)
  const lines = readFileSync(path, "utf8").split("\n")
  for (const step of document.steps.toReversed()) {
    const text = seen.get(step)
    if (text === undefined || step.shownAt === undefined) continue
    const [from, to] = step.shownAt
    lines.splice(from, to - from, ...text.trimEnd().split("\n"))
  }
  writeFileSync(path, lines.join("\n"))
}

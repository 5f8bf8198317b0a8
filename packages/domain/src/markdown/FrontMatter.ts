import { caps } from "../model/Caps.ts"
import { type ParsedThing, plainThing } from "./ParsedThing.ts"

/** The metadata that other programs put before a document: YAML between lines of `---`. */
export interface FrontMatter {
  readonly thing: ParsedThing
  /** Undefined when it has none that is written in one line. */
  readonly title: string | undefined
}

const opening = /^---[ \t]*\n/
const closing = /^(?:---|\.\.\.)[ \t]*$/m
/** The first line begins with a key: what stands between two rules is no front matter. */
const key = /^(?:"[^"\n]*"|'[^'\n]*'|\w[\w.-]*)[ \t]*:[ \t\n]/
const titleLine = /^title[ \t]*:[ \t]+(\S.*)$/m

/** Splits a document into its front matter, in which nothing is markdown, and the rest. */
export const takeFrontMatter = (
  markdown: string
): { readonly matter: FrontMatter | undefined; readonly rest: string } => {
  const none = { matter: undefined, rest: markdown }
  if (!/^\uFEFF?---/.test(markdown)) return none
  const source = markdown.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const start = opening.exec(source)?.[0].length ?? 0
  const after = source.slice(start, start + caps.text)
  const end = closing.exec(after)
  if (start === 0 || end === null || !key.test(after)) return none
  const text = after.slice(0, end.index).trimEnd()
  const thing: ParsedThing = { ...plainThing, code: true, text, markup: "yaml" }
  const title = titleLine.exec(text)?.[1]
  return {
    matter: { thing, title: title === undefined ? undefined : scalar(title.trim()) },
    rest: source.slice(start + end.index + end[0].length)
  }
}

/** The value of a text in one line of YAML, where it needs no parser. */
const scalar = (value: string): string | undefined => {
  if (/^"[^"\\]*"$|^'[^']*'$/.test(value)) return value.slice(1, -1)
  return /^[\s"'|>&*!%@`{}[\],#?-]|:(?: |$)| #/.test(value) ? undefined : value
}

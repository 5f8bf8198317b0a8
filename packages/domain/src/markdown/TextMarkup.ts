import { fold } from "../text/TextFold.ts"
import { emphasisPairs } from "./Emphasis.ts"
import { codeSpans, linkSpans } from "./InlineScan.ts"

/** A part of a thing's text; code is not parsed further. */
export type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "bold" | "italic" | "strike"; readonly children: ReadonlyArray<Inline> }
  | { readonly type: "link"; readonly url: string; readonly children: ReadonlyArray<Inline> }

/** A stretch of text that is markup and is not shown; ordered by `at`. */
interface Marker {
  readonly at: number
  readonly end: number
  readonly opens?: { readonly type: "bold" | "italic" | "strike" } | { readonly type: "link"; readonly url: string }
  readonly closes?: true
  readonly code?: string
}

const markers = (text: string): ReadonlyArray<Marker> => {
  const codes = codeSpans(text, "dialect")
  const links = linkSpans(text, "dialect", codes)
  const found: Array<Marker> = []
  for (const { start, end, fence } of codes)
    found.push({ at: start, end, code: text.slice(start + fence, end - fence) })
  for (const link of links) {
    const url = text.slice(link.urlStart, link.urlEnd)
    found.push({ at: link.start, end: link.labelStart, opens: { type: "link", url } })
    found.push({ at: link.labelEnd, end: link.end, closes: true })
  }
  for (const pair of emphasisPairs(text, "dialect", codes, links)) {
    const type = pair.char === "~" ? "strike" : pair.width === 2 ? "bold" : "italic"
    found.push({ at: pair.open, end: pair.open + pair.width, opens: { type } })
    found.push({ at: pair.close, end: pair.close + pair.width, closes: true })
  }
  // Markers never overlap, since an address contains no code span.
  return found.sort((a, b) => a.at - b.at)
}

/** Parses a thing's text into its parts; unpaired markers are text. Not for a thing with `code`. */
export const parseInline = (text: string): ReadonlyArray<Inline> => {
  const root: Array<Inline> = []
  const stack: Array<Array<Inline>> = [root]
  const top = (): Array<Inline> => stack.at(-1) ?? root
  let from = 0
  for (const marker of markers(text)) {
    if (marker.at > from) top().push({ type: "text", text: text.slice(from, marker.at) })
    from = marker.end
    if (marker.code !== undefined) top().push({ type: "code", text: marker.code })
    if (marker.closes) stack.pop()
    if (marker.opens !== undefined) {
      const children: Array<Inline> = []
      top().push({ ...marker.opens, children })
      stack.push(children)
    }
  }
  if (from < text.length) top().push({ type: "text", text: text.slice(from) })
  return root
}

/** The text without its markup; unchanged when it is code. */
export const plainText = (text: string, code: boolean): string => {
  if (code) return text
  let plain = ""
  let from = 0
  for (const marker of markers(text)) {
    plain += text.slice(from, marker.at) + (marker.code ?? "")
    from = marker.end
  }
  return plain + text.slice(from)
}

/** The forms that search compares: the text with and without its markup, folded, without duplicates. */
export const searchForms = (text: string, code: boolean): ReadonlyArray<string> => [
  ...new Set([fold(text), fold(plainText(text, code))])
]

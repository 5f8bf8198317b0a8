import { parser, type References } from "./Blocks.ts"
import { escapeAddress } from "./Escape.ts"
import { codeSpans, linkSpans } from "./InlineScan.ts"

/** Labels of footnotes are no links, although their definitions can look like those of links. */
const isFootnote = (label: string): boolean => label.startsWith("^")

/** Whether the parentheses of an address are balanced, so that they need no escaping. */
const isBalanced = (url: string): boolean => {
  let depth = 0
  for (const char of url) {
    if (char === "(") depth++
    else if (char === ")" && --depth < 0) return false
  }
  return depth === 0
}

/** An address in the form that a thing's text can hold, which has neither escapes nor angle brackets. */
const address = (url: string): string => {
  const plain = url.replace(/[\s\p{Cc}<>`]/gu, encodeURIComponent)
  const paired = isBalanced(plain) ? plain : plain.replace(/[()]/g, (char) => (char === "(" ? "%28" : "%29"))
  return escapeAddress(paired, { pairedParentheses: true })
}

/** Converts the reference links of a document to inline links, and records which definitions were used. */
export class ReferenceLinks {
  private readonly references: References
  private readonly used = new Set<string>()
  private readonly any: boolean

  constructor(references: References) {
    this.references = references
    this.any = Object.keys(references).length > 0
  }

  /** One line of source with `[text](url)` for `[text][label]`, `[label][]` and `[label]`. */
  inlined(source: string): string {
    if (!this.any || !source.includes("]")) return source
    const parts: Array<string> = []
    let from = 0
    for (const { labelEnd, end, reference } of linkSpans(source, "source", codeSpans(source, "source"), this.find)) {
      if (reference === undefined) continue
      this.used.add(reference.label)
      parts.push(source.slice(from, labelEnd), `](${address(reference.url)})`)
      from = end
    }
    return parts.join("") + source.slice(from)
  }

  /** Whether a link used the definition with this normalized label. */
  took(label: string): boolean {
    return this.used.has(label)
  }

  private readonly find = (written: string): { readonly label: string; readonly url: string } | undefined => {
    if (isFootnote(written)) return undefined
    const label = parser.utils.normalizeReference(written)
    const url = this.references[label]?.href ?? ""
    return url === "" ? undefined : { label, url }
  }
}

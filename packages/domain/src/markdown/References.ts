import { caps } from "../model/Caps.ts"
import { inlineAddress } from "./Address.ts"
import { parser, type References } from "./Blocks.ts"
import { codeSpans, linkSpans } from "./InlineScan.ts"
import { isTooLong } from "./Source.ts"

/** Longer addresses are no links: no thing can have one. */
const maxAddress = caps.url

/**
 * Converts the reference links of a document to inline links, and records which definitions are still needed. What
 * they add to a document is bounded: one definition may be referred to from everywhere.
 */
export class ReferenceLinks {
  private readonly references: References
  private readonly any: boolean
  private readonly addresses = new Map<string, string>()
  private readonly used = new Set<string>()
  /** Labels of links that stay as they are written. */
  private readonly kept = new Set<string>()
  /** Characters that may still be added. */
  private room: number = caps.markdown

  constructor(references: References) {
    this.references = references
    this.any = Object.keys(references).length > 0
  }

  /**
   * One line of source with `[text](url)` for `[text][label]`, `[label][]` and `[label]`; as it is where it would be
   * longer than `max` characters, or the document by more than a document may have.
   */
  inlined(source: string, max: number = caps.text): string {
    if (!this.any || !source.includes("]") || isTooLong(source)) return source
    const parts: Array<string> = []
    let [from, length] = [0, source.length]
    const labels: Array<string> = []
    for (const { labelEnd, end, reference } of linkSpans(source, "source", codeSpans(source, "source"), this.find)) {
      if (reference === undefined) continue
      labels.push(reference.label)
      const inline = `](${reference.url})`
      length += inline.length - (end - labelEnd)
      parts.push(source.slice(from, labelEnd), inline)
      from = end
    }
    if (labels.length === 0) return source
    const added = Math.max(0, length - source.length)
    const fits = length <= max && added <= this.room
    for (const label of labels) (fits ? this.used : this.kept).add(label)
    if (!fits) return source
    this.room -= added
    return parts.join("") + source.slice(from)
  }

  /** Whether every link to the definition with this normalized label has its address, and there is one. */
  took(label: string): boolean {
    return this.used.has(label) && !this.kept.has(label)
  }

  private readonly find = (written: string): { readonly label: string; readonly url: string } | undefined => {
    const label = parser.utils.normalizeReference(written)
    const url = this.addressOf(label)
    return url === "" ? undefined : { label, url }
  }

  private addressOf(label: string): string {
    const known = this.addresses.get(label)
    if (known !== undefined) return known
    const url = this.references[label]?.href ?? ""
    const made = url.length > maxAddress ? "" : inlineAddress(url)
    this.addresses.set(label, made)
    return made
  }
}

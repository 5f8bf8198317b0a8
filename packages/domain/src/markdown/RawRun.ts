import type { Thing } from "../model/Thing.ts"
import type { Steps } from "../scheduling/Yielding.ts"
import { annotationWords } from "./Annotation.ts"
import { annotationOf, blockForm } from "./Form.ts"
import { parseSteps } from "./MarkdownImport.ts"
import { plainThing } from "./ParsedThing.ts"
import { firstRaw, furtherRaw } from "./RawLines.ts"

/** Whether a thing has nothing but its line, at the depth implied by the enclosing lists. */
const isLine = (thing: Thing, next: Thing | undefined, natural: number): boolean => {
  const { kind } = blockForm(thing, next !== undefined && next.tabs > thing.tabs)
  const base = { ...plainThing, quote: thing.quote, tabs: natural }
  return (
    (kind === "block" || kind === "quote") &&
    thing.url === "" &&
    thing.photos.length === 0 &&
    !(thing.quote && thing.text.includes("\n")) &&
    annotationWords(annotationOf(thing, base)) === ""
  )
}

export const sourceOf = (lines: ReadonlyArray<Thing>): string => lines.map(({ text }) => text).join("\n")

const end = "end"

/** Whether the lines together parse back as the same table or HTML, ending where they end. */
function* readsBack(lines: ReadonlyArray<Thing>): Steps<boolean> {
  const parsed = yield* parseSteps(`${sourceOf(lines)}\n\n${end}`, { title: "none", max: Infinity })
  const items = parsed?.items ?? []
  const last = items[lines.length]
  return (
    items.length === lines.length + 1 &&
    last?.text === end &&
    last.markup === "" &&
    lines.every(({ text, markup }, index) => items[index]?.text === text && items[index].markup === markup)
  )
}

/**
 * The lines of a table or of HTML that begin at `at` and can be written verbatim at depth `natural`; empty when no such
 * lines begin there or they would not parse back.
 */
export function* rawRun(things: ReadonlyArray<Thing>, at: number, natural: number): Steps<ReadonlyArray<Thing>> {
  const first = things[at]
  if (first?.markup !== firstRaw || !isLine(first, things[at + 1], natural)) return []
  let to = at + 1
  for (let line = things[to]; line?.markup === furtherRaw; line = things[++to]) {
    const same = line.tabs === first.tabs && line.quote === first.quote && things[to - 1]?.note === ""
    if (!same || !isLine(line, things[to + 1], natural)) break
  }
  const lines = things.slice(at, to)
  return (yield* readsBack(lines)) ? lines : []
}

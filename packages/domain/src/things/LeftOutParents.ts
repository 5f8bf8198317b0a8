import type { Steps } from "../scheduling/Yielding.ts"
import type { ThingDraft } from "./ThingDraft.ts"

interface Enclosing {
  readonly tabs: number
  /** Its level once the items that are left out are gone. */
  readonly level: number
  readonly isKept: boolean
}

/**
 * The items of a document that are kept, in order. What is nested under one that is left out takes its level, and never
 * ends up under another thing that happens to stand before it (docs/markdown.md#reading).
 */
export function* outdentKept<A extends { readonly draft: ThingDraft }>(
  items: ReadonlyArray<A>,
  isKept: (item: A) => boolean
): Steps<ReadonlyArray<A>> {
  const enclosing: Array<Enclosing> = []
  const outdented: Array<A> = []
  for (const item of items) {
    const { tabs } = item.draft
    while (enclosing.length > 0 && enclosing.at(-1)!.tabs >= tabs) enclosing.pop()
    const level = levelUnder(enclosing.at(-1), tabs)
    const kept = isKept(item)
    enclosing.push({ tabs, level, isKept: kept })
    if (kept) outdented.push(level === tabs ? item : { ...item, draft: { ...item.draft, tabs: level } })
    yield
  }
  return outdented
}

const levelUnder = (parent: Enclosing | undefined, tabs: number): number => {
  if (parent === undefined) return tabs
  return parent.isKept ? tabs - (parent.tabs - parent.level) : parent.level
}

import { InvalidInput } from "../model/Errors.ts"
import { atMost } from "../text/Characters.ts"
import { inFigures } from "../text/Wording.ts"
import { caps } from "../model/Caps.ts"
import { parseSteps } from "../markdown/MarkdownImport.ts"
import type { ParsedThing } from "../markdown/ParsedThing.ts"
import { shownValue } from "../json/ShownValue.ts"
import { forEachYielding, mapYielding, runSteps } from "../scheduling/Yielding.ts"
import { defaultContent } from "../model/Thing.ts"
import { isBlankDraft, type ThingDraft } from "./ThingDraft.ts"
import { traced } from "../scheduling/Traced.ts"

const toDraft = (item: ParsedThing): ThingDraft => {
  const { tabs, ...content } = item
  return {
    content: { ...defaultContent, ...content },
    tabs,
    favorited: false,
    created: undefined,
    clone: undefined
  }
}

/** A document as new things, in its order. */
export interface MarkdownDrafts {
  /** Undefined where none was asked for, or there is none. */
  readonly title: string | undefined
  readonly drafts: ReadonlyArray<ThingDraft>
}

/** Counting stops here for a document with too many things. */
const countedAtMost = 40_000

const tooMany = (count: string) =>
  new InvalidInput({
    field: "markdown",
    reason: `must bring at most ${inFigures(caps.documentThings)} things, and this document brings ${count}`
  })

/** When a title is given, the document's first heading is kept, unless it equals the title. */
const withoutRepeatedTitle = (drafts: ReadonlyArray<ThingDraft>, title: string | undefined) =>
  title !== undefined && drafts[0]?.content.header === true && drafts[0].content.text.trim() === title.trim()
    ? drafts.slice(1)
    : drafts

/**
 * A document as drafts in document order (docs/decisions.md#markdown), including blank ones. `InvalidInput` for the
 * whole document when an item exceeds a cap, or when it has more non-blank items than allowed. `title` is the given
 * one, which replaces the document's.
 */
export const markdownDrafts = traced("markdownDrafts")(function* (
  markdown: string,
  options: { readonly title: "first-heading" | "none"; readonly given?: string | undefined }
) {
  const parsed = yield* runSteps(() => parseSteps(markdown, { title: options.title, max: countedAtMost }))
  if (parsed === undefined) return yield* tooMany(`more than ${inFigures(countedAtMost)}`)
  const { title, items } = parsed
  const drafts = withoutRepeatedTitle(yield* mapYielding(items, toDraft), options.given)
  let count = 0
  yield* forEachYielding(drafts, (draft) => void (count += isBlankDraft(draft) ? 0 : 1))
  if (count > caps.documentThings) return yield* tooMany(inFigures(count))
  let broken: string | undefined
  yield* forEachYielding(items, (item, index) => {
    const cap = broken === undefined ? brokenCap(item) : undefined
    if (cap !== undefined) broken = `item ${index + 1}, ${shownValue(item.text)}, ${cap}`
  })
  if (broken !== undefined)
    return yield* new InvalidInput({ field: "markdown", reason: `must keep every item within the caps: ${broken}` })
  if (title !== undefined && !atMost(title, caps.title))
    return yield* new InvalidInput({
      field: "markdown",
      reason: `must have a title (its first # heading) of at most ${inFigures(caps.title)} characters`,
      sent: shownValue(title)
    })
  return { title, drafts } satisfies MarkdownDrafts
})

const brokenCap = (item: ParsedThing): string | undefined => {
  if (!atMost(item.text, caps.text)) return `has a text of more than ${inFigures(caps.text)} characters`
  if (!atMost(item.url, caps.url) || item.photos.some((photo) => !atMost(photo, caps.url)))
    return `has a URL of more than ${inFigures(caps.url)} characters`
  if (item.photos.length > caps.photos) return `has more than ${caps.photos} photos`
  if (item.tabs > caps.tabs) return `is nested deeper than ${inFigures(caps.tabs)} levels`
  return undefined
}

import { Effect } from "effect"
import { InvalidInput } from "../model/Errors.ts"
import { atMost } from "../text/Characters.ts"
import { caps } from "../model/Caps.ts"
import { type ParsedThing, parseSteps } from "../markdown/MarkdownImport.ts"
import { forEachYielding, mapYielding, runSteps } from "../scheduling/Yielding.ts"
import { isBlankDraft, type ThingDraft } from "./ThingDraft.ts"

const toDraft = (item: ParsedThing): ThingDraft => {
  const { tabs, ...content } = item
  return {
    content: { ...content, tags: [], listRef: null, italic: false, underline: false },
    tabs,
    favorited: false,
    created: undefined,
    cloneOf: undefined
  }
}

export interface MarkdownDrafts {
  readonly title: string | undefined
  readonly drafts: ReadonlyArray<ThingDraft>
}

/** Of a document that brings too many things, more than this are not counted. */
const countedAtMost = 40_000

const inFigures = (count: number): string => count.toLocaleString("en-US")

const tooMany = (count: string) =>
  new InvalidInput({
    field: "markdown",
    reason: `must bring at most ${inFigures(caps.documentThings)} things, and this document brings ${count}`
  })

/** With a title of its own, an import keeps the document's first heading, unless it only says the title again. */
const withoutRepeatedTitle = (drafts: ReadonlyArray<ThingDraft>, title: string | undefined) =>
  title !== undefined && drafts[0]?.content.header === true && drafts[0].content.text.trim() === title.trim()
    ? drafts.slice(1)
    : drafts

/**
 * A document as drafts in its order (docs/decisions.md#markdown), blank ones among them. `InvalidInput` for the whole of it when an
 * item is over a cap, or when there are more that are not blank than a document may bring. `title` is the one that was
 * given, which takes the place of the document's.
 */
export const markdownDrafts = Effect.fn("markdownDrafts")(function* (
  markdown: string,
  options: { readonly title: "first-heading" | "none"; readonly given?: string | undefined }
) {
  const parsed = yield* runSteps(() => parseSteps(markdown, { title: options.title, most: countedAtMost }))
  if (parsed === undefined) return yield* tooMany(`more than ${inFigures(countedAtMost)}`)
  const { title, items } = parsed
  const drafts = withoutRepeatedTitle(yield* mapYielding(items, toDraft), options.given)
  let count = 0
  yield* forEachYielding(drafts, (draft) => void (count += isBlankDraft(draft) ? 0 : 1))
  if (count > caps.documentThings) return yield* tooMany(inFigures(count))
  let broken: string | undefined
  yield* forEachYielding(items, (item, index) => {
    const cap = broken === undefined ? brokenCap(item) : undefined
    if (cap !== undefined) broken = `item ${index + 1} ${cap}`
  })
  if (broken !== undefined)
    return yield* new InvalidInput({ field: "markdown", reason: `must keep every item within the caps: ${broken}` })
  if (title !== undefined && !atMost(title, caps.title))
    return yield* new InvalidInput({
      field: "markdown",
      reason: `must have a title of at most ${caps.title} characters`
    })
  return { title, drafts } satisfies MarkdownDrafts
})

const brokenCap = (item: ParsedThing): string | undefined => {
  if (!atMost(item.text, caps.text)) return `has a text of more than ${inFigures(caps.text)} characters`
  if (!atMost(item.url, caps.url) || item.photos.some((photo) => !atMost(photo, caps.url)))
    return `has a URL of more than ${inFigures(caps.url)} characters`
  if (item.photos.length > caps.photos) return `has more than ${caps.photos} photos`
  if (item.tabs > caps.tabs) return `is nested deeper than ${caps.tabs} levels`
  return undefined
}

import { Effect } from "effect"
import { InvalidInput } from "../Errors.ts"
import { atMost } from "../json/Characters.ts"
import { caps } from "../json/Fields.ts"
import { type ParsedThing, parseMarkdown } from "../markdown/MarkdownImport.ts"
import type { ThingDraft } from "./ThingDraft.ts"

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

/** A document as drafts in its order (decisions 10); an item over a cap refuses the whole of it. */
export const markdownDrafts = (
  markdown: string,
  options: { readonly title: "first-heading" | "none" }
): Effect.Effect<{ readonly title: string | undefined; readonly drafts: ReadonlyArray<ThingDraft> }, InvalidInput> => {
  const { title, items } = parseMarkdown(markdown, options)
  for (const [index, item] of items.entries()) {
    const broken = brokenCap(item)
    if (broken !== undefined)
      return Effect.fail(
        new InvalidInput({
          field: "markdown",
          reason: `must keep every item within the caps: item ${index + 1} ${broken}`
        })
      )
  }
  if (title !== undefined && !atMost(title, caps.title))
    return Effect.fail(
      new InvalidInput({ field: "markdown", reason: `must have a title of at most ${caps.title} characters` })
    )
  return Effect.succeed({ title, drafts: items.map(toDraft) })
}

const brokenCap = (item: ParsedThing): string | undefined => {
  if (!atMost(item.text, caps.text)) return `has a text of more than ${caps.text.toLocaleString("en-US")} characters`
  if (!atMost(item.url, caps.url) || item.photos.some((photo) => !atMost(photo, caps.url)))
    return `has a URL of more than ${caps.url.toLocaleString("en-US")} characters`
  if (item.photos.length > caps.photos) return `has more than ${caps.photos} photos`
  if (item.tabs > caps.tabs) return `is nested deeper than ${caps.tabs} levels`
  return undefined
}

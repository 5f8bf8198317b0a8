import { Effect } from "effect"
import { InvalidInput } from "../Errors.ts"
import { atMost } from "../json/Characters.ts"
import { caps } from "../json/Fields.ts"
import { type ParsedThing, parseMarkdown } from "../markdown/MarkdownImport.ts"
import type { ThingDraft } from "./ThingDraft.ts"
import { isPhotoUrl, isUrl } from "./Urls.ts"

const isAbsolute = (url: string): boolean => URL.canParse(url) && isUrl(url)

/** A relative link or picture, or one with a scheme that is refused, stays text as it was written. */
const withoutForeignUrls = (item: ParsedThing): ParsedThing => {
  if (item.url !== "" && !isAbsolute(item.url)) return { ...item, text: `[${item.text}](${item.url})`, url: "" }
  const foreign = item.photos.filter((photo) => !isPhotoUrl(photo))
  if (foreign.length === 0) return item
  const text = foreign.map((photo) => `![${item.text}](${photo})`).join(" ")
  const photos = item.photos.filter(isPhotoUrl)
  return { ...item, text, photos, type: photos.length === 0 && item.type === "photo" ? "none" : item.type }
}

const toDraft = (item: ParsedThing): ThingDraft => {
  const { tabs, ...content } = withoutForeignUrls(item)
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

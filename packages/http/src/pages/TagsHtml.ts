import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"
import type { Tag } from "@lists-and-things/domain/tags/Tags"
import { inFigures } from "@lists-and-things/domain/text/Wording"
import { type Html, html, HtmlParts } from "./Html.ts"
import { dot } from "./Icons.ts"

/** Links to the things of each tag. Yields once per tag, of which there may be a million. */
export function* tagCloud(tags: ReadonlyArray<Tag>): Steps<Html> {
  const parts = new HtmlParts()
  for (const { color, count, name } of tags) {
    parts.add(
      html`<li><a href="/tags?tag=${encodeURIComponent(name)}">${dot(color)}<span>${name}</span><span class="count">${inFigures(count)}</span></a></li>`
    )
    yield
  }
  return html`<ul class="cloud">${parts.whole()}</ul>`
}

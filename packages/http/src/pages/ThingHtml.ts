import { type Inline, parseInline } from "@lists-and-things/domain/markdown/TextMarkup"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { isUrl } from "@lists-and-things/domain/text/Urls"
import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { type Html, html } from "./Html.ts"

/** A link, if its address is safe to follow; otherwise text. */
const link = (url: string, label: Html): Html =>
  /^(?:https?|mailto|tel):/i.test(url) && isUrl(url)
    ? html`<a href="${url}" rel="noopener noreferrer nofollow">${label}</a>`
    : html`${label} (${url})`

const inline = (part: Inline): Html => {
  switch (part.type) {
    case "text":
      return html`${part.text}`
    case "code":
      return html`<code>${part.text}</code>`
    case "bold":
      return html`<strong>${part.children.map(inline)}</strong>`
    case "italic":
      return html`<em>${part.children.map(inline)}</em>`
    case "strike":
      return html`<s>${part.children.map(inline)}</s>`
    case "link":
      return link(part.url, html`${part.children.map(inline)}`)
  }
}

/** The marker before a thing, with text for screen readers. A heading has no checkbox, as in Markdown. */
const marks = (thing: Thing): Html => {
  const box = (mark: string, spoken: string) =>
    html`<span class="mark box" aria-hidden="true">${mark}</span><span class="spoken">${spoken}: </span>`
  if (thing.canceled) return box("–", "Canceled")
  if (thing.completed) return box("✓", "Done")
  if (thing.header || thing.subheader) return html``
  if (thing.type === "todo") return box("", "To do")
  const plain = thing.type === "number" ? "1." : thing.type === "dash" ? "–" : thing.type === "bullet" ? "•" : ""
  return plain === "" ? html`` : html`<span class="mark" aria-hidden="true">${plain}</span>`
}

const looks = (thing: Thing): string =>
  [
    "text",
    thing.header ? "heading" : thing.subheader ? "subheading" : "",
    thing.completed || thing.canceled ? "done" : ""
  ]
    .filter((name) => name !== "")
    .join(" ")

const styled = (thing: Thing): Html => {
  const text = thing.code ? preformatted(thing.text) : html`${parseInline(thing.text).map(inline)}`
  const linked =
    thing.url === "" ? text : thing.text.trim() === "" ? link(thing.url, html`${thing.url}`) : link(thing.url, text)
  const bold = thing.bold || thing.header || thing.subheader ? html`<strong>${linked}</strong>` : linked
  const italic = thing.italic ? html`<em>${bold}</em>` : bold
  const underlined = thing.underline ? html`<u>${italic}</u>` : italic
  return thing.quote ? html`<blockquote>${underlined}</blockquote>` : underlined
}

/** Preformatted text. It starts with a line break, since HTML parsers drop one right after the tag. */
const preformatted = (text: string): Html => html`<pre>${"\n"}${text}</pre>`

const details = (thing: Thing, reminder: ReminderView | undefined): Html => {
  const photos = thing.photos.map((photo, at) => html`<p class="soft">${link(photo, html`Photo ${at + 1}`)}</p>`)
  const list =
    thing.listRef === null ? "" : html`<p class="soft"><a href="/lists/${thing.listRef}">The list behind it</a></p>`
  const due = reminder === undefined ? "" : html`<p class="soft">Reminder: ${reminder.summary}</p>`
  const note = thing.note === "" ? "" : html`<details><summary>Note</summary>${preformatted(thing.note)}</details>`
  return html`${due}${list}${photos}${note}`
}

/** One thing with all of its visible content. */
export const thingHtml = (thing: Thing, reminder: ReminderView | undefined): Html => {
  const tags = thing.tags.map((tag) => html` <span class="tag">#${tag}</span>`)
  return html`<div class="thing">${marks(thing)}<div class="body"><div class="${looks(thing)}">${styled(thing)}</div>${tags}${details(thing, reminder)}</div></div>`
}

/** Deepest nesting that is shown; deeper things are flattened, since browsers stop at some hundred levels. */
const deepest = 40

/** Closes open things and lists, innermost first, until the given number is left. */
const closing = (open: Array<number>, left: number): Html => {
  const closed = open.length - left
  open.length = left
  return html`${closed === 0 ? "" : html`</li>`}${Array.from({ length: closed - 1 }, () => html`</ul></li>`)}`
}

/** Nests each thing under the nearest earlier one with a smaller indent. Yields once per thing. */
export function* thingsHtml(things: ReadonlyArray<Thing>, reminders: ReadonlyMap<string, ReminderView>): Steps<Html> {
  const parts: Array<Html> = [html`<ul class="things">`]
  /** Indents of the open things, outermost first. */
  const open: Array<number> = []
  for (const thing of things) {
    const around = open.findLastIndex((tabs) => tabs < thing.tabs) + 1
    const isChild = around === open.length && open.length > 0
    if (!isChild || around === deepest) parts.push(closing(open, Math.min(around, deepest - 1)))
    else parts.push(html`<ul>`)
    parts.push(html`<li>${thingHtml(thing, reminders.get(thing.id))}`)
    open.push(thing.tabs)
    yield
  }
  parts.push(closing(open, 0))
  return html`${parts}</ul>`
}

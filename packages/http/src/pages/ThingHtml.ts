import { type Inline, parseInline } from "@lists-and-things/domain/markdown/TextMarkup"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { isUrl } from "@lists-and-things/domain/text/Urls"
import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { type Html, html } from "./Html.ts"

/** A link that a browser may follow; an address that may not be one stays text. */
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

/** What stands before a thing: for the eye, and for those who listen. A heading has no box to tick, as in Markdown. */
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

/** Text whose white space counts. The parser of a browser drops a line break right after the tag, so there is one. */
const preformatted = (text: string): Html => html`<pre>${"\n"}${text}</pre>`

const details = (thing: Thing, reminder: ReminderView | undefined): Html => {
  const photos = thing.photos.map((photo, at) => html`<p class="soft">${link(photo, html`Photo ${at + 1}`)}</p>`)
  const list =
    thing.listRef === null ? "" : html`<p class="soft"><a href="/lists/${thing.listRef}">The list behind it</a></p>`
  const due = reminder === undefined ? "" : html`<p class="soft">Reminder: ${reminder.summary}</p>`
  const note = thing.note === "" ? "" : html`<details><summary>Note</summary>${preformatted(thing.note)}</details>`
  return html`${due}${list}${photos}${note}`
}

/** One thing with everything that a person reads of it. */
export const thingHtml = (thing: Thing, reminder: ReminderView | undefined): Html => {
  const tags = thing.tags.map((tag) => html` <span class="tag">#${tag}</span>`)
  return html`<div class="thing">${marks(thing)}<div class="body"><div class="${looks(thing)}">${styled(thing)}</div>${tags}${details(thing, reminder)}</div></div>`
}

/** Deeper ones stand beside each other there: no screen is that wide, and browsers stop at some hundred levels. */
const deepest = 40

/** Closes the innermost of the open things, and the lists and things around it until so many are left. */
const closing = (open: Array<number>, left: number): Html => {
  const closed = open.length - left
  open.length = left
  return html`${closed === 0 ? "" : html`</li>`}${Array.from({ length: closed - 1 }, () => html`</ul></li>`)}`
}

/** Nested as the list nests them: under the nearest one before with a smaller indent. One step a thing. */
export function* thingsHtml(things: ReadonlyArray<Thing>, reminders: ReadonlyMap<string, ReminderView>): Steps<Html> {
  const parts: Array<Html> = [html`<ul class="things">`]
  /** The indents of the things that are not closed yet, each in the list of the one before it. */
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

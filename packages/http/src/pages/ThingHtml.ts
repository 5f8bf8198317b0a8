import { deeperThan, shallowerThan, type TreeNode } from "@lists-and-things/domain/lists/Outline"
import { thingTitle } from "@lists-and-things/domain/markdown/Document"
import { type Inline, parseInline, plainText } from "@lists-and-things/domain/markdown/TextMarkup"
import { isRepeating } from "@lists-and-things/domain/model/Reminder"
import { isOver, type ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { piecesOfText } from "@lists-and-things/domain/text/LongText"
import { hasCheckBox, isHeading, isOpen, type Thing } from "@lists-and-things/domain/model/Thing"
import { truncate } from "@lists-and-things/domain/text/Characters"
import { isUrl } from "@lists-and-things/domain/text/Urls"
import { runStepsSync, type Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { summarizeInZone } from "@lists-and-things/domain/recurrence/ReminderSummary"
import { type Html, html, HtmlParts } from "./Html.ts"
import { dot, icon, type IconName } from "./Icons.ts"
import { editId } from "./Page.ts"
import { occurrenceHtml } from "./Times.ts"

/** A link, if its address is safe to follow; otherwise text. */
const link = (url: string, label: Html): Html =>
  /^(?:https?:\/\/|mailto:|tel:)/i.test(url) && isUrl(url)
    ? html`<a href="${url}" rel="noopener noreferrer nofollow">${label}</a>`
    : html`${label} (${url})`

/** Renders an inline part; `words` renders its plain text. */
const inline = (part: Inline, words: (text: string) => Html): Html => {
  const all = (parts: ReadonlyArray<Inline>): ReadonlyArray<Html> => parts.map((each) => inline(each, words))
  switch (part.type) {
    case "text":
      return words(part.text)
    case "code":
      return html`<code>${part.text}</code>`
    case "bold":
      return html`<strong>${all(part.children)}</strong>`
    case "italic":
      return html`<em>${all(part.children)}</em>`
    case "strike":
      return html`<s>${all(part.children)}</s>`
    case "link":
      return link(part.url, named(html`${part.children.map((each) => inline(each, plain))}`, part.url))
  }
}

/** The label of a link: its address if the label is blank, which could be neither seen nor spoken. */
const named = (label: Html, url: string): Html => (label.text.trim() === "" ? html`${url}` : label)

const plain = (text: string): Html => html`${text}`

/** Finds addresses that stand in a text without markup. */
const address = /\bhttps?:\/\/[^\s<>"]+/gi

/**
 * Cuts off what belongs to the sentence around an address: a closing bracket that the address did not open, or a
 * punctuation mark.
 */
const withoutEnd = (url: string): string => {
  const marks = `.,;:!?'*${url.includes("(") ? "" : ")"}${url.includes("[") ? "" : "]"}`
  let end = url.length
  while (marks.includes(url[end - 1] ?? " ")) end--
  return url.slice(0, end)
}

/** Links after which rendering a long text yields. */
const linksPerStep = 500

/** A text whose addresses are links. */
function* addressSteps(text: string): Steps<Html> {
  if (!text.includes("://")) return yield* plainSteps(text)
  const whole = new HtmlParts()
  let links = 0
  let from = 0
  for (const { 0: found, index } of text.matchAll(address)) {
    const url = withoutEnd(found)
    if (!URL.canParse(url)) continue
    whole.add(plain(text.slice(from, index)))
    whole.add(link(url, plain(url)))
    from = index + url.length
    if (++links % linksPerStep === 0) yield
  }
  whole.add(yield* plainSteps(text.slice(from)))
  return whole.whole()
}

/** A text without links. */
function* plainSteps(text: string): Steps<Html> {
  const pieces = piecesOfText(text)
  if (pieces.length === 1) return plain(text)
  const whole = new HtmlParts()
  for (const piece of pieces) {
    whole.add(plain(piece))
    yield
  }
  return whole.whole()
}

const withAddresses = (text: string): Html => runStepsSync(addressSteps(text))

/** Settings for showing things to someone who may change them. */
export interface Look {
  readonly zone: string
  readonly now: EpochMillis
  /** Links to lists by id, for things that are shown outside of their lists. */
  readonly lists?: ReadonlyMap<string, Html>
  /** The nesting of the things by id, if they are shown with buttons that change it. */
  readonly tree?: ReadonlyMap<string, TreeNode>
  /** Default true. Without boxes, open things cannot be ticked. */
  readonly hasBoxes?: boolean
}

/** The value that a form sends to complete a thing: its id, and the occurrence that is meant if it repeats. */
const completing = (thing: Thing, reminder: ReminderView | undefined): string => {
  const trigger = reminder?.reminder.trigger
  return trigger !== undefined && isRepeating(trigger) ? `${thing.id}@${formatTime(trigger.at)}` : thing.id
}

/** A box to tick or untick, which is a button of the enclosing form; named by the text of the thing. */
const button = (thing: Thing, reminder: ReminderView | undefined): Html => {
  const name = (state: string) =>
    html`type="submit" role="checkbox" aria-checked="${state}" aria-labelledby="t-${thing.id}"`
  if (thing.canceled)
    return html`<button class="box dropped" name="reopen" value="${thing.id}" ${name("mixed")}></button>`
  if (thing.completed)
    return html`<button class="box ticked" name="reopen" value="${thing.id}" ${name("true")}></button>`
  return html`<button class="box" name="complete" value="${completing(thing, reminder)}" ${name("false")}></button>`
}

/** The marker before a thing, with text for screen readers. A heading has no checkbox, as in Markdown. */
const marks = (thing: Thing, { look, number, reminder }: Shown): Html => {
  const box = (spoken: string, state = "") =>
    html`<span class="mark box${state}" aria-hidden="true"></span><span class="spoken">${spoken}: </span>`
  const hasBox = !isOpen(thing) || (hasCheckBox(thing) && look?.hasBoxes !== false)
  if (hasBox && look !== undefined) return button(thing, reminder)
  if (thing.canceled) return box("Canceled", " dropped")
  if (thing.completed) return box("Done", " ticked")
  if (hasBox) return box("To do")
  if (isHeading(thing)) return html``
  const plain =
    thing.type === "number" ? `${number ?? 1}.` : thing.type === "dash" ? "–" : thing.type === "bullet" ? "•" : ""
  return plain === ""
    ? html``
    : html`<span class="mark"${thing.type === "number" ? "" : html` aria-hidden="true"`}>${plain}</span>`
}

/** The shown text as a link to the thing's address, or in front of it where it has links itself: they cannot be nested. */
const linked = ({ text, url }: Thing, shown: Html): Html => {
  if (url === "") return shown
  if (text.trim() === "") return link(url, plain(url))
  return shown.text.includes("<a ") ? html`${shown} ${link(url, plain(url))}` : link(url, shown)
}

const looks = (thing: Thing): string =>
  ["text", thing.header ? "heading" : thing.subheader ? "subheading" : "", isOpen(thing) ? "" : "done"]
    .filter((name) => name !== "")
    .join(" ")

const styled = (thing: Thing): Html => {
  const words = thing.url === "" ? withAddresses : plain
  const text = thing.code
    ? preformatted(html`${thing.text}`)
    : html`${parseInline(thing.text).map((part) => inline(part, words))}`
  const leading = linked(thing, text)
  const bold = thing.bold || isHeading(thing) ? html`<strong>${leading}</strong>` : leading
  const italic = thing.italic ? html`<em>${bold}</em>` : bold
  const underlined = thing.underline ? html`<u>${italic}</u>` : italic
  return thing.quote ? html`<blockquote>${underlined}</blockquote>` : underlined
}

/** Preformatted text. It starts with a line break, since HTML parsers drop one right after the tag. */
const preformatted = (text: Html): Html => html`<pre>${"\n"}${text}</pre>`

const reminderHtml = (view: ReminderView, look: Look | undefined): Html => {
  const { color, trigger } = view.reminder
  const isLate = look !== undefined && isOver(trigger, look.zone, look.now)
  const words = look === undefined ? html`${view.summary}` : whenHtml(view, look)
  return html`<p class="when${isLate ? " late" : ""}">${icon("bell")}${color === "" ? "" : dot(color)}<span><span class="spoken">Reminder${isLate ? ", overdue" : ""}: </span>${words}</span></p>`
}

/** `Today, 19:00`, and how it repeats. */
const whenHtml = ({ place, reminder: { trigger } }: ReminderView, { now, zone }: Look): Html => {
  const words = summarizeInZone(trigger, zone, place)
  if (trigger._tag === "Place") return html`${words}`
  const next = occurrenceHtml(trigger.at, trigger, zone, now)
  return isRepeating(trigger) ? html`${next} · ${words}` : next
}

/** Characters of a note in which its first line is looked for, and most characters of that line that are shown. */
const [maxSearched, maxShown] = [1_000, 200]

/** The first line of a note that has words, without markup; empty if the note does not begin with one. */
const firstLine = (note: string): string => {
  for (const line of note.slice(0, maxSearched).toWellFormed().split("\n")) {
    const words = plainText(line.replace(/^\s*(?:#{1,6}|[-*+>])\s/, ""), false).trim()
    if (/[\p{L}\p{N}]/u.test(words)) return truncate(words, maxShown)
  }
  return ""
}

/** A folded note with its first line. */
function* noteHtml(note: string): Steps<Html> {
  const text = yield* addressSteps(note)
  return html`<details><summary><span>Note</span><bdi class="begins"> ${firstLine(note)}</bdi></summary>${preformatted(text)}</details>`
}

function* details(thing: Thing, { look, reminder }: Shown): Steps<Html> {
  const photos = thing.photos.map((photo, at) => html`<p class="soft">${link(photo, html`Photo ${at + 1}`)}</p>`)
  const list =
    thing.listRef === null ? "" : html`<p class="soft"><a href="/lists/${thing.listRef}">Open the linked list</a></p>`
  const due = reminder === undefined ? "" : reminderHtml(reminder, look)
  const note = thing.note === "" ? "" : yield* noteHtml(thing.note)
  const held = look?.lists?.get(thing.listId)
  return html`${due}${held === undefined ? "" : html`<p class="soft">in ${held}</p>`}${list}${photos}${note}`
}

/** What a thing is shown with. */
interface Shown {
  readonly reminder: ReminderView | undefined
  /** Set if the thing can be ticked and edited; then its box is a button of the enclosing form. */
  readonly look?: Look
  /** The number of a numbered thing. */
  readonly number?: number
}

/** The accessible name of a thing without a text, for its box and its link. */
const spokenName = (thing: Thing): Html =>
  thing.text.trim() === "" && thing.url === ""
    ? html`<span class="spoken">${thingTitle(thing) || (thing.listRef === null ? "A thing" : "A list")}</span>`
    : html``

/** Buttons that nest a thing, labelled by the elements of `nestingHtml`. */
const nestButtons = (thing: Thing, node: TreeNode): Html => {
  const button = (name: string, drawn: IconName, tabs: number | undefined): Html =>
    html`<button class="nest" formaction="/things/nest" name="${name}" value="${thing.id}" aria-labelledby="${name} t-${thing.id}"${tabs === undefined ? html` disabled` : ""}>${icon(drawn)}</button>`
  return html`${button("shallower", "earlier", shallowerThan(node))}${button("deeper", "later", deeperThan(node))}`
}

/** The line above things with buttons that nest them; `back` leads to the list without the buttons. */
export const nestingHtml = (back: string): Html =>
  html`<p class="left-over">
      <span
        >The buttons move a thing up one level, or nest it under the one before
        it.<span hidden data-scripted> In the list, the keys &#60; and &#62; do the same on its checkbox or the link at its end.</span></span
      >
      <a class="button quiet" href="${back}">Done</a>
    </p>
    <span id="shallower" hidden>Take out</span><span id="deeper" hidden>Nest</span>`

/** One thing with all of its visible content. Yields within a note of many addresses. */
export function* thingSteps(thing: Thing, shown: Shown): Steps<Html> {
  const tags = thing.tags.map((tag) => html` <a class="tag" href="/tags?tag=${encodeURIComponent(tag)}">#${tag}</a>`)
  const star = thing.favorited
    ? html` <span class="star">${icon("star")}<span class="spoken">Starred</span></span>`
    : ""
  const id = shown.look === undefined ? "" : html` id="t-${thing.id}"`
  const heading = isHeading(thing) ? html` role="heading" aria-level="${thing.header ? 2 : 3}"` : ""
  const node = shown.look?.tree?.get(thing.id)
  const edit =
    shown.look === undefined
      ? ""
      : node === undefined
        ? html`<a class="edit" href="/things/${thing.id}" aria-labelledby="${editId} t-${thing.id}"></a>`
        : nestButtons(thing, node)
  return html`<div class="thing">${marks(thing, shown)}<div class="body"><div class="${looks(thing)}"${heading}${id}>${styled(thing)}${shown.look === undefined ? "" : spokenName(thing)}</div>${star}${tags}${yield* details(thing, shown)}</div>${edit}</div>`
}

/** The deepest nesting shown; deeper things are flattened, since browsers limit the depth to some hundred levels. */
const deepest = 40

const isNumbered = (thing: Thing): boolean => thing.type === "number" && !isHeading(thing)

/** Closes open things and lists, innermost first, until the given number is left. */
const closing = (open: Array<number>, left: number): Html => {
  const closed = open.length - left
  open.length = left
  return html`${closed === 0 ? "" : html`</li>`}${Array.from({ length: closed - 1 }, () => html`</ul></li>`)}`
}

/** Nests each thing under the nearest earlier one with a smaller indent. Yields after each thing. */
export function* thingsHtml(
  things: ReadonlyArray<Thing>,
  reminders: ReadonlyMap<string, ReminderView>,
  look?: Look
): Steps<Html> {
  const parts = new HtmlParts()
  parts.add(html`<ul class="things">`)
  /** Indents of the open things, outermost first. */
  const open: Array<number> = []
  /** Per depth, the last number of the numbered things that continue there. */
  const numbers: Array<number> = []
  for (const thing of things) {
    const around = open.findLastIndex((tabs) => tabs < thing.tabs) + 1
    const isChild = around === open.length && open.length > 0
    if (!isChild || around === deepest) parts.add(closing(open, Math.min(around, deepest - 1)))
    else parts.add(html`<ul>`)
    const depth = open.length
    numbers.length = Math.min(numbers.length, depth + 1)
    const number = isNumbered(thing) ? (numbers[depth] ?? 0) + 1 : 0
    numbers[depth] = number
    const reminder = reminders.get(thing.id)
    const shown = yield* thingSteps(thing, { reminder, number, ...(look === undefined ? {} : { look }) })
    parts.add(html`<li>${shown}`)
    open.push(thing.tabs)
    yield
  }
  parts.add(closing(open, 0))
  parts.add(html`</ul>`)
  return parts.whole()
}

import { caps } from "@lists-and-things/domain/model/Caps"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { List } from "@lists-and-things/domain/model/List"
import { treeOf } from "@lists-and-things/domain/lists/Outline"
import { hasCheckBox, isOpen, type Thing } from "@lists-and-things/domain/model/Thing"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { inFigures } from "@lists-and-things/domain/text/Wording"
import type { HttpServerRequest } from "effect/http"
import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { type Html, html } from "./Html.ts"
import { icon } from "./Icons.ts"
import { type Look, thingsHtml } from "./ThingHtml.ts"
import { dayTitle } from "./Times.ts"
import { onceHtml, type OnceOrigin, type Origin, originHtml } from "./FormFields.ts"
import { viewPathOf } from "./PageAddress.ts"

/**
 * The form that adds lines to a list or a day; `path` is the address of either. What is typed in it is a draft of that,
 * or of `draft`.
 */
export const addForm = (path: string, origin: OnceOrigin, draft?: string): Html =>
  html`<form class="add" method="post" action="${path}/add" enctype="multipart/form-data"${draft === undefined ? "" : html` data-draft="${draft}"`}>
    ${onceHtml(origin)}
    <label class="spoken" for="add">Add a thing</label
    ><textarea id="add" name="markdown" rows="1" required data-enter placeholder="Add a thing…" aria-describedby="add-hint"></textarea
    ><button>Add</button>
    <p class="hint" id="add-hint">Markdown works: <code>- [ ] todo</code>, <code># heading</code>; <code>#tag</code> at the end.</p>
  </form>`

/**
 * Things that can be ticked, as one form; nested, unless `look` links them to lists of their own. Yields once per
 * thing.
 */
export function* tickableThings(
  things: ReadonlyArray<Thing>,
  reminders: ReadonlyArray<ReminderView>,
  look: Look,
  origin: OnceOrigin
): Steps<Html> {
  const byThing = new Map(reminders.map((reminder) => [reminder.thing.id as string, reminder]))
  return html`<form class="list" method="post" action="/things/tick"${look.lists === undefined ? html` data-nest` : ""}>
    ${onceHtml(origin)}${yield* thingsHtml(things, byThing, look)}
  </form>`
}

/** What the query of a list or a day chooses: all things or the open ones; boxes and links, or buttons that nest things. */
export interface ViewOptions {
  readonly openOnly: boolean
  readonly nests: boolean
  /** The path of the same list with the other choice of `openOnly`. */
  readonly other: string
  /** The path of the same list with the other choice of `nests`. */
  readonly otherWay: string
}

export const viewOptionsIn = (request: HttpServerRequest.HttpServerRequest): ViewOptions => {
  const url = new URL(viewPathOf(request), "http://site")
  const has = (name: string) => url.searchParams.has(name)
  const toggled = (name: string) => {
    const other = new URL(url)
    if (has(name)) other.searchParams.delete(name)
    else other.searchParams.set(name, "")
    return `${other.pathname}${other.search}`
  }
  return { openOnly: has("open"), nests: has("nest"), other: toggled("open"), otherWay: toggled("nest") }
}

/** The look of a list's things on the page of the list. */
export function* lookIn(things: ReadonlyArray<Thing>, { nests }: ViewOptions, look: Look): Steps<Look> {
  return nests ? { ...look, tree: yield* treeOf(things) } : look
}

/** The open things, and those under which they are nested. */
export const openAmong = (things: ReadonlyArray<Thing>): ReadonlyArray<Thing> => {
  const kept: Array<Thing> = []
  for (const thing of things.toReversed()) {
    const below = kept.at(-1)
    if (isOpen(thing) || (below !== undefined && thing.tabs < below.tabs)) kept.push(thing)
  }
  return kept.toReversed()
}

/** How much of a list is done, and the link that hides or shows it; empty if it has neither. */
export const progressHtml = (things: ReadonlyArray<Thing>, { openOnly, other }: ViewOptions): Html => {
  const todos = things.filter((thing) => hasCheckBox(thing) && !thing.canceled)
  const done = todos.filter((thing) => thing.completed).length
  const toggle =
    openOnly || things.some((thing) => !isOpen(thing))
      ? html`<a href="${other}">${openOnly ? "Show what is done" : "Hide what is done"}</a>`
      : ""
  if (todos.length === 0) return toggle === "" ? html`` : html`<p class="progress">${toggle}</p>`
  return html`<p class="progress"><progress value="${done}" max="${todos.length}" aria-label="Done"></progress><span>${inFigures(done)} of ${inFigures(todos.length)} done</span>${toggle}</p>`
}

export const starButton = ({ favorited, id, title }: List): Html =>
  html`<button
    class="quiet"
    name="${favorited ? "unstar" : "star"}"
    value="${id}"
    aria-pressed="${String(favorited)}"
    aria-label="Star ${title}"
  >${icon("star")}</button>`

/** The title of a list for its readers: a day by its date, others with their emoji. */
export const listTitle = ({ day, emoji, title }: List, today: string): string =>
  day === null ? `${emoji} ${title}`.trim() : dayTitle(day, today)

export const listPath = ({ day, id }: List): string => (day === null ? `/lists/${id}` : `/days/${day}`)

/** Links to lists by id, for things that are shown outside of their lists. */
export const listLinks = (lists: ReadonlyMap<string, List>, today: string): ReadonlyMap<string, Html> =>
  new Map([...lists].map(([id, list]) => [id, html`<a href="${listPath(list)}">${listTitle(list, today)}</a>`]))

/** Numbers of open things by list id; lists without an entry show none. */
export type OpenCounts = ReadonlyMap<string, number>

const card = (list: List, today: string, open: number | undefined): Html =>
  html`<li>
    <span class="emoji" aria-hidden="true">${list.day === null ? list.emoji || icon("lists") : icon("today")}</span>
    <span class="name"><a href="${listPath(list)}">${list.day === null ? list.title : dayTitle(list.day, today)}</a></span>
    ${open === undefined || open === 0 ? "" : html`<span class="count">${inFigures(open)}<span class="spoken"> open</span></span>`}
    ${starButton(list)}
  </li>`

export const listCards = (
  lists: ReadonlyArray<List>,
  today: string,
  origin: Origin,
  open: OpenCounts = new Map()
): Html =>
  html`<form class="list" method="post" action="/lists/star">
    ${originHtml(origin)}
    <ul class="lists">${lists.map((list) => card(list, today, open.get(list.id)))}</ul>
  </form>`

/** Links to the previous and the next page; `path` has a query already or ends with `?`. */
export const pageLinks = (path: string, page: number, hasMore: boolean, what: string): Html =>
  page === 0 && !hasMore
    ? html``
    : html`<nav class="buttons" aria-label="Pages of ${what}">
        ${page === 0 ? "" : html`<a class="button quiet" href="${path}page=${page - 1}" rel="prev">Back</a>`}
        ${hasMore ? html`<a class="button quiet" href="${path}page=${page + 1}" rel="next">More</a>` : ""}
      </nav>`

/**
 * The forms that make a list by its title and the lines below it, or from a markdown file that is chosen, dropped or
 * pasted.
 */
export const newListForms = (origin: OnceOrigin): Html =>
  html`<form class="add" method="post" action="/lists/new" enctype="multipart/form-data">
      ${onceHtml(origin)}
      <label class="spoken" for="new">Title of a new list</label
      ><textarea id="new" name="title" rows="1" required data-enter placeholder="New list…"></textarea
      ><button>Create</button>
    </form>
    <details class="import">
      <summary>Import markdown</summary>
      <form method="post" action="/lists/import" enctype="multipart/form-data">
        ${onceHtml(origin)}
        <p class="field"><label for="file">A file</label><input id="file" name="file" type="file" accept=".md,.markdown,.txt,text/markdown,text/plain" data-drop /></p>
        <p class="field"><label for="markdown">Or text</label><textarea id="markdown" name="markdown" rows="4"></textarea></p>
        <p class="field">
          <label for="import-title">Title</label
          ><input id="import-title" name="title" maxlength="${caps.title}" aria-describedby="import-hint" />
          <span class="hint" id="import-hint">If empty: the first heading, or the name of the file.</span>
        </p>
        <button>Import</button>
      </form>
    </details>`

export const emptyHtml = (text: string): Html => html`<p class="soft">${text}</p>`

export const lookOf = (zone: string, now: EpochMillis): Look => ({ zone, now })

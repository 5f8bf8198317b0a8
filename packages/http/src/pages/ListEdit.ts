import { Schema } from "effect"
import { caps } from "@lists-and-things/domain/model/Caps"
import { type List, type ListSort, listSorts } from "@lists-and-things/domain/model/List"
import { textIn } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"
import { listPath, listTitle, type ViewOptions } from "./ListHtml.ts"
import {
  editedIn,
  type RefusedEdit,
  saveButtons,
  seenInput,
  staleText,
  type Stored,
  valuesOf
} from "./EditConflicts.ts"
import { onceHtml, type OnceOrigin, oneLine, originHtml, select } from "./FormFields.ts"
import { historyPath } from "./HistoryLinks.ts"

const editFields = ["title", "emoji", "sort"] as const
type EditField = (typeof editFields)[number]

/** The form changes settings that were changed elsewhere since it was shown; nothing was saved. */
export class StaleList extends Schema.TaggedError<StaleList>()("StaleList", {
  fields: Schema.Array(Schema.Literals(editFields))
}) {}

const sortNames: Readonly<Record<ListSort, string>> = {
  chronological: "As they were added",
  "reverse-chronological": "Newest first",
  alphabetical: "A to Z",
  "reverse-alphabetical": "Z to A",
  modified: "Recently changed first"
}

export const sortName = (sort: ListSort): string => sortNames[sort]

const fieldNames = { title: "Title", emoji: "Emoji", sort: "Order" } as const

/** The settings as the form shows them. */
const shownOf = ({ emoji, sort, title }: List): Stored<EditField> => ({
  title: oneLine(title),
  emoji: oneLine(emoji),
  sort
})

/** The edit as the API would take it; `stale` are edited fields that were also changed elsewhere. */
export const listEditOf = (fields: URLSearchParams, list: List) => {
  const { edited, stale } = editedIn(fields, shownOf(list))
  return { typed: Object.fromEntries(edited.map((field) => [field, textIn(fields, field).trim()])), stale }
}

/**
 * The form that renames and sorts a list; after a conflicting change elsewhere, also with what is saved now. Day lists
 * cannot be renamed.
 */
const listForm = (list: List, origin: OnceOrigin, refused?: RefusedEdit<EditField>): Html => {
  const stored = shownOf(list)
  const { saved, seen, value } = valuesOf(stored, refused)
  const field = (name: EditField, input: Html): Html => {
    const kept = saved(name)
    const shown = name === "sort" ? sortName(list.sort) : kept
    return html`<p class="field"><label for="${name}">${fieldNames[name]}</label>${input}</p>${kept === undefined ? "" : html`<p class="field"><label for="saved-${name}">${fieldNames[name]}, as currently saved</label><input id="saved-${name}" readonly value="${shown}" /></p>`}`
  }
  const names = html`${field("title", html`<input id="title" name="title" required maxlength="${caps.title}" value="${value("title")}" />`)}
        ${field("emoji", html`<input id="emoji" name="emoji" maxlength="${caps.emoji}" value="${value("emoji")}" />`)}`
  const sorts = listSorts.map((sort) => [sort, sortNames[sort]] as const)
  return html`<form method="post" action="/lists/${list.id}/edit">
      ${onceHtml(origin)}${editFields.map((name) => seenInput(name, seen(name)))}
      <div class="pair">
        ${list.day === null ? names : ""} ${field("sort", select<string>("sort", sorts, value("sort")))}
      </div>
      ${saveButtons(listPath(list), stored, refused)}
    </form>`
}

/** The settings of a list: rename, sort, archive, delete, download, and the link to nest its things. */
export const listSettings = (list: List, origin: OnceOrigin, { nests, otherWay }: ViewOptions): Html =>
  html`<details class="more-options">
    <summary>List settings</summary>
    ${listForm(list, origin)}
    <div class="buttons">
      ${nests ? "" : html`<a class="button quiet" href="${otherWay}">Nest its things</a>`}
      <a class="button quiet" href="/lists/${list.id}/markdown" download>Download as markdown</a>
      <a class="button quiet" href="${historyPath({ listId: list.id })}">History</a>
      <form method="post" action="/lists/${list.id}/archive">
        ${originHtml(origin)}<button class="quiet" name="archived" value="${String(!list.archived)}">${list.archived ? "Unarchive" : "Archive"}</button>
      </form>
      <form method="post" action="/lists/${list.id}/delete">
        ${originHtml({ ...origin, back: "/lists" })}<button class="danger">Delete the list</button>
      </form>
    </div>
  </details>`

/** Shown in place of a list whose settings were changed elsewhere meanwhile: both versions, to choose from. */
export const staleListHtml = (
  list: List,
  today: string,
  origin: OnceOrigin,
  refused: Required<RefusedEdit<EditField>>
): Html =>
  html`<p class="problem" role="alert">${staleText(
    refused.stale.map((field) => fieldNames[field].toLowerCase()),
    "list"
  )}</p>
    <p class="eyebrow"><a href="${listPath(list)}">${listTitle(list, today)}</a></p>
    <h1>List settings</h1>
    <div class="card">${listForm(list, origin, refused)}</div>`

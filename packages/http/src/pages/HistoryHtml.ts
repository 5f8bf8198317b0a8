import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { instantToWall, wallText } from "@lists-and-things/domain/days/Zone"
import type { OperationView } from "@lists-and-things/domain/history/Operations"
import { changeVerbs, entityName } from "@lists-and-things/domain/summaries/EntityName"
import { undoOf } from "@lists-and-things/domain/summaries/OperationSummaries"
import { plainSummary } from "@lists-and-things/domain/summaries/PlainSummary"
import { entityJson, type EntityStates } from "@lists-and-things/domain/json/OperationJson"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { canBeUndone, hasEffect, type Operation, type Surface } from "@lists-and-things/domain/model/Operation"
import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { truncate } from "@lists-and-things/domain/text/Characters"
import { accountNavigation } from "./AccountHtml.ts"
import { type Html, html, HtmlParts } from "./Html.ts"
import { undoButton } from "./Notices.ts"
import { hiddenCsrf } from "./FormFields.ts"
import { type HistoryFilter, historyPath } from "./HistoryLinks.ts"

interface History {
  readonly csrf: string
  readonly zone: string
  readonly operations: ReadonlyArray<Operation>
  readonly filter: HistoryFilter
  /** Zero-based. */
  readonly page: number
  readonly hasMore: boolean
  /** The undo or redo that led to the page. */
  readonly undo: Operation | undefined
}

/** The refusal of an undo, with the status of the answer. */
export interface Refusal {
  readonly status: number
  readonly message: string
}

const pathOf = (id: string): string => `/account/history/${id}`

/** One page of operations, each with its undo. */
export const historyHtml = (shown: History): Html =>
  html`<h1>History</h1>
    ${accountNavigation("/account/history")}
    ${shown.undo === undefined ? "" : undoneHtml(shown.undo)}
    ${filterHtml(shown.filter)}
    ${
      shown.operations.length === 0
        ? html`<p class="soft">${shown.page === 0 ? "Nothing has been changed yet." : "There is nothing older."}</p>`
        : html`<p class="soft">Newest first. Times are in ${shown.zone}.</p>
            <ul class="rows">
              ${shown.operations.map((operation) => row(operation, shown))}
            </ul>`
    }
    ${pages(shown)}
`

const undoneHtml = (undo: Operation): Html => {
  const [done, name] = undoOf(undo).verb === "Redo" ? ["undone", "undo"] : ["redone", "redo"]
  return html`<p class="notice" role="status">It was ${done}. <a href="${pathOf(undo.id)}">Show the ${name}</a>, which can be undone as well.</p>`
}

const filterHtml = ({ listId, thingId }: HistoryFilter): Html => {
  if (thingId === undefined && listId === undefined) return html``
  const what =
    thingId === undefined
      ? html`<a href="/lists/${listId}">one list</a> and its things`
      : html`<a href="/things/${thingId}">one thing</a>`
  return html`<p>Changes to ${what}. <a href="/account/history">All changes</a></p>`
}

const row = (operation: Operation, { csrf, filter, zone }: History): Html =>
  html`<li class="row">
    <div>
      <a href="${pathOf(operation.id)}">${plainSummary(operation.summary)}</a>
      <p class="soft">${time(operation.at, zone)} · ${author(operation)}</p>
    </div>
    ${
      operation.undoneBy !== null
        ? html`<a class="soft" href="${pathOf(operation.undoneBy)}">${undoOf(operation).verb === "Redo" ? "Redone" : "Undone"}</a>`
        : canBeUndone(operation)
          ? undoForm(operation, csrf, "quiet", filter)
          : ""
    }
  </li>`

const pages = ({ filter, hasMore, page }: History): Html => {
  const to = (other: number) => historyPath(filter, { page: String(other) })
  return page === 0 && !hasMore
    ? html``
    : html`<nav class="buttons" aria-label="Pages of the history">
        ${page === 0 ? "" : html`<a href="${to(page - 1)}" rel="prev">Newer</a>`}
        ${hasMore ? html`<a href="${to(page + 1)}" rel="next">Older</a>` : ""}
      </nav>`
}

/** One operation with the states of the entities that it changed. Yields once per entity. */
export function* operationHtml(shown: {
  readonly csrf: string
  readonly zone: string
  readonly view: OperationView
  readonly refusal: Refusal | undefined
  /** Summaries of the operations that stand in the way of an undo, by id. */
  readonly names: ReadonlyMap<string, string>
  /** What it created, by id, as far as that is still there. */
  readonly created: ReadonlyMap<string, string>
}): Steps<Html> {
  const { created, csrf, names, refusal, view, zone } = shown
  const { entities, operation, truncated, undo } = view
  const parts = new HtmlParts()
  for (const states of entities) {
    parts.add(entityHtml(states, created, zone))
    yield
  }
  return html`<h1>${plainSummary(operation.summary)}</h1>
    ${refusal === undefined ? "" : html`<p class="problem" role="alert">${withLinks(refusal.message, names)}</p>`}
    <p class="soft">${time(operation.at, zone)} (${zone}) · ${author(operation)}</p>
    ${operation.undoes === null ? "" : html`<p>It undid <a href="${pathOf(operation.undoes)}">another operation</a>.</p>`}
    ${undo === "possible" ? undoForm(operation, csrf, "") : ""}
    ${view.refusal === undefined || refusal !== undefined ? "" : html`<p class="notice">${withLinks(view.refusal, names)}</p>`}
    <h2>What it changed</h2>
    ${entities.length > 0 ? parts.whole() : html`<p class="soft">${hasEffect(operation) ? "The details are no longer kept." : "Nothing: it was that way already."}</p>`}
    ${truncated ? html`<p class="soft">It changed more; these are the first ${entities.length}.</p>` : ""}
    <p><a href="/account/history">Back to the history</a></p>`
}

/** The button that undoes an operation; `filter` is that of the history to come back to. */
const undoForm = (operation: Operation, csrf: string, look: string, { listId, thingId }: HistoryFilter = {}): Html => {
  const of = (name: string, id: string | undefined): Html =>
    id === undefined ? html`` : html`<input type="hidden" name="${name}" value="${id}" />`
  return html`<form method="post" action="${pathOf(operation.id)}/undo">${hiddenCsrf(csrf)}${of("thing", thingId)}${of("list", listId)}${undoButton(operation, look)}</form>`
}

const surfaces: Readonly<Record<Surface, string>> = {
  rest: "through the API",
  mcp: "with a tool",
  cli: "on the command line",
  web: "on this site"
}

const author = ({ by, surface }: Operation): string => `${by.name || `Unnamed ${by.type}`}, ${surfaces[surface]}`

const time = (at: number, zone: string): Html => {
  const instant = EpochMillis(at)
  const wall = wallText(instantToWall(zone, instant))
  return html`<time datetime="${formatTime(instant)}">${wall.slice(0, 10)} ${wall.slice(11, 19)}</time>`
}

const anId = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
const operationIds = new RegExp(`\\b(${anId})\\b`)
/** An entity, which the message names as well. */
const entityIds = new RegExp(` \\(${anId}\\)`, "g")

const partsOf = (message: string): ReadonlyArray<string> => message.replaceAll(entityIds, "").split(operationIds)

/** The ids of operations that a message names. */
export const operationsIn = (message: string): ReadonlyArray<string> =>
  partsOf(message).filter((_, index) => index % 2 === 1)

/** A message with links, by the summaries in `names`, in place of the ids of operations. */
const withLinks = (message: string, names: ReadonlyMap<string, string>): Html =>
  html`${partsOf(message).map((part, index) => (index % 2 === 0 ? html`${part}` : html`<a href="${pathOf(part)}">${names.get(part)}</a>`))}`

const entityHtml = (states: EntityStates, created: ReadonlyMap<string, string>, zone: string): Html => {
  const { after, before } = entityJson(states)
  return html`<section class="entity">
    <h3>${changeVerbs[states.change]} ${states.change === "created" ? createdHtml(states, created) : changedTitle(states)}</h3>
    ${before === null ? "" : after === null ? deletedTable(before, zone) : changedTable(before, after, zone)}
  </section>`
}

const changedTitle = (states: EntityStates): string =>
  states.type === "account" ? "settings" : `${states.type} ${plainSummary(entityName(states))}`

/** By its name now, or by its id once it is gone: the address then leads to its history. */
const createdHtml = ({ id, type }: EntityStates, created: ReadonlyMap<string, string>): Html => {
  const name = plainSummary(created.get(id) ?? id)
  return type === "list" || type === "thing"
    ? html`${type} <a href="/${type}s/${id}">${name}</a>`
    : html`${type} ${name}`
}

type Fields = Readonly<Record<string, unknown>>

const changedTable = (before: Fields, after: Fields, zone: string): Html =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Before</th>
        <th scope="col">After</th>
      </tr>
    </thead>
    <tbody>
      ${Object.keys(after).map((field) => html`<tr><th scope="row">${field}</th><td>${valueHtml(field, before[field], zone)}</td><td>${valueHtml(field, after[field], zone)}</td></tr>`)}
    </tbody>
  </table>`

const deletedTable = (before: Fields, zone: string): Html =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Before</th>
      </tr>
    </thead>
    <tbody>
      ${Object.entries(before).map(([field, value]) => (isEmpty(value) ? html`` : html`<tr><th scope="row">${field}</th><td>${valueHtml(field, value, zone)}</td></tr>`))}
    </tbody>
  </table>`

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0)

/** Most characters of a value that are shown. */
const maxCharacters = 2_000

const times: ReadonlySet<string> = new Set(["created", "updated", "at", "end", "repeat_until"])

const valueHtml = (field: string, value: unknown, zone: string): Html => {
  if (value === null || value === undefined || value === "") return html`<span class="soft">nothing</span>`
  if (typeof value !== "string") return html`${truncate(JSON.stringify(value), maxCharacters)}`
  return times.has(field) ? time(Date.parse(value), zone) : html`${truncate(value, maxCharacters)}`
}

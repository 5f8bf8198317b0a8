import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { canBeUndone, type Operation } from "@lists-and-things/domain/model/Operation"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { type Html, html } from "./Html.ts"

export const hiddenCsrf = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}" />`

export const hiddenBack = (path: string): Html => html`<input type="hidden" name="back" value="${path}" />`

/** The fields of the query of a request. */
export const queryOf = (request: HttpServerRequest.HttpServerRequest): URLSearchParams =>
  new URLSearchParams(request.url.split("?", 2)[1] ?? "")

/** Zero-based; anything that is no page is the first one. */
export const pageIn = (query: URLSearchParams): number => {
  const text = query.get("page") ?? ""
  return /^\d{1,6}$/.test(text) ? Number(text) : 0
}

/** The page of a request as it is without the notice of what was done. */
export const pathOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const url = new URL(request.url, "http://site")
  url.searchParams.delete("done")
  return `${url.pathname}${url.search}`
}

const notice = (operation: Operation, csrf: string, back: string): Html => {
  const { id, summary, undoneBy } = operation
  return html`<div class="toast">
    <p role="status">${summary}.</p>
    ${
      undoneBy !== null || !canBeUndone(operation)
        ? ""
        : html`<form method="post" action="/account/history/${id}/undo">
            ${hiddenCsrf(csrf)}${hiddenBack(back)}<button class="link" aria-label="Undo: ${summary}">Undo</button>
          </form>`
    }
    <a href="${back}" aria-label="Close">×</a>
  </div>`
}

/** What the form did that led to a page, with its undo; nothing where the address names no operation of the person. */
export const makeNotices = Effect.map(
  Operations,
  (operations) => (current: SignedIn, request: HttpServerRequest.HttpServerRequest) => {
    const id = queryOf(request).get("done") ?? ""
    if (!isIdForm(id)) return Effect.succeed(html``)
    return operations.get(id).pipe(
      Effect.map((operation) => notice(operation, current.session.csrf, pathOf(request))),
      Effect.catchTag("NotFound", () => Effect.succeed(html``))
    )
  }
)

/** A thing or a list that operations are shown of; everything without both. */
export interface Only {
  readonly thingId?: string
  readonly listId?: string
}

/** The history of one thing or list, or all of it. */
export const historyPath = ({ listId, thingId }: Only): string =>
  `/account/history${thingId === undefined ? (listId === undefined ? "" : `?list=${listId}`) : `?thing=${thingId}`}`

const entityPath = /^\/(?<kind>list|thing)s\/(?<id>[0-9a-f-]{36})(?:[/?]|$)/

/** The way to a list or a thing that was deleted, where the address is that of one. */
export const wayBack = (url: string): Html => {
  const { id = "", kind } = entityPath.exec(url)?.groups ?? {}
  if (!isIdForm(id)) return html``
  const path = historyPath(kind === "list" ? { listId: id } : { thingId: id })
  return html`<p>If it was deleted, <a href="${path}">its history</a> can bring it back.</p>`
}

import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { type Html, html } from "./Html.ts"

/** The history of a thing or of a list; of the whole account with neither. */
export interface HistoryFilter {
  readonly thingId?: string
  readonly listId?: string
}

/** The path of the history of one thing or list, or of all. */
export const historyPath = (
  { listId, thingId }: HistoryFilter,
  more: Readonly<Record<string, string>> = {}
): string => {
  const filter = thingId === undefined ? (listId === undefined ? {} : { list: listId }) : { thing: thingId }
  const query = new URLSearchParams({ ...filter, ...more })
  return query.size === 0 ? "/account/history" : `/account/history?${query}`
}

/** The list or the thing whose history is asked for. */
export const historyFilterIn = (query: URLSearchParams): HistoryFilter => {
  const [thingId, listId] = [query.get("thing") ?? "", query.get("list") ?? ""]
  return isIdForm(thingId) ? { thingId } : isIdForm(listId) ? { listId } : {}
}

/** The thing at an anchor, or else the list or thing at a path. */
export const entityAt = (anchor: string | null, path: string): HistoryFilter | undefined => {
  const thingId = anchor?.startsWith("t-") === true ? anchor.slice(2) : ""
  if (isIdForm(thingId)) return { thingId }
  const { id = "", kind } = entityPath.exec(path)?.groups ?? {}
  if (!isIdForm(id)) return undefined
  return kind === "list" ? { listId: id } : { thingId: id }
}

const entityPath = /^\/(?<kind>list|thing)s\/(?<id>[0-9a-f-]{36})(?:[/?]|$)/

/** A link to the history of a list or a thing, which may have been deleted. */
export const wayBack = (filter: HistoryFilter): Html =>
  html`<p>If it was deleted, <a href="${historyPath(filter)}">its history</a> can bring it back.</p>`

/** What a page says if nothing is at its address, which is that of a list or a thing; undefined for other addresses. */
export const missingAt = (url: string): { readonly said: string; readonly wayBack: Html } | undefined => {
  const missing = entityAt(null, url)
  if (missing === undefined) return undefined
  return { said: `You have no such ${missing.listId === undefined ? "thing" : "list"}.`, wayBack: wayBack(missing) }
}

import type { HttpServerRequest } from "effect/http"

const urlOf = (path: string): URL => new URL(path, "http://site")

/** The fields of the query of a request. */
export const queryOf = (request: HttpServerRequest.HttpServerRequest): URLSearchParams =>
  urlOf(request.url).searchParams

/** The text for the name with which a query begins, such as `saved`; undefined if there is none. */
export const namedFirst = (query: URLSearchParams, texts: ReadonlyMap<string, string>): string | undefined => {
  const [name = ""] = query.keys()
  return texts.get(name)
}

/** The page number in a query, from 0; anything invalid counts as the first page. */
export const pageIn = (query: URLSearchParams): number => {
  const text = query.get("page") ?? ""
  return /^\d{1,6}$/.test(text) ? Number(text) : 0
}

/**
 * The notice that the query of an address asks for: what an operation did, or for which thing it did nothing, and why;
 * `unchanged` that all was so already.
 */
export const noticeNames = ["done", "missed", "deepest", "topmost", "unchanged"] as const
export type NoticeName = (typeof noticeNames)[number]

/**
 * The name in the query of where an undo leads: to an anchor of the page, since servers do not receive the fragment, or
 * to the path of another page.
 */
export const placeName = "at"

const withoutNotice = ({ searchParams }: URL): void => {
  for (const name of [...noticeNames, placeName]) searchParams.delete(name)
}

/** The pages that show words of their address, by the parameter with the words. */
const pagesOfWords = [
  ["/search", "q"],
  ["/tags", "tag"]
] as const

/**
 * The address of the view that a request asks for, without notices and whatever else the page does not read. Thus only
 * `pagesOfWords`, which are not compressed, repeat words of their address (docs/browser.md#rules).
 */
export const viewPathOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const { pathname, searchParams } = urlOf(request.url)
  const query = new URLSearchParams()
  for (const [page, name] of pagesOfWords)
    if (pathname === page && searchParams.has(name)) query.set(name, searchParams.get(name) ?? "")
  if (searchParams.has("page")) query.set("page", String(pageIn(searchParams)))
  for (const name of ["open", "nest"]) if (searchParams.has(name)) query.set(name, "")
  return query.size === 0 ? pathname : `${pathname}?${query}`
}

/** An address whose page shows notices; `said` are ids by names of notices. */
export const withNotice = (
  path: string,
  said: Readonly<Partial<Record<NoticeName, string | undefined>>>,
  anchor = "",
  undone = anchor
): string => {
  const url = urlOf(path)
  withoutNotice(url)
  for (const [name, id] of Object.entries(said)) if (id !== undefined) url.searchParams.set(name, id)
  if (anchor !== "") url.hash = anchor
  const place = undone === "" ? url.hash.slice(1) : undone
  if (place !== "") url.searchParams.set(placeName, place)
  // A path that begins with two slashes names another site.
  return `${url.pathname.replace(/^\/+/, "/")}${url.search}${url.hash}`
}

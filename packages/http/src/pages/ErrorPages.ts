import { HttpServerResponse, type HttpServerRequest } from "effect/http"
import { errorPage } from "./Page.ts"

const titles: Readonly<Record<number, string>> = {
  400: "That did not work",
  403: "Not allowed",
  404: "Nothing is here",
  405: "This page takes no such request",
  500: "Something went wrong",
  503: "A moment, please"
}

/** Paths of protocols for programs, which are never answered with a page. */
const programs = /^\/(?:api|mcp|oauth|\.well-known)(?:[/?]|$)/

const wantsPage = ({ headers, url }: HttpServerRequest.HttpServerRequest): boolean =>
  /\btext\/html\b/i.test(headers["accept"] ?? "") && !programs.test(url)

const messageOf = (bytes: Uint8Array): string => {
  const body = JSON.parse(new TextDecoder().decode(bytes)) as { readonly error?: unknown }
  return String(body.error ?? "")
}

/** The headers of an error that its page has as well. */
export const headersOnPage = (
  headers: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ["allow", "retry-after", "connection"].flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value] as const]
    })
  )

/** Turns a JSON error into a page for a browser that asks for a page; returns any other answer as it is. */
export const withErrorPage = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body, headers, status } = response
  if (status < 400 || body._tag !== "Uint8Array" || body.contentType !== "application/json") return response
  if (!wantsPage(request)) return response
  const title = titles[status] ?? "That did not work"
  return errorPage(status, title, messageOf(body.body), {
    headers: { ...headersOnPage(headers), vary: "accept" }
  })
}

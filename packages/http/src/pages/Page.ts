import { HttpServerResponse } from "effect/http"
import { ofPieces } from "../edge/AnswerChunks.ts"
import { type Html, html } from "./Html.ts"
import { icon, type IconName } from "./Icons.ts"
import { iconPath, manifestPath, scriptPath, stylePath, touchIconPath, zoneScriptPath } from "./AssetPaths.ts"

export type Section = "today" | "lists" | "reminders" | "tags" | "search" | "account"

export interface PageOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Whether the answer to the page's form redirects to a program, which may redirect to any other site or scheme.
   * Browsers apply `form-action` to the whole chain, so such a page has none, and runs no script.
   */
  readonly leadsElsewhere?: boolean
  /** Name of the signed-in person; the navigation is shown only with it. */
  readonly signedInAs?: string
  /** The part of the navigation that the page belongs to. */
  readonly section?: Section
  /** The query in the search field of the header. */
  readonly query?: string
}

const policy = ({ leadsElsewhere = false }: PageOptions): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "img-src 'self'",
    "manifest-src 'self'",
    ...(leadsElsewhere ? [] : ["script-src 'self'", "worker-src 'self'", "connect-src 'self'", "form-action 'self'"])
  ].join("; ")

const sections: ReadonlyArray<{ section: Section; path: string; label: string; icon: IconName }> = [
  { section: "today", path: "/today", label: "Today", icon: "today" },
  { section: "lists", path: "/lists", label: "Lists", icon: "lists" },
  { section: "reminders", path: "/reminders", label: "Reminders", icon: "bell" },
  { section: "tags", path: "/tags", label: "Tags", icon: "tag" },
  { section: "account", path: "/account", label: "Account", icon: "account" }
]

const navigation = (name: string, current: Section | undefined): Html =>
  html`<nav class="sections" aria-label="Main">${sections.map(
    ({ icon: drawn, label, path, section }) =>
      html`<a href="${path}"${section === current ? html` aria-current="page"` : ""}${section === "account" ? html` title="${name}"` : ""}>${icon(drawn)}<span>${label}</span></a>`
  )}</nav>`

const searchForm = (query: string): Html =>
  html`<form class="find" role="search" action="/search">
    <label class="spoken" for="find">Search</label
    ><input id="find" name="q" type="search" placeholder="Search" value="${query}" maxlength="1000" required /><button
      aria-label="Search"
    >
      ${icon("search")}
    </button>
  </form>`

/** The beginning of every page, including `/docs`. */
export const pageHead = (title: string, more: Html): Html =>
  html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
    <meta name="theme-color" content="#faf8f5" media="(prefers-color-scheme: light)" />
    <meta name="theme-color" content="#161817" media="(prefers-color-scheme: dark)" />
    <title>${title} – Lists and Things</title>
    <link rel="stylesheet" href="${stylePath}" id="style" />
    <link rel="icon" href="${iconPath}" type="image/svg+xml" />
    <link rel="apple-touch-icon" href="${touchIconPath}" />
    <link rel="manifest" href="${manifestPath}" />
    ${more}`

export const scriptTag: Html = html`<script src="${scriptPath}" defer></script>`

/** Right behind the offer of a time zone, which is shown before the page goes on. */
export const zoneScriptTag: Html = html`<script src="${zoneScriptPath}"></script>`

const brand: Html = html`<img src="${iconPath}" alt="" width="26" height="26" /><span>Lists and Things</span>`

export const pageHeader = ({ query = "", section, signedInAs }: PageOptions): Html =>
  signedInAs === undefined
    ? html`<header>
        <div class="bar"><p class="brand">${brand}</p></div>
      </header>`
    : html`<a class="skip" href="#main">Skip to the content</a>
        <header>
          <div class="bar">
            <a class="brand" href="/today" aria-label="Lists and Things">${brand}</a>
            ${navigation(signedInAs, section)}${searchForm(query)}
          </div>
        </header>`

/** The id of the word that, together with a thing's text, names the link to edit the thing. */
export const editId = "edit"
const editName: Html = html`<span id="${editId}" hidden>Edit</span>`

/** A complete page, which loads nothing from elsewhere. */
export const page = (title: string, main: Html, options: PageOptions = {}): HttpServerResponse.HttpServerResponse => {
  const whole = html`<!doctype html>
      <html lang="en">
        <head>
          ${pageHead(title, options.leadsElsewhere === true ? html`` : scriptTag)}
        </head>
        <body>
          ${pageHeader(options)}
          <main id="main" tabindex="-1">${main}</main>
          ${options.signedInAs === undefined ? "" : editName}
        </body>
      </html> `
  const sent = {
    status: options.status ?? 200,
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": policy(options),
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
      "cache-control": "no-store",
      ...options.headers
    }
  }
  return whole.pieces.length === 0
    ? HttpServerResponse.text(whole.text, sent)
    : ofPieces([...whole.pieces, whole.rest], sent)
}

interface ErrorPageOptions extends Pick<PageOptions, "headers" | "signedInAs"> {
  /** Markup below the text. */
  readonly more?: Html
  /** The path of the page that the form was on; `/today` by default. */
  readonly back?: string
  /** Whether it answers a form, which did not do what it was to do. */
  readonly ofForm?: boolean
}

export const errorPage = (
  status: number,
  title: string,
  text: string,
  { back, headers, more = html``, ofForm = back !== undefined, signedInAs }: ErrorPageOptions = {}
): HttpServerResponse.HttpServerResponse =>
  page(
    title,
    html`<div class="empty">
      ${status < 400 ? "" : html`<p class="status" aria-hidden="true">${status}</p>`}
      <h1>${title}</h1>
      <p${ofForm ? html` role="alert"` : ""}>${text}</p>
      ${more}
      <p>${back === undefined ? html`<a class="button" href="/">Go to today</a>` : html`<a class="button" href="${back}">Go back</a>`}</p>
    </div>`,
    {
      status,
      ...(headers !== undefined && { headers }),
      ...(signedInAs !== undefined && { signedInAs })
    }
  )

/** 303: the browser gets `location`, whatever the method was. */
export const redirect = (location: string) => HttpServerResponse.empty({ status: 303, headers: { location } })

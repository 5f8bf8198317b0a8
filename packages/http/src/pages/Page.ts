import { HttpServerResponse } from "effect/http"
import { type Html, html } from "./Html.ts"

export const stylePath = "/style.css"

export interface PageOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A form target allowed besides this site: the redirect address of a consent. */
  readonly formTarget?: string
  /** Name of the signed-in person; the navigation is shown only with it. */
  readonly signedInAs?: string
}

const policy = (formTarget: string | undefined): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action 'self'${formTarget === undefined ? "" : ` ${formTarget}`}`
  ].join("; ")

const navigation = (name: string): Html => html`<nav aria-label="Account"><a href="/account">${name}</a></nav>`

/** A complete page, without scripts and external resources. */
export const page = (title: string, main: Html, options: PageOptions = {}): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title} – Lists and Things</title>
          <link rel="stylesheet" href="${stylePath}" />
        </head>
        <body>
          <header>
            <p class="brand">Lists and Things</p>
            ${options.signedInAs === undefined ? "" : navigation(options.signedInAs)}
          </header>
          <main>${main}</main>
        </body>
      </html> `.text,
    {
      status: options.status ?? 200,
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": policy(options.formTarget),
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
        ...options.headers
      }
    }
  )

/** An error page. */
export const errorPage = (status: number, title: string, text: string): HttpServerResponse.HttpServerResponse =>
  page(
    title,
    html`<h1>${title}</h1>
      <p>${text}</p>`,
    { status, headers: status === 503 ? { "retry-after": "1" } : {} }
  )

export const redirect = (location: string) =>
  HttpServerResponse.empty({ status: 303, headers: { location, "cache-control": "no-store" } })

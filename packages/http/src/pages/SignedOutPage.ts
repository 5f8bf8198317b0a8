import type { HttpServerResponse } from "effect/http"
import { html } from "./Html.ts"
import { page } from "./Page.ts"

/** Texts that a person types, as forms name them, with their labels. Never a password. */
const typedTexts = {
  markdown: "Lines",
  title: "Title",
  text: "Text",
  note: "Note",
  tags: "Tags",
  url: "Link",
  description: "Description"
} as const

/**
 * What was typed in a form whose session has ended, so that it can be copied: nothing was saved. Undefined for a form
 * without such a text. `next` is where the sign-in leads.
 */
export const signedOutPage = (
  fields: URLSearchParams,
  next: string
): HttpServerResponse.HttpServerResponse | undefined => {
  const typed = Object.entries(typedTexts)
    .map(([name, label]) => ({ name, label, value: fields.get(name) ?? "" }))
    .filter(({ value }) => value.trim() !== "")
  if (typed.length === 0) return undefined
  return page(
    "Signed out",
    html`<div class="sign-in">
      <h1>You are signed out</h1>
      <p class="problem" role="alert">Nothing was saved. Copy what you typed, sign in, and send it again.</p>
      ${typed.map(
        ({ label, name, value }) =>
          html`<p class="field"><label for="${name}">${label}</label><textarea id="${name}" readonly>${"\n"}${value}</textarea></p>`
      )}
      <p><a class="button" href="/sign-in?next=${encodeURIComponent(next)}">Sign in</a></p>
    </div>`,
    { status: 401 }
  )
}

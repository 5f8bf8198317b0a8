import type { HttpServerResponse } from "effect/http"
import { html } from "./Html.ts"
import { page } from "./Page.ts"
import { typedHtml } from "./TypedTexts.ts"

/**
 * Shows what was typed in a form whose session has ended, so that it can be copied: nothing was saved. Undefined for a
 * form without such texts.
 */
export const signedOutPage = (
  fields: URLSearchParams,
  signInPath: string
): HttpServerResponse.HttpServerResponse | undefined => {
  const typed = typedHtml(fields)
  return typed === undefined
    ? undefined
    : page(
        "Signed out",
        html`<div class="sign-in">
          <h1>You are signed out</h1>
          <p class="problem" role="alert">Nothing was saved. Copy what you typed, sign in, and send it again.</p>
          ${typed}
          <p><a class="button" href="${signInPath}">Sign in</a></p>
        </div>`,
        { status: 401 }
      )
}

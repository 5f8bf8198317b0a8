import { createHash } from "node:crypto"
import { textIn } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"

/**
 * What a form showed in its fields goes back with it, as digests: so a change that was made in the form is told from
 * one that was made elsewhere since.
 */
export const digestOf = (shown: string): string => createHash("sha256").update(shown).digest("base64url").slice(0, 22)

const nameOf = (field: string): string => `seen_${field}`

/** The digest of what the form showed; null where it was made without. */
export const seenIn = (fields: URLSearchParams, field: string): string | null => fields.get(nameOf(field))

export const seenInput = (field: string, digest: string): Html =>
  html`<input type="hidden" name="${nameOf(field)}" value="${digest}" />`

/** Whether a field was sent with something else than it showed. */
export const isTouched = (fields: URLSearchParams, field: string): boolean =>
  fields.has(field) && seenIn(fields, field) !== digestOf(textIn(fields, field))

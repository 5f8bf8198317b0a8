import { createHash } from "node:crypto"
import { textIn } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"

/**
 * A form sends back digests of what it showed in its fields, so that changes made in the form are distinguished from
 * changes made elsewhere since.
 */
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)

const nameOf = (field: string): string => `seen_${field}`

/** The digest of what the form showed; null if the form had none. */
export const seenIn = (fields: URLSearchParams, field: string): string | null => fields.get(nameOf(field))

export const seenInput = (field: string, digest: string): Html =>
  html`<input type="hidden" name="${nameOf(field)}" value="${digest}" />`

/** The stored values, as the fields of a form show them. */
export type Stored<Field extends string> = Readonly<Record<Field, string>>

/** A form that was refused: what was typed, and which of those fields were changed elsewhere as well. */
export interface RefusedEdit<Field extends string> {
  readonly typed: URLSearchParams
  readonly stale?: ReadonlyArray<Field>
}

/** The name of the field that lists the fields to be kept as they are saved, separated by blanks. */
const keptName = "kept"

/**
 * The fields of a form that differ from what it showed, except those to be kept as they are saved; `stale` are those
 * whose stored values have changed since.
 */
export const editedIn = <Field extends string>(
  fields: URLSearchParams,
  stored: Stored<Field>
): { readonly edited: ReadonlyArray<Field>; readonly stale: ReadonlyArray<Field> } => {
  const kept = textIn(fields, keptName).split(" ", Object.keys(stored).length)
  const isEdited = (field: Field) => {
    const typed = textIn(fields, field)
    return (
      fields.has(field) && !kept.includes(field) && seenIn(fields, field) !== digestOf(typed) && typed !== stored[field]
    )
  }
  const edited = Object.keys(stored).filter((name): name is Field => isEdited(name as Field))
  return {
    edited,
    stale: edited.filter((field) => ![null, digestOf(stored[field])].includes(seenIn(fields, field)))
  }
}

/** The value that each field of a form shows, and the digest that an edit is compared with. */
export const valuesOf = <Field extends string>(stored: Stored<Field>, refused?: RefusedEdit<Field>) => {
  const { stale, typed } = refused ?? { typed: new URLSearchParams() }
  const { edited } = editedIn(typed, stored)
  const isTyped = (field: Field) => typed.has(field) && (stale === undefined || edited.includes(field))
  return {
    value: (field: Field) => (isTyped(field) ? textIn(typed, field) : stored[field]),
    /** A person who saw the saved value and saves again replaces it on purpose. */
    seen: (field: Field) => (stale === undefined ? seenIn(typed, field) : null) ?? digestOf(stored[field]),
    saved: (field: Field) => (stale?.includes(field) === true ? stored[field] : undefined)
  }
}

/**
 * The text about fields that were changed elsewhere as well. `names` are the fields' names; `plural` is for a single
 * name in the plural.
 */
export const staleText = (names: ReadonlyArray<string>, of: string, plural = names.length > 1): string =>
  `The ${names.join(" and the ")} of this ${of} ${plural ? "were" : "was"} changed elsewhere in the meantime, so your changes are not saved yet. Both versions are below: save yours, or keep the saved one.`

/**
 * The button of a form. After a conflicting change elsewhere, the choice between both versions; and a third if fields
 * without a conflict were edited as well.
 */
export const saveButtons = <Field extends string>(
  page: string,
  stored: Stored<Field>,
  { stale, typed }: Partial<RefusedEdit<Field>> = {}
): Html => {
  if (typed === undefined || stale === undefined) return html`<button>Save</button>`
  const rest = editedIn(typed, stored).edited.some((field) => !stale.includes(field))
    ? html`<button class="quiet" name="${keptName}" value="${stale.join(" ")}">Save my other changes</button>`
    : ""
  return html`<p class="buttons"><button>Save my version</button>${rest}<a class="button quiet" href="${page}">Keep the saved version</a></p>`
}

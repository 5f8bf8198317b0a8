import { createHash } from "node:crypto"
import { textIn } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"

/**
 * What a form showed in its fields goes back with it, as digests: so a change that was made in the form is told from
 * one that was made elsewhere since.
 */
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)

const nameOf = (field: string): string => `seen_${field}`

/** The digest of what the form showed; null where it was made without. */
export const seenIn = (fields: URLSearchParams, field: string): string | null => fields.get(nameOf(field))

export const seenInput = (field: string, digest: string): Html =>
  html`<input type="hidden" name="${nameOf(field)}" value="${digest}" />`

/** What is stored, as the fields of a form show it. */
export type Stored<Field extends string> = Readonly<Record<Field, string>>

/** A form that was refused: what was typed, and which of its fields were changed elsewhere as well. */
export interface RefusedEdit<Field extends string> {
  readonly typed: URLSearchParams
  readonly stale?: ReadonlyArray<Field>
}

/** Names the fields that stay as they are saved, with blanks between. */
const keptName = "kept"

/**
 * The fields of a form that differ from what it showed, but those that are to stay as they are saved; `stale` are those
 * that have become something else since.
 */
export const editedIn = <Field extends string>(
  fields: URLSearchParams,
  stored: Stored<Field>
): { readonly edited: ReadonlyArray<Field>; readonly stale: ReadonlyArray<Field> } => {
  const kept = textIn(fields, keptName).split(" ")
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

/** The value that each field of a form has, and the one whose change an edit is compared with. */
export const valuesOf = <Field extends string>(stored: Stored<Field>, refused?: RefusedEdit<Field>) => {
  const { stale, typed } = refused ?? { typed: new URLSearchParams() }
  const { edited } = editedIn(typed, stored)
  const isTyped = (field: Field) => typed.has(field) && (stale === undefined || edited.includes(field))
  return {
    value: (field: Field) => (isTyped(field) ? textIn(typed, field) : stored[field]),
    /** Whoever was shown what is saved now, and saves again, means it. */
    seen: (field: Field) => (stale === undefined ? seenIn(typed, field) : null) ?? digestOf(stored[field]),
    saved: (field: Field) => (stale?.includes(field) === true ? stored[field] : undefined)
  }
}

/** `names` are those of the fields, as in a sentence; `plural` where one of them alone is. */
export const staleText = (names: ReadonlyArray<string>, of: string, plural = names.length > 1): string =>
  `Meanwhile the ${names.join(" and the ")} of this ${of} ${plural ? "were" : "was"} changed elsewhere, so nothing of yours is saved yet. Both are below: save yours in its place, or keep what is saved.`

/**
 * The button of a form; where it was changed elsewhere, the choice between both, and a third where more was typed than
 * what was changed elsewhere.
 */
export const saveButtons = <Field extends string>(
  page: string,
  stored: Stored<Field>,
  { stale, typed }: Partial<RefusedEdit<Field>> = {}
): Html => {
  if (typed === undefined || stale === undefined) return html`<button>Save</button>`
  const rest = editedIn(typed, stored).edited.some((field) => !stale.includes(field))
    ? html`<button class="quiet" name="${keptName}" value="${stale.join(" ")}">Save the rest of mine</button>`
    : ""
  return html`<p class="buttons"><button>Save mine</button>${rest}<a class="button quiet" href="${page}">Keep what is saved</a></p>`
}

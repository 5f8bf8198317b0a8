import { type Html, html } from "./Html.ts"

/** A text as a field of one line shows it: browsers remove its line breaks. */
export const oneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, "")

/** The options of a choice, in order: the value that the form sends, and its name. */
export type Options<Value> = ReadonlyArray<readonly [value: Value, name: string]>

/**
 * A select field whose id equals its name. `hint`: the id of the element that describes it. Without
 * `autocomplete="off"`, Firefox restores an old choice on a reload, even beside newer data.
 */
export const select = <Value extends string | number>(
  id: string,
  options: Options<Value>,
  chosen: Value | undefined,
  hint?: string
): Html =>
  html`<select id="${id}" name="${id}" autocomplete="off"${hint === undefined ? "" : html` aria-describedby="${hint}"`}>${options.map(
    ([value, name]) => html`<option value="${value}"${value === chosen ? html` selected` : ""}>${name}</option>`
  )}</select>`

/** What is wrong with a field of a refused form. A page shows one at most. */
export interface FieldProblem {
  /** The name of the field in the form. */
  readonly field: string
  readonly text: string
}

/** The id of the message. */
export const wrongId = "wrong"

/** The message below a field if the problem is about it. */
export const wrongHtml = (name: string, problem: FieldProblem | undefined): Html =>
  name === problem?.field ? html`<span class="wrong" id="${wrongId}">${problem.text}</span>` : html``

/** The attributes of a field that refer to its hint, by its id, and to its message. */
export const described = (name: string, problem: FieldProblem | undefined, hint = ""): Html => {
  const isWrong = name === problem?.field
  const ids = [hint, isWrong ? wrongId : ""].filter((id) => id !== "").join(" ")
  return html`${isWrong ? html` aria-invalid="true"` : ""}${ids === "" ? "" : html` aria-describedby="${ids}"`}`
}

export const hiddenCsrf = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}" />`

export const hiddenBack = (path: string): Html => html`<input type="hidden" name="back" value="${path}" />`

/** Hidden fields that every form of a page sends. */
export interface Origin {
  readonly csrf: string
  /** The path of the page, to come back to. */
  readonly back: string
}

export const originHtml = ({ back, csrf }: Origin): Html => html`${hiddenCsrf(csrf)}${hiddenBack(back)}`

/** The name of the field that identifies a form. */
export const formIdName = "form"

export const hiddenFormId = (id: string): Html => html`<input type="hidden" name="${formIdName}" value="${id}" />`

/** Also identifies a form, so that its second copy has no effect of its own; `form` is from `newFormId`. */
export interface OnceOrigin extends Origin {
  readonly form: string
}

export const onceHtml = (origin: OnceOrigin): Html => html`${originHtml(origin)}${hiddenFormId(origin.form)}`

import { type Html, html } from "./Html.ts"

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

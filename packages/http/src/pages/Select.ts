import { type Html, html } from "./Html.ts"

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

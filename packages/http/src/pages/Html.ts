/** Markup that is safe to send: a constant, or made by `html`, which escapes every value that is not markup. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | undefined | false | ReadonlyArray<Html>

const special = /[&<>"']/

const escaped = (text: string): string =>
  special.test(text) ? text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`) : text

const rendered = (value: Value): string => {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map((each: Html) => each.text).join("")
  return value === undefined || value === false ? "" : escaped(String(value))
}

/** A template that escapes its values in text and attributes: `html`<b title="${title}">${text}</b>``. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html(parts.reduce((text, part, index) => text + rendered(values[index - 1]) + part))

/** Markup that is safe to send: a constant, or made by `html`, which escapes every value that is not markup. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | undefined | false | ReadonlyArray<Html>

const special = /[&<>"']/
const everySpecial = /[&<>"']/g
const references: Readonly<Record<string, string>> = {
  "&": "&#38;",
  "<": "&#60;",
  ">": "&#62;",
  '"': "&#34;",
  "'": "&#39;"
}

const escaped = (text: string): string =>
  special.test(text) ? text.replace(everySpecial, (character) => references[character]!) : text

const rendered = (value: Value): string => {
  if (typeof value === "string") return escaped(value)
  if (value instanceof Html) return value.text
  if (value === undefined || value === false) return ""
  if (typeof value === "number") return String(value)
  let text = ""
  for (const each of value) text += each.text
  return text
}

/** A template that escapes its values in text and attributes: `html`<b title="${title}">${text}</b>``. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html => {
  let text = parts[0]!
  for (let index = 0; index < values.length; index++) text += rendered(values[index]) + parts[index + 1]!
  return new Html(text)
}

/**
 * The same markup as one piece of memory. V8 keeps a text that was put together as a tree of its parts until it is read:
 * those of a long page are millions, which a collection of garbage follows one by one while nothing else runs.
 */
export const flat = (markup: Html): Html => {
  // Reads all of the text, as no other operation on it does that changes nothing.
  Number(markup.text)
  return markup
}

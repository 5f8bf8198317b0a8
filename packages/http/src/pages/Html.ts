const none: ReadonlyArray<never> = []

/** Markup that is safe to send: a constant, or made by `html`, which escapes every value that is not markup. */
export class Html {
  /** All but the end of long markup; empty for short markup. */
  readonly pieces: ReadonlyArray<string>
  readonly rest: string

  constructor(rest: string, pieces: ReadonlyArray<string> = none) {
    this.rest = rest
    this.pieces = pieces
  }

  get text(): string {
    return this.pieces.length === 0 ? this.rest : `${this.pieces.join("")}${this.rest}`
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

/** Characters from which a piece is complete. */
const pieceLength = 64 * 1024

/** Joins markup part by part. Long markup is kept in pieces, so that no single step on it takes long. */
export class HtmlParts {
  readonly #pieces: Array<string> = []
  #rest = ""

  add({ pieces, rest }: Html): void {
    if (pieces.length > 0) {
      if (this.#rest !== "") this.#cut()
      for (const piece of pieces) this.#pieces.push(piece)
    }
    this.#rest += rest
    if (this.#rest.length >= pieceLength) this.#cut()
  }

  whole(): Html {
    return new Html(this.#rest, this.#pieces.length === 0 ? none : this.#pieces)
  }

  /**
   * V8 keeps a concatenated string as a tree of its parts until it is read. A long page has millions of parts, which a
   * garbage collection visits one by one while nothing else runs.
   */
  #cut(): void {
    // Flattens the string, since a conversion has to read all of it.
    Number(this.#rest)
    this.#pieces.push(this.#rest)
    this.#rest = ""
  }
}

/** The text of a value; undefined if it is long markup, or contains some. */
const rendered = (value: Value): string | undefined => {
  if (typeof value === "string") return escaped(value)
  if (value instanceof Html) return value.pieces === none ? value.rest : undefined
  if (value === undefined || value === false) return ""
  if (typeof value === "number") return String(value)
  let text = ""
  for (const each of value) {
    if (each.pieces !== none) return undefined
    text += each.rest
  }
  return text
}

/** A template that escapes its values in text and attributes: `html`<b title="${title}">${text}</b>``. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html => {
  let text = parts[0]!
  for (let index = 0; index < values.length; index++) {
    const value = rendered(values[index])
    if (value === undefined) return longHtml(parts, values)
    text += value + parts[index + 1]!
  }
  return text.length < pieceLength ? new Html(text) : longHtml(parts, values)
}

const longHtml = (parts: TemplateStringsArray, values: ReadonlyArray<Value>): Html => {
  const whole = new HtmlParts()
  whole.add(new Html(parts[0]!))
  for (const [index, value] of values.entries()) {
    if (Array.isArray(value)) for (const each of value as ReadonlyArray<Html>) whole.add(each)
    else whole.add(value instanceof Html ? value : new Html(rendered(value)!))
    whole.add(new Html(parts[index + 1]!))
  }
  return whole.whole()
}

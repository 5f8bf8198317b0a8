/** Values that differ from run to run, by kind. What a document shows of one stands for another of its kind. */
const kinds = {
  id: String.raw`[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}`,
  short: String.raw`(?:(?<=^|\n)[0-9a-f]{4,12}(?= {2})|(?<=\()[0-9a-f]{4,12}(?=\)))`,
  key: String.raw`lat_\w{12}(?:_\w{49})?`,
  tag: String.raw`"[\w-]{22}"`,
  cursor: String.raw`\bWy[\w-]{20,}`,
  instant: String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z`,
  minute: String.raw`\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?`,
  date: String.raw`\b\d{4}-\d\d-\d\d\b`,
  epoch: String.raw`\b1[789]\d{8}(?:\d{3})?\b`,
  rest: "…"
} as const

type Kind = keyof typeof kinds

const anyKind = new RegExp(
  Object.entries(kinds)
    .map(([name, pattern]) => `(?<${name}>${pattern})`)
    .join("|"),
  "g"
)

/** Kinds of which the same value in the document is the same value in the run. */
const lasting: ReadonlySet<Kind> = new Set(["id", "short", "key", "tag", "cursor"])

/** Times of a whole or half hour are meant as they stand; others are readings of a clock. */
const isRound = (time: string): boolean => /[ T]\d\d:[03]0(?::00(?:\.000)?Z)?$/.test(time)

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000

/** Days around the one of the transcript, which move with it; dates further away are meant as they stand. */
const nearDays = 40

/**
 * What a document shows, beside what a run says. `…` stands for anything within its line, and for any lines where it
 * is one by itself. Dates near the day of the transcript count from the day of the run.
 */
export class Shown {
  readonly #actual = new Map<string, string>()
  readonly #recorded: number | undefined
  #today = 0

  constructor(recorded: string | undefined) {
    this.#recorded = recorded === undefined ? undefined : dayNumber(recorded)
  }

  set today(date: string) {
    this.#today = dayNumber(date)
  }

  /** Text of a document, with the run's values in place of those that it shows. */
  inRun(text: string): string {
    const known = text.replaceAll(anyKind, (value) => this.#actual.get(value) ?? value)
    return known.replaceAll(new RegExp(kinds.date, "g"), (date) => this.#moved(date, 1))
  }

  /** Text of a run, with the document's values, as far as it shows them, and days counted from the transcript's. */
  inDocument(text: string): string {
    const documented = new Map([...this.#actual].map(([shown, actual]) => [actual, shown]))
    const known = text.replaceAll(anyKind, (value) => documented.get(value) ?? value)
    return known.replaceAll(new RegExp(kinds.date, "g"), (date) => this.#moved(date, -1))
  }

  /** Whether a run may say this where the document shows that; from then on its ids are known. */
  matches(shown: string, said: string): boolean {
    const groups = new Map<string, string>()
    const matched = this.#pattern(shown.trimEnd(), groups).exec(said.trimEnd())
    if (matched === null) return false
    for (const [value, group] of groups) this.#actual.set(value, matched.groups![group]!)
    return true
  }

  #pattern(shown: string, groups: Map<string, string>): RegExp {
    const parts: Array<string> = []
    let end = 0
    for (const match of shown.matchAll(anyKind)) {
      parts.push(escaped(shown.slice(end, match.index)))
      const isLine = /(?:^|\n) *$/.test(shown.slice(0, match.index)) && /^(?:\n|$)/.test(shown.slice(match.index + 1))
      parts.push(this.#part(match, isLine, groups))
      end = match.index + match[0].length
    }
    parts.push(escaped(shown.slice(end)))
    return new RegExp(`^${parts.join("")}$`)
  }

  #part(match: RegExpExecArray, isLine: boolean, groups: Map<string, string>): string {
    const [value] = match
    const [kind] = Object.entries(match.groups!).find(([, found]) => found !== undefined)! as [Kind, string]
    if (kind === "rest") return isLine ? String.raw`[^\n]*(?:\n[^\n]*)*?` : "[^\\n]*?"
    if (kind === "date") return this.#moved(value, 1)
    if (kind === "instant" || kind === "minute") return isRound(value) ? this.#moved(value, 1) : kinds[kind]
    if (!lasting.has(kind)) return kinds[kind]
    const known = this.#actual.get(value)
    if (known !== undefined) return escaped(known)
    const group = groups.get(value)
    if (group !== undefined) return `\\k<${group}>`
    groups.set(value, `v${groups.size}`)
    return `(?<v${groups.size - 1}>${kinds[kind]})`
  }

  /** A date, or a time that begins with one, from the days of the document to those of the run, or back. */
  #moved(text: string, direction: 1 | -1): string {
    const day = dayNumber(text.slice(0, 10))
    if (this.#recorded === undefined) return text
    const near = direction === 1 ? this.#recorded : this.#today
    if (Math.abs(day - near) > nearDays) return text
    const moved = new Date((day + direction * (this.#today - this.#recorded)) * 86_400_000)
    return moved.toISOString().slice(0, 10) + text.slice(10)
  }
}

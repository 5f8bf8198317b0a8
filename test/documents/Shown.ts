/** Values that differ from run to run, by kind. A value in a document stands for another one of its kind. */
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

/** Kinds for which equal values in the document must be equal values in the run. */
const lasting: ReadonlySet<Kind> = new Set(["id", "short", "key", "tag", "cursor"])

/** Times at a whole or half hour are compared literally; others are readings of a clock. */
const isRound = (time: string): boolean => /[ T]\d\d:[03]0(?::00(?:\.000)?Z)?$/.test(time)

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000

/** Dates within this many days of the transcript move with its day; dates further away are compared literally. */
const nearDays = 40

/**
 * Compares what a document shows with the output of a run. `…` stands for anything within its line, and for any lines
 * if it is a line by itself. Dates near the day of the transcript are shifted to the day of the run.
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

  /** Returns a text of the document with its values replaced by those of the run. */
  inRun(text: string): string {
    const known = text.replaceAll(anyKind, (value) => this.#actual.get(value) ?? value)
    return known.replaceAll(new RegExp(kinds.date, "g"), (date) => this.#moved(date, 1))
  }

  /** Returns a text of the run with its values and dates replaced by those of the document, if known. */
  inDocument(text: string): string {
    const documented = new Map([...this.#actual].map(([shown, actual]) => [actual, shown]))
    const known = text.replaceAll(anyKind, (value) => documented.get(value) ?? value)
    return known.replaceAll(new RegExp(kinds.date, "g"), (date) => this.#moved(date, -1))
  }

  /** Whether the output `said` fits the documented `shown`; if so, remembers the ids of the run. */
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

  /** Shifts a date, or a time that begins with one, from the days of the document to those of the run, or back. */
  #moved(text: string, direction: 1 | -1): string {
    const day = dayNumber(text.slice(0, 10))
    if (this.#recorded === undefined) return text
    const near = direction === 1 ? this.#recorded : this.#today
    if (Math.abs(day - near) > nearDays) return text
    const moved = new Date((day + direction * (this.#today - this.#recorded)) * 86_400_000)
    return moved.toISOString().slice(0, 10) + text.slice(10)
  }
}

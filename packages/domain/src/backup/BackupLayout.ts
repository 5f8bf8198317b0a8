import { Effect, Stream } from "effect"

/** The text of an export in pieces of any length, which can be read several times. */
export type BackupText<E> = Stream.Stream<string, E>

/** The kinds of records, in the order of an export. */
export const sections = ["places", "lists", "things", "reminders", "webhooks"] as const
export type Section = (typeof sections)[number]

/** Version 1 has none. */
const optional: Section = "webhooks"

/** What an export consists of, in its order: first what describes it, then its records. Lines are 1-based. */
export type Part = Head | Records

export interface Head {
  readonly _tag: "Head"
  /** The export without its records. */
  readonly value: unknown
  readonly lineOf: (field: string) => number
}

export interface Records {
  readonly _tag: "Records"
  readonly section: Section
  /** The index of the first. */
  readonly from: number
  readonly values: ReadonlyArray<unknown>
  readonly lineOf: (field: string, at: number) => number
}

export type Parts<E> = Stream.Stream<Part, E>

/** A line that is not laid out as an export writes it, though the text may be JSON with the same content. */
export class OtherLayout {
  readonly _tag = "OtherLayout"
  readonly line: number
  constructor(line: number) {
    this.line = line
  }
}

/** Characters of a line, far more than the longest record has. */
const maxLine = 2 ** 27

/**
 * Reads an export line by line, since one of a large account does not fit into one text. That is how it is written: one
 * record per line, between lines that begin and end a section.
 */
export const partsOf = <E>(text: BackupText<E>): Parts<E | OtherLayout> =>
  Stream.suspend(() => {
    const reader = new LayoutReader()
    const parts = Stream.mapEffect(Stream.chunks(linesOf(text)), (lines) =>
      Effect.suspend(() => attempt(() => reader.read(lines)))
    )
    const end = Stream.fromEffect(Effect.suspend(() => attempt(() => reader.end())))
    return Stream.flattenIterable(Stream.concat(parts, end))
  })

const attempt = <A>(read: () => A): Effect.Effect<A, OtherLayout> =>
  Effect.try({
    try: read,
    catch: (error) => {
      if (error instanceof OtherLayout) return error
      throw error
    }
  })

const linesOf = <E>(text: BackupText<E>): Stream.Stream<string, E | OtherLayout> =>
  Stream.suspend(() => {
    let [line, length] = [1, 0]
    const bounded = Stream.mapEffect(text, (piece): Effect.Effect<string, OtherLayout> => {
      for (let at = piece.indexOf("\n"); at !== -1; at = piece.indexOf("\n", at + 1)) line++
      const last = piece.lastIndexOf("\n")
      length = last === -1 ? length + piece.length : piece.length - last - 1
      return length > maxLine ? Effect.fail(new OtherLayout(line)) : Effect.succeed(piece)
    })
    return Stream.splitLines(bounded)
  })

class LayoutReader {
  private line = 0
  private head: Array<string> | undefined = []
  private section: Section | undefined
  /** The index of the next section. */
  private next = 0
  /** The number of records of the section so far. */
  private records = 0
  /** What the line before says: whether a record or section must or must not follow. */
  private follows: boolean | undefined
  private isEnded = false

  /** The parts that these lines complete. */
  read(lines: ReadonlyArray<string>): ReadonlyArray<Part> {
    const parts: Array<Part> = []
    let values: Array<unknown> = []
    const flush = () => {
      const { section } = this
      if (values.length === 0 || section === undefined) return
      const from = this.records - values.length
      const first = this.line - values.length + 1
      parts.push({ _tag: "Records", section, from, values, lineOf: (_, at) => first + at - from })
      values = []
    }
    for (const line of lines) {
      if (this.section !== undefined && /^\],?$/.test(line)) flush()
      this.line++
      if (this.head !== undefined) parts.push(...this.readHead(this.head, line))
      else if (this.section !== undefined) this.readRecord(line, values)
      else this.readBetween(line)
    }
    flush()
    return parts
  }

  end(): ReadonlyArray<Part> {
    return this.isEnded ? [] : this.refuse()
  }

  private refuse(): never {
    throw new OtherLayout(this.line)
  }

  private parse(json: string): unknown {
    try {
      return JSON.parse(json)
    } catch {
      return this.refuse()
    }
  }

  /** What comes before the first section. */
  private readHead(head: Array<string>, line: string): ReadonlyArray<Part> {
    if (head.length === 0 ? line !== "{" : head.length > 100) return this.refuse()
    if (!line.endsWith(": [")) {
      head.push(line)
      return []
    }
    const written = head.join("\n")
    if (!written.endsWith(",")) return this.refuse()
    const value = this.parse(`${written.slice(0, -1)}}`) as object
    this.head = undefined
    this.follows = true
    this.readBetween(line)
    const empty = Object.fromEntries(sections.map((section) => [section, []]))
    return [{ _tag: "Head", value: { ...value, ...empty }, lineOf: (field) => lineOfField(head, field) }]
  }

  private readRecord(line: string, values: Array<unknown>): void {
    if (line === "]" || line === "],") {
      if (this.follows === true) return this.refuse()
      this.follows = line === "],"
      this.section = undefined
      return
    }
    if (this.follows === false) return this.refuse()
    this.follows = line.endsWith(",")
    values.push(this.parse(this.follows ? line.slice(0, -1) : line))
    this.records++
  }

  private readBetween(line: string): void {
    if (this.isEnded) {
      if (line.trim() !== "") this.refuse()
      return
    }
    const section = sections[this.next]
    if (this.follows === true && section !== undefined && line === `"${section}": [`) {
      this.section = section
      this.next++
      this.records = 0
      this.follows = undefined
      return
    }
    const isWhole = section === undefined || section === optional
    if (this.follows === false && isWhole && line === "}") this.isEnded = true
    else this.refuse()
  }
}

/** The line of a field of the head, each of which begins one. */
const lineOfField = (head: ReadonlyArray<string>, field: string): number => {
  const name = JSON.stringify(/^[^.[]*/.exec(field)![0])
  return head.findIndex((line) => line.startsWith(`${name}:`)) + 1 || 1
}

import { truncate } from "../text/Characters.ts"
import { type LongText, PieceWriter } from "../text/LongText.ts"
import { collapsed } from "../text/Quoted.ts"
import type { List } from "../model/List.ts"
import { plainText } from "./TextMarkup.ts"
import type { Steps } from "../scheduling/Yielding.ts"
import type { Thing } from "../model/Thing.ts"

/** The contract's "Fetched document", except for its address, which the host adds. */
export interface Document {
  readonly id: string
  readonly title: string
  readonly text: LongText
  readonly kind: "list" | "thing"
  readonly listId: string
  readonly type: string
  readonly tags: ReadonlyArray<string>
}

const titleLength = 200

/**
 * A thing's title: its text without markup, on one line, truncated to 200 characters and `…`
 * (docs/decisions.md#search).
 */
export const thingTitle = (thing: Thing): string => {
  const text = collapsed(plainText(thing.text, thing.code))
  return truncate(text === "" ? thing.url || (thing.photos[0] ?? "") : text, titleLength)
}

/** A list as markdown, one line for each thing in the order given; its tags are those of its things, each once. */
export function* listDocument(list: List, things: ReadonlyArray<Thing>): Steps<Document> {
  const writer = new PieceWriter()
  const tags = new Set<string>()
  for (const [at, thing] of things.entries()) {
    yield* writeLines({ ...thing, text: onOneLine(thing) }, at === things.length - 1 ? "" : "\n", writer)
    for (const tag of thing.tags) tags.add(tag)
    yield
  }
  return {
    id: list.id,
    title: list.title,
    text: writer.written(),
    kind: "list",
    listId: list.id,
    type: "list",
    tags: [...tags]
  }
}

/** A thing alone, at no depth, also where it is nested in its list. */
export function* thingDocument(thing: Thing): Steps<Document> {
  const writer = new PieceWriter()
  yield* writeLines({ ...thing, tabs: 0 }, "", writer)
  return {
    id: thing.id,
    title: thingTitle(thing),
    text: writer.written(),
    kind: "thing",
    listId: thing.listId,
    type: thing.type,
    tags: thing.tags
  }
}

const indentOf = (tabs: number): string => "  ".repeat(tabs)

/**
 * Levels that the lines below a thing are indented by at most: there may be half a million of them, which a thousand
 * levels would make a thousand times as long.
 */
const deepestBelow = 8

/** Before each line below a thing. */
const indentBelow = ({ tabs }: Thing): string => `${indentOf(Math.min(tabs, deepestBelow))}    `

/**
 * In a list's document each thing is one line: line breaks in its text are joined, except in code, which follows below.
 */
const onOneLine = (thing: Thing): string =>
  thing.code
    ? thing.text.replaceAll("\n", `\n${indentBelow(thing)}`)
    : thing.text.trim().replaceAll(/(?<!\s)\s*\n\s*/g, " ")

/** Characters of a note after which it is paused, at the end of a line. */
const noteCharactersPerStep = 32 * 1024

/**
 * One thing as people write it: indented by two spaces per tab, its note below. A piece ends behind a line, unless the
 * line is long. `ending` ends the last line.
 */
function* writeLines(thing: Thing, ending: string, writer: PieceWriter): Steps<void> {
  const address = thing.text.includes(thing.url) ? [] : [thing.url]
  const said = [thing.text, ...address, ...thing.photos].filter((each) => each !== "").join(" ")
  const { note } = thing
  writer.add(`${indentOf(thing.tabs)}${marker(thing)}${said}`.trimEnd() + (note === "" ? ending : "\n"))
  if (note === "") return
  const indent = indentBelow(thing)
  for (let from = 0; from <= note.length;) {
    const end = note.indexOf("\n", from + noteCharactersPerStep)
    const to = end === -1 ? note.length : end
    const below = note.slice(from, to).split("\n")
    from = to + 1
    const isLast = from > note.length
    writer.add(below.map((each) => `${indent}${each}`.trimEnd()).join("\n") + (isLast ? ending : "\n"))
    if (!isLast) yield
  }
}

const marker = (thing: Thing): string => {
  const heading = thing.header ? "# " : thing.subheader ? "## " : ""
  if (thing.canceled) return `[-] ${heading}`
  if (thing.completed) return `[x] ${heading}`
  if (thing.type === "todo" && heading === "") return "[ ] "
  if (thing.type === "number" && heading === "") return "1. "
  return (thing.type === "dash" || thing.type === "bullet") && heading === "" ? "- " : heading
}

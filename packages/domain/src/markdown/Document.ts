import { truncate } from "../text/Characters.ts"
import type { List } from "../model/List.ts"
import { plainText } from "./TextMarkup.ts"
import type { Steps } from "../scheduling/Yielding.ts"
import type { Thing } from "../model/Thing.ts"

/** The contract's "Fetched document", except for its address, which the host adds. */
export interface Document {
  readonly id: string
  readonly title: string
  readonly text: string
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
  const text = plainText(thing.text, thing.code).replaceAll(/\s+/g, " ").trim()
  return truncate(text === "" ? thing.url || (thing.photos[0] ?? "") : text, titleLength)
}

export function* listDocument(list: List, things: ReadonlyArray<Thing>): Steps<Document> {
  const lines: Array<string> = []
  const tags = new Set<string>()
  for (const thing of things) {
    lines.push(line({ ...thing, text: onOneLine(thing) }))
    for (const tag of thing.tags) tags.add(tag)
    yield
  }
  return {
    id: list.id,
    title: list.title,
    text: lines.join("\n"),
    kind: "list",
    listId: list.id,
    type: "list",
    tags: [...tags]
  }
}

export const thingDocument = (thing: Thing): Document => ({
  id: thing.id,
  title: thingTitle(thing),
  text: line({ ...thing, tabs: 0 }),
  kind: "thing",
  listId: thing.listId,
  type: thing.type,
  tags: thing.tags
})

/**
 * In a list's document each thing is one line: line breaks in its text are joined, except in code, which follows below.
 */
const onOneLine = ({ code, tabs, text }: Thing): string =>
  code ? text.replaceAll("\n", `\n${"  ".repeat(tabs)}    `) : text.trim().replaceAll(/(?<!\s)\s*\n\s*/g, " ")

/** One thing as people write it: indented by two spaces per tab, its note indented below. */
const line = (thing: Thing): string => {
  const indent = "  ".repeat(thing.tabs)
  const address = thing.text.includes(thing.url) ? [] : [thing.url]
  const said = [thing.text, ...address, ...thing.photos].filter((each) => each !== "").join(" ")
  const note = thing.note.split("\n").map((each) => `${indent}    ${each}`.trimEnd())
  return [`${indent}${marker(thing)}${said}`.trimEnd(), ...(thing.note === "" ? [] : note)].join("\n")
}

const marker = (thing: Thing): string => {
  const heading = thing.header ? "# " : thing.subheader ? "## " : ""
  if (thing.canceled) return `[-] ${heading}`
  if (thing.completed) return `[x] ${heading}`
  if (thing.type === "todo" && heading === "") return "[ ] "
  if (thing.type === "number" && heading === "") return "1. "
  return (thing.type === "dash" || thing.type === "bullet") && heading === "" ? "- " : heading
}

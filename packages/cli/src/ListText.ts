import { instantToWall, localDateOf, wallText } from "@lists-and-things/domain/days/Zone"
import type { ListView } from "@lists-and-things/domain/lists/Lists"
import { everyDayText } from "@lists-and-things/domain/recurrence/ReminderSummary"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { runStepsSync } from "@lists-and-things/domain/scheduling/Yielding"
import { listDocument, thingTitle } from "@lists-and-things/domain/markdown/Document"
import { isOpen, type Thing } from "@lists-and-things/domain/model/Thing"
import type { Terminal } from "./Terminal.ts"
import type { ThingContext } from "./ThingRefs.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/**
 * A list as readable text: its title, then each thing with its name from `nameOf`, `[ ]` or `[x]`, indentation, tags
 * and reminder.
 */
export const listText = (terminal: Terminal, view: ListView, nameOf: (id: string) => string): string => {
  const { list, reminders, things } = view
  const title = terminal.paint("bold", `${list.emoji === "" ? "" : `${list.emoji} `}${list.title}`)
  const notes = new Map(reminders.map((each) => [each.thing.id, reminderText(each)]))
  const numberOf = numbering()
  const widest = things.reduce((max, { id }) => Math.max(max, nameOf(id).length), 0)
  const lines = things.map((thing) => {
    const text = runStepsSync(listDocument(list, [thing]))
      .text.toString()
      .replace(/^( *)1\. /, `$1${numberOf(thing)}. `)
    const [first = "", ...rest] = text.split("\n")
    const marked = marksOn(terminal, first, tagsText(thing.tags), notes.get(thing.id))
    const shown = isOpen(thing) ? marked : terminal.paint("dim", marked)
    const name = nameOf(thing.id).padEnd(widest)
    const under = " ".repeat(name.length + 2)
    return [`${terminal.paint("dim", name)}  ${shown}`, ...rest.map((line) => under + line)].join("\n")
  })
  return [title, ...(lines.length === 0 ? [terminal.paint("dim", "(nothing here yet)")] : lines)].join("\n")
}

const marksOn = (terminal: Terminal, line: string, tags: string, reminder: string | undefined): string =>
  [line, terminal.paint("cyan", tags), terminal.paint("yellow", reminder ?? "")]
    .filter((part) => part !== "")
    .join("  ")

export const tagsText = (tags: ReadonlyArray<string>): string => tags.map((name) => `#${name}`).join(" ")

/** Things of other lists under a heading, each with its short id, first line, tags, reminder and list. */
export const otherListsText = (
  terminal: Terminal,
  title: string,
  views: ReadonlyArray<ReminderView>,
  { lists, shortOf }: ThingContext
): string => {
  const lines = views.map((view) => {
    const { thing } = view
    const marked = marksOn(terminal, `[ ] ${thingTitle(thing)}`, tagsText(thing.tags), reminderText(view))
    const list = lists.get(thing.listId)?.title
    return `${terminal.paint("dim", shortOf(thing.id))}  ${marked}${list === undefined ? "" : `  in ${list}`}`
  })
  return ["", terminal.paint("bold", title), ...lines].join("\n")
}

/** Numbers consecutive numbered things of one level. */
const numbering = (): ((thing: Thing) => number) => {
  let numbers: Array<number> = []
  return ({ tabs, type }) => {
    numbers = numbers.slice(0, tabs + 1)
    numbers[tabs] = type === "number" ? (numbers[tabs] ?? 0) + 1 : 0
    return numbers[tabs]
  }
}

const reminderText = ({ place, reminder, zone }: ReminderView): string => {
  const { trigger } = reminder
  if (trigger._tag === "Place") return `(${trigger.on === "arrive" ? "at" : "leaving"} ${place?.name ?? "a place"})`
  const repeats = trigger.rule.repeat === "none" ? "" : `, ${everyDayText(trigger.rule)}`
  const due = trigger.allDay ? localDateOf(zone, trigger.at) : localText(trigger.at, zone)
  return `(${due}${repeats})`
}

/** `2026-11-21 09:30` on the clock of a zone. */
export const localText = (at: EpochMillis, zone: string): string =>
  wallText(instantToWall(zone, at)).slice(0, 16).replace("T", " ")

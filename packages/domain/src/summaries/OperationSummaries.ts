import { Equal } from "effect"
import { localDateOf } from "../days/Zone.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { Operation } from "../model/Operation.ts"
import { truncateTo } from "../text/Characters.ts"
import { collapsed } from "../text/Quoted.ts"
import { counted, enumerated } from "../text/Wording.ts"

/** The one-line summaries of what operations changed, in English (docs/decisions.md#history). */

/** Characters of a title or text in a summary, with the ellipsis. */
const maxLength = 80

/** A title or text in a line: in quotation marks, in one line, cut at 80 characters with the ellipsis. */
export const shortText = (text: string): string => {
  // Enough of it for so many characters, however much of it is white space.
  const beginning = text.slice(0, 20 * maxLength).toWellFormed()
  return `“${truncateTo(collapsed(beginning), maxLength)}”`
}

/** What a summary calls a thing by: its text, else its link. */
interface Named {
  readonly text: string
  readonly url: string
}

export const thingName = ({ text, url }: Named): string => {
  const shown = text.trim() === "" ? url : text
  return shown === "" ? "a thing without text" : shortText(shown)
}

/** Things that a summary names; of more it tells the number. */
export const maxNamed = 3

/** `“a”, “b”, “c” and 9 more`. */
const firstOf = (things: ReadonlyArray<Named>, count: number): string => {
  const names = things.slice(0, maxNamed).map(thingName)
  return enumerated(count > maxNamed ? [...names, `${count - maxNamed} more`] : names)
}

/** One thing by its name; others by their number, and the first by their names: `12 things (“a”, “b”, “c” and 9 more)`. */
const thingNames = (things: ReadonlyArray<Named>, count = things.length): string =>
  count === 1 ? thingName(things[0]!) : `${counted(count, "thing")}${count === 0 ? "" : ` (${firstOf(things, count)})`}`

/** `Added 2 things (“a” and “b”) to “Groceries”`, to 3 lists, or without a list where its title is not known. */
export const addedThings = (things: ReadonlyArray<Named>, titles: ReadonlyArray<string> = []): string => {
  const lists = new Set(titles)
  const [only] = lists
  if (only === undefined) return `Added ${thingNames(things)}`
  return `Added ${thingNames(things)} to ${lists.size === 1 ? shortText(only) : counted(lists.size, "list")}`
}

/** Of `count` things those that are named are enough. */
export const deletedThings = (things: ReadonlyArray<Named>, count = things.length): string =>
  `Deleted ${thingNames(things, count)}`

/** What an update changed in at least one of its things; where it changed nothing, what it asked for. */
interface ThingChange {
  readonly completed?: boolean | undefined
  readonly canceled?: boolean | undefined
  readonly favorited?: boolean | undefined
  /** The other fields, by their names in a request. */
  readonly fields: ReadonlyArray<string>
  readonly text?: string | undefined
  /** The title of the list that they moved to. */
  readonly movedTo?: string | undefined
  /** When repeating ones return. */
  readonly returning: ReadonlyArray<EpochMillis>
}

/** The subject of a clause: by its name, or by a pronoun if it was named before. */
interface Subject {
  readonly name: string
  readonly of: (what: string) => string
}

const named = (name: string): Subject => ({ name, of: (what) => `the ${what} of ${name}` })
const it: Subject = { name: "it", of: (what) => `its ${what}` }
const them: Subject = { name: "them", of: (what) => `their ${what}` }

type Clause = (subject: Subject) => string

/** `Completed “Rake”, moved it to “Garden” and changed its tags`. */
const sentence = (clauses: ReadonlyArray<Clause>, name: string, again: Subject): string => {
  const said = enumerated(clauses.map((clause, index) => clause(index === 0 ? named(name) : again)))
  return `${said.slice(0, 1).toUpperCase()}${said.slice(1)}`
}

const changedFields = (fields: ReadonlyArray<string>): ReadonlyArray<Clause> =>
  fields.length === 0 ? [] : [({ of }) => `changed ${of(enumerated(fields.map(fieldName)))}`]

/** A star is set or removed, as on the pages. */
const starClause = (favorited: boolean | undefined): ReadonlyArray<Clause> =>
  favorited === undefined ? [] : [({ name }) => `${favorited ? "starred" : "unstarred"} ${name}`]

/** `Completed “Water the plants”; it returns on 2026-12-05`. `things` are as they were before. */
export const changedThings = (things: ReadonlyArray<Named>, change: ThingChange, zone: string): string => {
  const { favorited, fields, movedTo, returning, text } = change
  const state = stateAfter(change)
  const isTextAlone = fields.length === 1 && text !== undefined && things.length === 1
  const clauses: ReadonlyArray<Clause> = [
    ...(state === undefined ? [] : [({ name }: Subject) => `${state} ${name}`]),
    ...(movedTo === undefined ? [] : [({ name }: Subject) => `moved ${name} to ${shortText(movedTo)}`]),
    ...starClause(favorited),
    ...(isTextAlone ? [({ of }: Subject) => `changed ${of("text")} to ${shortText(text)}`] : changedFields(fields))
  ]
  const said = clauses.length === 0 ? [({ name }: Subject) => `changed ${name}`] : clauses
  const whole = sentence(said, thingNames(things), things.length === 1 ? it : them)
  return `${whole}${returnText(things.length, returning, zone)}`
}

/** `Changed the nesting of “Pack” and of 2 things under it`. */
export const nestedThing = (thing: Named, under: number): string =>
  `Changed the nesting of ${thingName(thing)}${under === 0 ? "" : ` and of ${counted(under, "thing")} under it`}`

const stateAfter = ({ canceled, completed }: ThingChange): string | undefined => {
  if (completed === true) return "completed"
  if (canceled === true) return "canceled"
  return completed === false || canceled === false ? "reopened" : undefined
}

const returnText = (count: number, returning: ReadonlyArray<EpochMillis>, zone: string): string => {
  const [first] = returning
  if (first === undefined) return ""
  if (count === 1) return `; it returns on ${localDateOf(zone, first)}`
  return `; ${returning.length} of them ${returning.length === 1 ? "returns" : "return"}`
}

const fieldNames: Readonly<Record<string, string>> = {
  allDayAt: "time of all-day reminders",
  listRef: "sub-list",
  repeatMovesToDay: "handling of repeating things",
  tabs: "nesting",
  url: "link"
}

const fieldName = (field: string): string =>
  fieldNames[field] ?? field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const withThings = (count: number): string => (count === 0 ? "" : ` with ${counted(count, "thing")}`)

export const createdList = (title: string, things: number): string =>
  `Created the list ${shortText(title)}${withThings(things)}`

export const importedList = (title: string, things: number): string =>
  `Imported the list ${shortText(title)}${withThings(things)}`

/** `Deleted the list “Groceries” with 14 things`. */
export const deletedList = (title: string, things: number): string =>
  `Deleted the list ${shortText(title)}${withThings(things)}`

/** What was changed, by its name in a request; where nothing was, what was asked for. */
export const changedList = (
  before: { readonly title: string },
  {
    archived,
    favorited,
    title,
    ...others
  }: Readonly<Record<string, unknown>> & {
    readonly title?: string
    readonly archived?: boolean
    readonly favorited?: boolean
  }
): string => {
  const clauses: ReadonlyArray<Clause> = [
    ...(title === undefined ? [] : [({ name }: Subject) => `renamed ${name} to ${shortText(title)}`]),
    ...(archived === undefined ? [] : [({ name }: Subject) => `${archived ? "archived" : "unarchived"} ${name}`]),
    ...starClause(favorited),
    ...changedFields(Object.keys(others))
  ]
  return sentence(clauses, `the list ${shortText(before.title)}`, it)
}

/** Those of the changes that one of these does not have already. */
export const differing = <A extends object>(before: ReadonlyArray<object>, changes: Partial<A>): Partial<A> => {
  const differs = ([key, value]: [string, unknown]) =>
    before.some((each) => !Equal.equals(Reflect.get(each, key), value))
  return Object.fromEntries(Object.entries(changes).filter(differs)) as Partial<A>
}

/** `date` is `YYYY-MM-DD`. */
export const madeDayList = (date: string): string => `Made the list of ${date}`

/** `when` says in words when the reminder fires. */
export const setReminder = (thing: Named, when: string): string => `Set the reminder of ${thingName(thing)}: ${when}`

export const removedReminder = (thing: Named): string => `Removed the reminder of ${thingName(thing)}`

export const savedPlace = (name: string, isNew: boolean): string =>
  `${isNew ? "Saved" : "Changed"} the place ${shortText(name)}`

export const deletedPlace = (name: string): string => `Deleted the place ${shortText(name)}`

/** `fields` are the changed settings; reminders move with the time zone. */
export const changedSettings = (fields: ReadonlyArray<string>, remindersMoved: number): string =>
  `Changed the ${enumerated(fields.map(fieldName))} of the account${
    remindersMoved === 0 ? "" : `, which moved ${counted(remindersMoved, "reminder")}`
  }`

/** What a change of the time zone did to the reminders that moved; `count` is at least 1. */
export const movedReminders = (count: number): string =>
  `${counted(count, "reminder")} ${count === 1 ? "keeps its" : "keep their"} time of day in the new time zone.`

export const restoredContent = (counts: {
  readonly lists: number
  readonly things: number
  readonly reminders: number
}): string =>
  `Restored ${counted(counts.lists, "list")}, ${counted(counts.things, "thing")} and ${counted(counts.reminders, "reminder")}`

/** The summary of an undo or a redo: of one operation, which is named after a colon, or of several. */
const takenBack = /^(?<done>Undid|Redid)(?<colon>:?) (?<what>.+)$/s

interface Taking {
  readonly verb: "Undo" | "Redo"
  readonly what: string
}

const takingOf = ({ summary, undoes }: Pick<Operation, "summary" | "undoes">): Taking & { readonly colon: string } => {
  const { colon = ":", done, what = summary } = (undoes === null ? null : takenBack.exec(summary))?.groups ?? {}
  return { verb: done === "Undid" ? "Redo" : "Undo", what, colon }
}

/** What takes an operation back is called, a redo where that is an undo, and what it takes back or does again. */
export const undoOf = (operation: Pick<Operation, "summary" | "undoes">): Taking => {
  const { verb, what } = takingOf(operation)
  return { verb, what }
}

/** `Undid: Deleted the list “Groceries”`; the undo of that undo is `Redid: …`. */
export const undoSummary = (operation: Pick<Operation, "summary" | "undoes">): string => {
  const { colon, verb, what } = takingOf(operation)
  return `${verb === "Redo" ? "Redid" : "Undid"}${colon} ${what}`
}

/** The undo of several operations of one key or app. */
export const undoneAll = (operations: number, by: string): string =>
  `Undid ${counted(operations, "operation")}${by === "" ? "" : ` of ${shortText(by)}`}`

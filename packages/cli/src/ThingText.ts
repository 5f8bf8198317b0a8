import type { Account } from "@lists-and-things/domain/model/Account"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import type { ThingView } from "@lists-and-things/domain/things/Things"
import { localText, tagsText } from "./ListText.ts"
import { facts } from "./Table.ts"
import type { Terminal } from "./Terminal.ts"

/** What a thing is shown with. */
interface ThingDetails {
  readonly short: string
  /** The title of its list. */
  readonly list: string
  /** Next occurrences of its reminder, ascending. */
  readonly occurrences: ReadonlyArray<EpochMillis>
}

/** A thing as readable text: its text, the fields that are set, and its note. Times are in the account's zone. */
export const thingText = (
  terminal: Terminal,
  { timezone }: Account,
  { reminder, thing }: ThingView,
  { list, occurrences, short }: ThingDetails
): string => {
  const local = (at: EpochMillis) => localText(at, timezone)
  const [, ...later] = occurrences
  const fields: ReadonlyArray<readonly [string, string | undefined]> = [
    ["id", `${thing.id} (${short})`],
    ["list", list],
    ["state", stateOf(thing)],
    ["tags", tagsText(thing.tags)],
    ["link", thing.url],
    ["photos", thing.photos.join(" ")],
    ["reminder", reminder?.summary],
    ["then", later.map(local).join(", ")],
    ["linked to", thing.cloneOf ?? ""],
    ["list behind", thing.listRef ?? ""],
    ["created", local(thing.created)],
    ["changed", `${local(thing.updated)} (${timezone})`]
  ]
  const set = fields.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value] as const]))
  const note = thing.note === "" ? [] : ["", thing.note]
  return [terminal.paint("bold", thing.text), facts(terminal, set), ...note].join("\n")
}

const stateOf = (thing: Thing): string => {
  const kind = kindOf(thing)
  const state = kind === "todo" ? "open" : kind
  return thing.favorited ? `${state}, starred` : state
}

/** How the thing was closed, or its type if it is open. */
export const kindOf = ({ canceled, completed, type }: Thing): string => {
  if (canceled) return "canceled"
  if (completed) return "done"
  return type === "none" ? "note" : type
}

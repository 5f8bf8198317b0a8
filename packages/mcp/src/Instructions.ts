import type { Account } from "@lists-and-things/domain/model/Account"
import { instantToLocal } from "@lists-and-things/domain/days/Zone"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** The server's instructions, which a client passes to its model; at most 1 kB. */
export const instructions = (account: Account, now: EpochMillis): string =>
  [
    "Lists and Things keeps a person's lists. A list holds things: todos (type todo) or plain lines, nested by tabs.",
    "A day list belongs to one date; get_today makes and reads it, and wherever a list is named, today, tomorrow or an ISO date means it.",
    "Turn names into ids with search first; an unclear name is an error, never a guess.",
    "Many changes go in one call: create_things, append_markdown, update_things, delete_things. To move, give update_thing a new list.",
    "Things come compact: fields that are false or empty are left out; detail: full shows all.",
    "To repeat a write safely, give it a request_id (any unique text).",
    "With dry_run: true a write only tells what it would do.",
    "Left out = unchanged, an empty string = cleared. Ask the user before you delete; undo takes a change back.",
    `Times without an offset are in the owner's zone, ${account.timezone}, where it is ${localText(account.timezone, now)}.`
  ].join("\n")

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

const localText = (zone: string, now: EpochMillis): string => {
  const { date, hour, minute } = instantToLocal(zone, now)
  const weekday = weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()]
  return `${weekday} ${date} ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`
}

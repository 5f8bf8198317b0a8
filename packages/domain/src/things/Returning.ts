import { Effect } from "effect"
import { localMoment } from "../days/LocalText.ts"
import type { Account } from "../model/Account.ts"
import { thingTitle } from "../markdown/Document.ts"
import { notify } from "../model/CurrentOperation.ts"
import { truncateTo } from "../text/Characters.ts"
import { quoted } from "../text/Quoted.ts"
import type { Thing } from "../model/Thing.ts"
import type { Changed } from "./ThingUpdater.ts"

/** Things that a notice names; of more only the number is told. */
const maxNamed = 20

/** Characters of a name, with the ellipsis. */
const maxNameLength = 80

/**
 * A notice that names the things that return, for answers that only have numbers: `Comes again: 'Water the plants'
 * (Saturday 2026-12-05 09:00).` Times are on the account's clock (docs/decisions.md#completing).
 */
export const notifyReturning = (account: Account, { repeating, things }: Changed): Effect.Effect<void> => {
  if (repeating.size === 0) return Effect.void
  const named = things.flatMap((thing) => {
    const next = repeating.get(thing.id)
    if (next === undefined) return []
    return [`${quoted(nameOf(thing))} (${localMoment(account.timezone, next.reminder, next.nextAt)})`]
  })
  const others = named.length - maxNamed
  const shown = named.slice(0, maxNamed).join(", ")
  return notify(`Comes again: ${shown}${others > 0 ? ` and ${others} more` : ""}.`)
}

const nameOf = (thing: Thing): string => truncateTo(thingTitle(thing), maxNameLength)

import { Effect } from "effect"
import { isDayWord } from "../days/Day.ts"
import { notify } from "../model/CurrentOperation.ts"
import type { List } from "../model/List.ts"
import type { ListStore } from "../ports/ListStore.ts"
import type { Stored } from "../ports/Storage.ts"
import { quoted } from "../text/Quoted.ts"
import { enumerated } from "../text/Wording.ts"

/** Other lists that a notice names; of more only the number is told. */
const maxNamed = 5

/**
 * Says of a list that has just got its title why it is not found by that: the title names a day, or other lists that are
 * not archived have it as well (docs/decisions.md#lists-and-day-lists).
 */
export const notifyTitle = Effect.fnUntraced(function* (
  lists: ListStore["Service"],
  { archived, id, owner, title }: List
): Effect.fn.Return<void, Effect.Error<Stored<void>>> {
  if (isDayWord(title))
    return yield* notify(
      `A list named '${title.trim()}' is the list of that day, which is another one: find this one by its id.`
    )
  if (archived) return
  const others = (yield* lists.byTitles(owner, [title])).filter((list) => !list.archived && list.id !== id)
  if (others.length === 0) return
  const named = others.map((list) => `${quoted(list.title)} (id ${list.id})`)
  const has = others.length === 1 ? "Another list is" : `${others.length} other lists are`
  yield* notify(`${has} named ${enumerated(named, maxNamed)}: name each by its id.`)
})

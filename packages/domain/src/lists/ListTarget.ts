import { Clock, Context, Effect, Layer } from "effect"
import type { Account } from "../caller/Account.ts"
import { isDayWord, parseDay, todayIn } from "../days/Day.ts"
import { DayLists } from "../days/DayLists.ts"
import { Ambiguous, NotFound, type StorageUnavailable } from "../Errors.ts"
import { isStorable } from "../json/Characters.ts"
import { nearestOf } from "../json/Nearest.ts"
import { ListStore } from "../ports/ListStore.ts"
import { exactTitle } from "../TextFold.ts"
import type { List } from "./List.ts"

export interface TargetInput {
  readonly listId?: string
  /** A day word, an ISO date or a title. */
  readonly list?: string
}

type TargetError = NotFound | Ambiguous | StorageUnavailable

/** Settles which list a request means (decisions 5, "`list` (a name)"). */
export class ListTarget extends Context.Service<
  ListTarget,
  {
    /** The list that a name means among those that are there: a day's, or by its title. Never makes a day list. */
    readonly find: (account: Account, name: string) => Effect.Effect<List, TargetError>
    /** The target of a write, its day list made when needed; today's when nothing is named. Inside `Storage.transact`. */
    readonly resolve: (account: Account, target: TargetInput, stamp: number) => Effect.Effect<List, TargetError>
  }
>()("@lists-and-things/domain/lists/ListTarget") {
  static readonly layer = Layer.effect(
    ListTarget,
    Effect.gen(function* () {
      const lists = yield* ListStore
      const days = yield* DayLists

      const byTitle = Effect.fn("ListTarget.byTitle")(function* (account: Account, title: string) {
        const found = isStorable(title) ? yield* lists.byTitle(account.id, title) : []
        return yield* found.length > 0 ? choose(title, found) : unknown(title, yield* lists.all(account.id))
      })

      const resolve = Effect.fn("ListTarget.resolve")(function* (account: Account, target: TargetInput, stamp: number) {
        if (target.listId !== undefined) {
          const list = yield* lists.get(account.id, target.listId)
          return list ?? (yield* unknownListId())
        }
        const now = yield* Clock.currentTimeMillis
        const zone = account.timezone
        if (target.list === undefined) return yield* days.ensure(account, todayIn(zone, now), stamp)
        const day = isDayWord(target.list) ? parseDay(target.list.trim(), zone, now) : undefined
        return yield* day === undefined ? byTitle(account, target.list) : days.ensure(account, day, stamp)
      })

      const find = Effect.fn("ListTarget.find")(function* (account: Account, name: string) {
        const date = parseDay(name.trim(), account.timezone, yield* Clock.currentTimeMillis)
        const day = date === undefined ? undefined : yield* lists.byDay(account.id, date)
        return day ?? (yield* byTitle(account, name))
      })

      return ListTarget.of({ find, resolve })
    })
  )
}

export const unknownListId = () => new NotFound({ message: "list_id names no list of yours." })

/** Of lists whose titles are equal ignoring case: those exactly equal first, archived ones never. */
const choose = (title: string, found: ReadonlyArray<List>): Effect.Effect<List, NotFound | Ambiguous> => {
  const open = found.filter((list) => !list.archived)
  const exact = open.filter((list) => exactTitle(list.title) === exactTitle(title))
  const matches = exact.length > 0 ? exact : open
  const [first, ...others] = matches
  if (first !== undefined && others.length === 0) return Effect.succeed(first)
  if (first !== undefined) return Effect.fail(ambiguous(title, matches))
  const archived = found.find((list) => list.archived)
  const hint =
    archived === undefined ? "" : ` An archived list has that title (id ${archived.id}): use list_id, or unarchive it.`
  return Effect.fail(new NotFound({ message: `No list is named ${quoted(title)}.${hint}` }))
}

/** With the lists whose titles are closest, for a mistyped name. */
const unknown = (title: string, all: ReadonlyArray<List>): Effect.Effect<never, NotFound> => {
  const open = all.filter((list) => !list.archived && list.day === null)
  const titles = nearestOf(title, [...new Set(open.map((list) => list.title))], 3)
  const named = titles.map((near) => {
    const list = open.find((each) => each.title === near)!
    return `${quoted(list.title)} (id ${list.id})`
  })
  const hint = named.length === 0 ? "" : ` Closest: ${named.join(", ")}.`
  return Effect.fail(new NotFound({ message: `No list is named ${quoted(title)}.${hint}` }))
}

const ambiguous = (title: string, matches: ReadonlyArray<List>): Ambiguous => {
  const candidates = matches.slice(0, 5).map(({ id, title }) => ({ id, title }))
  const named = candidates.map((each) => `${quoted(each.title)} (id ${each.id})`).join(", ")
  return new Ambiguous({
    field: "list",
    message: `list ${quoted(title)} fits ${matches.length} lists: ${named}; use list_id.`,
    candidates
  })
}

const quoted = (title: string): string => {
  const characters = [...title]
  return `'${characters.length > 80 ? `${characters.slice(0, 80).join("")}…` : title}'`
}

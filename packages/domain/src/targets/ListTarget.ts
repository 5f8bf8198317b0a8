import { Context, Effect, Layer, Result, Schema } from "effect"
import type { Account } from "../model/Account.ts"
import { daysAreNamed, isDayWord, parseDay, todayIn, resemblesDay } from "../days/Day.ts"
import { DayLists } from "./DayLists.ts"
import { Ambiguous, NotFound, type StorageUnavailable } from "../model/Errors.ts"
import { isStorable } from "../text/Characters.ts"
import { quoted } from "../text/Quoted.ts"
import { ListStore } from "../ports/ListStore.ts"
import { exactTitle, titleKey } from "../text/TextFold.ts"
import { hintForIdAsName, makeUnknownIds, UnknownListId } from "./UnknownId.ts"
import { runSteps, yieldIfDue } from "../scheduling/Yielding.ts"
import { closestHint, closestTitles } from "./ClosestTitles.ts"
import type { ListId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import { currentTime, type EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** How a request names a list: by id or by name, or neither. */
export interface TargetInput {
  readonly listId?: string
  /** A day word, an ISO date or a title. */
  readonly list?: string
}

/** No list has this title. `explain` finds the closest ones, for one name and outside the account's lock. */
class UnknownListName extends Schema.TaggedError<UnknownListName>()("UnknownListName", {
  title: Schema.String
}) {}

/** Why a target cannot be resolved; `NotFound` where only an archived list has the name. */
export type NoTarget = NotFound | Ambiguous | UnknownList

/** The failures that `explain` turns into messages. */
export type UnknownList = UnknownListName | UnknownListId

/** Handles an unknown list outside the account's lock; other failures pass through. */
export const catchUnknownList =
  <A2, E2, R2>(recover: (unknown: UnknownList) => Effect.Effect<A2, E2, R2>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | A2, Exclude<E, UnknownList> | E2, R | R2> =>
    Effect.catch(effect, (error): Effect.Effect<A2, Exclude<E, UnknownList> | E2, R2> =>
      isUnknownList(error) ? recover(error) : Effect.fail(error as Exclude<E, UnknownList>)
    )

const isUnknownList = (error: unknown): error is UnknownList =>
  error instanceof UnknownListName || error instanceof UnknownListId

/** The result of looking up lists by id; undefined for an unknown id. */
export type KnownLists = ReadonlyMap<string, List | undefined>

/** Which lists a title may mean. */
export type ListState = "open" | "archived"

/** Resolves the list that a request means (docs/decisions.md#lists-and-day-lists). */
export class ListTarget extends Context.Service<
  ListTarget,
  {
    /**
     * The existing list with this name: a day list, or a list by title; to bring one back, of the archived ones before
     * the others. Never creates a day list.
     */
    readonly find: (
      account: Account,
      name: string,
      state?: ListState
    ) => Effect.Effect<List, NotFound | Ambiguous | StorageUnavailable>
    /**
     * The id of the target as far as it needs no lock: a given id, unchecked, or that of an existing day list. Undefined
     * for a day without a list and for a title, since a list can be renamed or archived before the write.
     */
    readonly locate: (account: Account, target: TargetInput) => Effect.Effect<ListId | undefined, StorageUnavailable>
    /**
     * The target of a write, with its day list created if needed; today's when none is given. `known` are lists that the
     * write has looked up by id already. Inside `Storage.transact`.
     */
    readonly resolve: (
      account: Account,
      target: TargetInput,
      writeTimestamp: EpochMillis,
      known?: KnownLists
    ) => Effect.Effect<List, NoTarget | StorageUnavailable>
    /** Fails where `resolve` would, but makes no day list; for a write that has nothing to add to the list. */
    readonly check: (
      account: Account,
      target: TargetInput,
      writeTimestamp: EpochMillis,
      known?: KnownLists
    ) => Effect.Effect<void, NoTarget | StorageUnavailable>
    /** Like `resolve` for many targets, each distinct one looked up once; results in input order. */
    readonly resolveAll: (
      account: Account,
      targets: ReadonlyArray<TargetInput>,
      writeTimestamp: EpochMillis,
      known?: KnownLists
    ) => Effect.Effect<ReadonlyArray<Result.Result<List, NoTarget>>, StorageUnavailable>
    /**
     * Fails with what a client reads of an unknown id or name: up to five lists that it may have meant
     * (docs/decisions.md#lists-and-day-lists).
     */
    readonly explain: (account: Account, unknown: UnknownList) => Effect.Effect<never, NotFound | StorageUnavailable>
  }
>()("@lists-and-things/domain/targets/ListTarget") {
  static readonly layer = Layer.effect(
    ListTarget,
    Effect.gen(function* () {
      const lists = yield* ListStore
      const unknownIds = yield* makeUnknownIds
      const days = yield* DayLists

      const byTitles = Effect.fnUntraced(function* (account: Account, titles: Iterable<string>) {
        const asked = [...new Set(titles)].filter(isStorable)
        const found = asked.length === 0 ? [] : yield* lists.byTitles(account.id, asked)
        const byKey = Map.groupBy(found, (list) => titleKey(list.title))
        return (title: string, state?: ListState) => choose(title, byKey.get(titleKey(title)) ?? [], state)
      })

      const byIds = Effect.fnUntraced(function* (account: Account, ids: Iterable<string>, known: KnownLists) {
        const asked = [...new Set(ids)].filter((id) => !known.has(id))
        if (asked.length === 0) return known
        const found = yield* lists.getMany(account.id, asked)
        return new Map<string, List | undefined>([...known, ...found.map((list) => [list.id, list] as const)])
      })

      const byDays = Effect.fnUntraced(function* (
        account: Account,
        asked: Iterable<string>,
        writeTimestamp: EpochMillis
      ) {
        const byDay = new Map<string, List>()
        for (const day of new Set(asked)) {
          yield* yieldIfDue
          byDay.set(day, yield* days.ensure(account, day, writeTimestamp))
        }
        return byDay
      })

      const resolveAll = traced("ListTarget.resolveAll")(function* (
        account: Account,
        targets: ReadonlyArray<TargetInput>,
        writeTimestamp: EpochMillis,
        knownLists: KnownLists = noneKnown
      ) {
        const now = yield* currentTime
        const meant = targets.map((target) => meaningOf(target, account.timezone, now))
        const known = yield* byIds(account, valuesOf(meant, "id"), knownLists)
        const titled = yield* byTitles(account, valuesOf(meant, "title"))
        const dated = yield* byDays(account, valuesOf(meant, "day"), writeTimestamp)
        return meant.map(({ by, value }): Result.Result<List, NoTarget> => {
          if (by === "day") return Result.succeed(dated.get(value)!)
          if (by === "title") return titled(value)
          const list = known.get(value)
          return list === undefined ? Result.fail(new UnknownListId({ id: value })) : Result.succeed(list)
        })
      })

      const resolve = Effect.fnUntraced(function* (
        account: Account,
        target: TargetInput,
        writeTimestamp: EpochMillis,
        known?: KnownLists
      ) {
        const [list] = yield* resolveAll(account, [target], writeTimestamp, known)
        return yield* Effect.fromResult(list!)
      })

      const check = Effect.fnUntraced(function* (
        account: Account,
        target: TargetInput,
        writeTimestamp: EpochMillis,
        known?: KnownLists
      ) {
        const { by } = meaningOf(target, account.timezone, yield* currentTime)
        if (by !== "day") yield* resolve(account, target, writeTimestamp, known)
      })

      const explain = traced("ListTarget.explain")(function* (account: Account, unknown: UnknownList) {
        if (unknown._tag === "UnknownListId")
          return yield* unknownIds.notFound(account.id, "list", unknown.id, "list_id")
        const { title } = unknown
        const lower = title.trim().toLowerCase()
        if (isDayWord(lower))
          return yield* new NotFound({
            message: `No list is named ${quoted(title)}; the list of the day is '${lower}'.`,
            field: "list"
          })
        const other = hintForIdAsName(title)
        if (other !== undefined)
          return yield* new NotFound({
            message: `No list is named ${quoted(title)}. ${other}`,
            field: "list",
            remedy: "read"
          })
        const titles = yield* lists.titles(account.id, comparedLists)
        const closest = yield* runSteps(() => closestTitles(title, titles))
        const message = `No list is named ${quoted(title)}.${closestHint(closest.map(named))}`
        return yield* resemblesDay(title)
          ? new NotFound({ message: `${message} ${daysAreNamed}`, field: "list", remedy: "rewrite" })
          : new NotFound({ message, field: "list" })
      })

      const locate = Effect.fnUntraced(function* (account: Account, target: TargetInput) {
        const { by, value } = meaningOf(target, account.timezone, yield* currentTime)
        if (by === "title") return undefined
        return by === "id" ? (value as ListId) : (yield* lists.byDay(account.id, value))?.id
      })

      const find = traced("ListTarget.find")(function* (account: Account, name: string, state?: ListState) {
        const date = parseDay(name.trim(), account.timezone, yield* currentTime)
        const day = date === undefined ? undefined : yield* lists.byDay(account.id, date)
        if (day !== undefined) return day
        const titled = yield* byTitles(account, [name])
        return yield* Effect.fromResult(titled(name, state)).pipe(
          catchUnknownList((unknown) =>
            date === undefined
              ? explain(account, unknown)
              : Effect.fail(new NotFound({ message: `The day ${date} has no list yet.`, field: "list" }))
          )
        )
      })

      return ListTarget.of({ find, locate, resolve, check, resolveAll, explain })
    })
  )
}

const noneKnown: KnownLists = new Map()

/** How many of the most recently changed lists an unknown name is compared with. */
const comparedLists = 20_000

interface Meaning {
  readonly by: "id" | "day" | "title"
  readonly value: string
}

const meaningOf = ({ list, listId }: TargetInput, zone: string, now: EpochMillis): Meaning => {
  if (listId !== undefined) return { by: "id", value: listId }
  if (list === undefined) return { by: "day", value: todayIn(zone, now) }
  const day = isDayWord(list) ? parseDay(list.trim(), zone, now) : undefined
  return day === undefined ? { by: "title", value: list } : { by: "day", value: day }
}

const valuesOf = (meant: ReadonlyArray<Meaning>, kind: Meaning["by"]): ReadonlyArray<string> =>
  meant.flatMap(({ by, value }) => (by === kind ? value : []))

/** Among titles equal ignoring case, exact matches take precedence; archived lists match only where they are asked for. */
const choose = (
  title: string,
  found: ReadonlyArray<List>,
  state: ListState = "open"
): Result.Result<List, NoTarget> => {
  const [archived, listed] = [found.filter((list) => list.archived), found.filter((list) => !list.archived)]
  const among = state === "archived" && archived.length > 0 ? archived : listed
  const exact = among.filter((list) => exactTitle(list.title) === exactTitle(title))
  const matches = exact.length > 0 ? exact : among
  const [first, ...others] = matches
  if (first !== undefined) return others.length === 0 ? Result.succeed(first) : Result.fail(ambiguous(title, matches))
  const [hidden] = archived
  return Result.fail(
    hidden === undefined
      ? new UnknownListName({ title })
      : new NotFound({
          message: `No list is named ${quoted(title)}. An archived list has that title (id ${hidden.id}): use its id, or unarchive it.`,
          field: "list"
        })
  )
}

const ambiguous = (title: string, matches: ReadonlyArray<List>): Ambiguous => {
  const candidates = matches.slice(0, 5).map(({ id, title }) => ({ id, title }))
  const fitting = `list ${quoted(title)} fits ${matches.length} lists: ${candidates.map(named).join(", ")}`
  return new Ambiguous({
    field: "list",
    message: `${fitting}; use list_id.`,
    inPlaceOfTitle: `${fitting}; name one by its id.`,
    candidates
  })
}

const named = ({ id, title }: { readonly id: string; readonly title: string }): string => `${quoted(title)} (id ${id})`

import { Context, Effect, Layer } from "effect"
import type { Account } from "../model/Account.ts"
import { changedList, deletedList, differing } from "../summaries/OperationSummaries.ts"
import { describe, notify } from "../model/CurrentOperation.ts"
import { shownValue } from "../json/ShownValue.ts"
import { type Caller, callerReading, callerWith, type Refusal } from "../model/Caller.ts"
import { parseDay, todayIn } from "../days/Day.ts"
import { DayLists } from "../targets/DayLists.ts"
import { type AccessError, type Ambiguous, InvalidInput, type NotFound, type Overloaded } from "../model/Errors.ts"
import type { ListId } from "../model/Ids.ts"
import type { CreateListInput, ImportMarkdownInput, UpdateListInput } from "../json/ListInput.ts"
import { renderSteps } from "../markdown/MarkdownExport.ts"
import { type ListSelection, ListStore } from "../ports/ListStore.ts"
import { type Page, Storage } from "../ports/Storage.ts"
import { type ListWithThings, ThingStore } from "../ports/ThingStore.ts"
import { Reminders } from "../reminders/Reminders.ts"
import type { ReminderView } from "../reminders/ReminderView.ts"
import { Families } from "../targets/Families.ts"
import type { Thing } from "../model/Thing.ts"
import { pageSize } from "../things/Things.ts"
import { runSteps } from "../scheduling/Yielding.ts"
import { makeUnknownIds, nothingDeleted } from "../targets/UnknownId.ts"
import type { List } from "../model/List.ts"
import { makeListCreation } from "./ListCreation.ts"
import { notifyTitle } from "./TitleNotices.ts"
import { displayOrder } from "./ListOrder.ts"
import { makeWholeLists } from "./WholeLists.ts"
import { type ListState, ListTarget } from "../targets/ListTarget.ts"
import { currentTime, type EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"
import type { LongText } from "../text/LongText.ts"

/** A list with its things in display order and their reminders. */
export interface ListView {
  readonly list: List
  readonly things: ReadonlyArray<Thing>
  readonly reminders: ReadonlyArray<ReminderView>
}

/** A day list. */
export interface DayView extends ListView {
  /** `YYYY-MM-DD` in the owner's zone. */
  readonly date: string
}

export interface CreatedList {
  readonly list: List
  /** Number of things. */
  readonly created: number
  /** Number of blank items. */
  readonly skipped: number
}

/** `Overloaded` when the answer budget has no room for a large list. */
type ViewError = Refusal | Overloaded
type WriteError = InvalidInput | NotFound | AccessError

/** The use cases of lists (docs/contract.md#lists, docs/decisions.md#lists-and-day-lists). */
export class Lists extends Context.Service<
  Lists,
  {
    /**
     * Most recently modified first, 50 per page, of which the first is 0; excludes archived lists and empty day lists.
     * `only` selects some of these, or the archived ones in place of all.
     */
    readonly page: (page: number, only?: ListSelection) => Effect.Effect<Page<List>, Refusal, Caller>
    /** How many things with a check box are open, by list; without lists of more than 1,000 things. */
    readonly openCounts: (lists: ReadonlyArray<List>) => Effect.Effect<ReadonlyMap<ListId, number>, AccessError, Caller>
    /** With its things, in one transaction; blank ones are skipped. `InvalidInput` names the thing by its index. */
    readonly create: (input: CreateListInput) => Effect.Effect<CreatedList, WriteError, Caller>
    /** The name of the file is the title where neither the input nor the document has one. */
    readonly importMarkdown: (
      input: ImportMarkdownInput,
      fileName?: string
    ) => Effect.Effect<CreatedList, WriteError, Caller>
    /** The markdown is what a person typed or pasted, as in `BulkThings.appendTyped`, and has no title. */
    readonly createTyped: (
      input: ImportMarkdownInput & { readonly title: string }
    ) => Effect.Effect<CreatedList, WriteError, Caller>
    /** An archived one, too. */
    readonly view: (id: string) => Effect.Effect<ListView, NotFound | ViewError, Caller>
    /** The existing list that a name means; never creates a day list. To bring one back, `archived` comes first. */
    readonly byName: (name: string, state?: ListState) => Effect.Effect<List, NotFound | Ambiguous | Refusal, Caller>
    /** The day list of a date, created when there is none; today's when the date is omitted. */
    readonly day: (date?: string) => Effect.Effect<DayView, WriteError | ViewError, Caller>
    /** The same without a write: `view` is undefined when there is no list of that date. */
    readonly madeDay: (
      date?: string
    ) => Effect.Effect<{ readonly date: string; readonly view: ListView | undefined }, InvalidInput | ViewError, Caller>
    /** Omitted fields stay as they are; an empty patch leaves `updated`. */
    readonly update: (id: string, patch: UpdateListInput) => Effect.Effect<List, NotFound | AccessError, Caller>
    /** With its things and their reminders. Succeeds for unknown ids as well. */
    readonly remove: (id: string) => Effect.Effect<void, NotFound | AccessError, Caller>
    /** The list as a document that `importMarkdown` reads back (docs/markdown.md). */
    readonly markdown: (id: string) => Effect.Effect<LongText, NotFound | ViewError, Caller>
  }
>()("@lists-and-things/domain/lists/Lists") {
  static readonly layer = Layer.effect(
    Lists,
    Effect.gen(function* () {
      const storage = yield* Storage
      const store = yield* ListStore
      const things = yield* ThingStore
      const reminders = yield* Reminders
      const days = yield* DayLists
      const target = yield* ListTarget
      const families = yield* Families
      const unknownIds = yield* makeUnknownIds
      const creating = yield* makeListCreation
      const { opened, wholeOf } = yield* makeWholeLists

      const page = traced("Lists.page")(function* (number: number, only?: ListSelection) {
        const { found } = yield* callerReading("read:lists", ({ id }) => store.page(id, number, pageSize, only))
        return found
      })

      const openCounts = traced("Lists.openCounts")(function* (of: ReadonlyArray<List>) {
        const { account } = yield* callerWith("read:lists")
        const ids = [...new Set(of.map(({ id }) => id))]
        return yield* things.openCounts(account.id, ids, maxCounted)
      })

      const shown = Effect.fnUntraced(function* (account: Account, found: ListWithThings | undefined) {
        const whole = found && (yield* wholeOf(found))
        if (whole === undefined) return undefined
        const { list } = whole
        const ordered = yield* runSteps(() => displayOrder(whole.things, list.sort))
        return { list, things: ordered, reminders: yield* reminders.viewsOf(account.id, ordered, whole.reminders) }
      })

      const view = traced("Lists.view")(function* (id: string) {
        const { caller, found } = yield* callerReading("read:lists", (account) => opened(account.id, id))
        const { account } = caller
        return (yield* shown(account, found)) ?? (yield* unknownIds.notFound(account.id, "list", id))
      })

      const byName = traced("Lists.byName")(function* (name: string, state?: ListState) {
        const { caller } = yield* callerReading("read:lists", () => Effect.void)
        return yield* target.find(caller.account, name, state)
      })

      /** A date, and its list with the beginning of what it holds where there is one. */
      const readDay = Effect.fnUntraced(function* (date: string | undefined) {
        const now = yield* currentTime
        const dayIn = (zone: string) => (date === undefined ? todayIn(zone, now) : parseDay(date, zone, now))
        const { caller, found } = yield* callerReading("read:lists", ({ id, timezone }) => {
          const wanted = dayIn(timezone)
          return wanted === undefined ? Effect.undefined : opened(id, { day: wanted })
        })
        const wanted = dayIn(caller.account.timezone)
        if (wanted === undefined) return yield* wrongDate(date!)
        return { account: caller.account, wanted, found }
      })

      const madeDay = traced("Lists.madeDay")(function* (date?: string) {
        const { account, found, wanted } = yield* readDay(date)
        return { date: wanted, view: yield* shown(account, found) }
      })

      const day = traced("Lists.day")(function* (date?: string) {
        const { account, found, wanted } = yield* readDay(date)
        const view = yield* shown(account, found)
        if (view !== undefined) return { ...view, date: wanted }
        const made = yield* storage.transact(account.id, (writeTimestamp) =>
          days.ensure(account, wanted, writeTimestamp)
        )
        const now = yield* shown(account, yield* opened(account.id, made.id))
        return { ...(now ?? { list: made, things: [], reminders: [] }), date: wanted }
      })

      const update = traced("Lists.update")(function* (id: string, patch: UpdateListInput) {
        const { account } = yield* callerWith("write:lists")
        const change = Effect.fnUntraced(function* (writeTimestamp: EpochMillis) {
          const list = (yield* store.get(account.id, id)) ?? (yield* unknownIds.notFound(account.id, "list", id))
          const changes = changesOf(patch)
          if (Object.keys(changes).length === 0) return list
          const updated = { ...list, ...changes, updated: writeTimestamp }
          const isFoundAnew = patch.title !== undefined || (list.archived && !updated.archived)
          if (isFoundAnew && updated.day === null) yield* notifyTitle(store, updated)
          yield* store.put(updated)
          const differs = differing([list], changes)
          yield* describe(changedList(list, Object.keys(differs).length === 0 ? changes : differs))
          return updated
        })
        return yield* storage.transact(account.id, change)
      })

      const remove = traced("Lists.remove")(function* (id: string) {
        const { account } = yield* callerWith("write:lists")
        const drop = Effect.fnUntraced(function* (writeTimestamp: EpochMillis) {
          const list = yield* store.get(account.id, id)
          if (list === undefined) return false
          const leaving = yield* things.ofList(account.id, list.id)
          const changed = yield* families.release(account.id, leaving, writeTimestamp)
          const referring = yield* things.clearListRef(account.id, list.id, writeTimestamp)
          yield* store.remove(account.id, list.id)
          const touched = [...changed, ...referring].filter((each) => each !== list.id)
          yield* store.touch(account.id, [...new Set(touched)], writeTimestamp)
          yield* describe(deletedList(list.title, leaving.length))
          return true
        })
        const isGone = yield* storage.transact(account.id, drop)
        if (!isGone) yield* notify(nothingDeleted(yield* unknownIds.describe(account.id, "list", id)))
      })

      const markdown = traced("Lists.markdown")(function* (id: string) {
        const shown = yield* view(id)
        return yield* runSteps(() => renderSteps(shown.list, shown.things))
      })

      return Lists.of({
        page,
        openCounts,
        ...creating,
        view,
        byName,
        madeDay,
        day,
        update,
        remove,
        markdown
      })
    })
  )
}

/** Things of a list that are read to count the open ones. */
const maxCounted = 1_000

const wrongDate = (sent: string) =>
  new InvalidInput({
    field: "date",
    reason: "must be today, yesterday, tomorrow or an ISO 8601 date",
    sent: shownValue(sent),
    example: '"date": "2026-11-21"'
  })

/** The fields that a write sets; the others are ignored. */
type SetField = Exclude<keyof UpdateListInput, "id" | "today" | "created" | "updated">

const changesOf = (patch: UpdateListInput): Partial<List> => {
  const { title, emoji, favorited, archived, sort } = patch
  const set: Record<SetField, unknown> = { title, emoji, favorited, archived, sort }
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined))
}

import { Context, Effect, Layer } from "effect"
import type { Account } from "../model/Account.ts"
import { type Caller, callerReading, callerWith, type Refusal } from "../model/Caller.ts"
import { addedThings, deletedThings } from "../summaries/OperationSummaries.ts"
import { CurrentOperation, describe, notify } from "../model/CurrentOperation.ts"
import { formatTime, instantOf } from "../days/IsoTime.ts"
import { type AccessError, type Ambiguous, InvalidInput, type NotFound, type Overloaded } from "../model/Errors.ts"
import { reserveForThings } from "../size/AnswerBudget.ts"
import { isStorable } from "../text/Characters.ts"
import { quoted } from "../text/Quoted.ts"
import { Ids, type ListId, type ThingId } from "../model/Ids.ts"
import type { CreateThingInput, UpdateThingInput } from "../json/ThingInput.ts"
import { catchUnknownList, ListTarget } from "../targets/ListTarget.ts"
import { ListStore } from "../ports/ListStore.ts"
import { type Page, Storage } from "../ports/Storage.ts"
import { type KeyedThing, type ThingFilter, ThingStore, type ThingWithReminder } from "../ports/ThingStore.ts"
import type { ReminderView } from "../reminders/ReminderView.ts"
import { Reminders } from "../reminders/Reminders.ts"
import { hintForDayAsId, makeUnknownIds, nothingDeleted, UnknownListId } from "../targets/UnknownId.ts"
import { cleanTag } from "../text/TagNames.ts"
import { fold } from "../text/TextFold.ts"
import { mapYielding, runSteps } from "../scheduling/Yielding.ts"
import { closestHint, closestTitles } from "../targets/ClosestTitles.ts"
import { isOtherOccurrence } from "./Completion.ts"
import { notifyCut } from "./CutTexts.ts"
import { ThingUpdater } from "./ThingUpdater.ts"
import { type KeyedUpdate, makeSingleStatementUpdate, type UpdatedThing } from "./SingleStatementUpdate.ts"
import { Families } from "../targets/Families.ts"
import { Insertion } from "./Insertion.ts"
import type { Reminder } from "../model/Reminder.ts"
import type { Thing, ThingType } from "../model/Thing.ts"
import { blankText, brokenCombination, draftThing, isBlankDraft, type ThingDraft } from "./ThingDraft.ts"
import { isEmptyPatch, problemOf } from "./ThingPatch.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** Lists, and things, per page. */
export const pageSize = 50

/** `GET /things`; `since` is a time as a client wrote it. */
export interface ThingQuery {
  readonly listId?: string
  /** The name of a list, instead of its id. */
  readonly list?: string
  readonly completed?: boolean
  readonly type?: ThingType
  readonly tag?: string
  readonly since?: string
  readonly sort?: "created" | "updated"
  /** Zero-based. */
  readonly page?: number
}

/** A thing and the reminder of its family; null where it has none. */
export interface ThingView {
  readonly thing: Thing
  readonly reminder: ReminderView | null
}

type WriteError = NotFound | Ambiguous | InvalidInput | AccessError

/** The use cases of single things (docs/contract.md#things). */
export class Things extends Context.Service<
  Things,
  {
    /**
     * Newest first by `sort`, 50 per page; an unknown `listId` or tag gives an empty page, an unknown name `NotFound`.
     * `Overloaded` when the answer budget has no room for long texts.
     */
    readonly page: (
      query: ThingQuery
    ) => Effect.Effect<Page<Thing>, NotFound | Ambiguous | Overloaded | Refusal, Caller>
    /** `NotFound` when the target list is unknown. */
    readonly create: (input: CreateThingInput) => Effect.Effect<Thing, WriteError, Caller>
    /** With its reminder; a live linked copy has that of its original. */
    readonly get: (id: string) => Effect.Effect<ThingView, NotFound | Refusal, Caller>
    /**
     * The thing that `update` or `remove` begins with, for a host that can read it while the body of the request is still
     * arriving; undefined for an unknown one.
     */
    readonly prefetch: (id: string) => Effect.Effect<ThingWithReminder | undefined, Refusal, Caller>
    /** `NotFound` when the thing or the list it should move to is unknown. `seen` is the answer of `prefetch`. */
    readonly update: (
      id: string,
      patch: UpdateThingInput,
      seen?: ThingWithReminder
    ) => Effect.Effect<UpdatedThing, WriteError, Caller>
    /**
     * Like `create`, with the record of its key, in one step; undefined, with nothing written, where it needs a
     * transaction.
     */
    readonly createKeyed: (
      input: CreateThingInput,
      keyed: KeyedThing
    ) => Effect.Effect<Thing | undefined, WriteError, Caller>
    /**
     * Like `update`, in one step, when the thing still is as it was seen, and with the record of its key if it has one;
     * undefined, with nothing written, where it needs a transaction.
     */
    readonly updateIfUnchanged: (
      id: string,
      patch: UpdateThingInput,
      seen: ThingWithReminder,
      keyed?: KeyedUpdate
    ) => Effect.Effect<UpdatedThing | undefined, WriteError, Caller>
    /** Succeeds for unknown ids as well. `seen` is the answer of `prefetch`. */
    readonly remove: (id: string, seen?: ThingWithReminder) => Effect.Effect<void, NotFound | AccessError, Caller>
    /**
     * Like `remove`, in one step, when the thing still is as it was seen. True when it removed the thing; false, with
     * nothing written, where it needs a transaction.
     */
    readonly removeIfUnchanged: (
      seen: ThingWithReminder,
      keyed?: KeyedThing
    ) => Effect.Effect<boolean, NotFound | AccessError, Caller>
  }
>()("@lists-and-things/domain/things/Things") {
  static readonly layer = Layer.effect(
    Things,
    Effect.gen(function* () {
      const storage = yield* Storage
      const lists = yield* ListStore
      const store = yield* ThingStore
      const reminders = yield* Reminders
      const target = yield* ListTarget
      const insertion = yield* Insertion
      const updater = yield* ThingUpdater
      const updateInOneStatement = yield* makeSingleStatementUpdate
      const families = yield* Families
      const ids = yield* Ids
      const unknownIds = yield* makeUnknownIds

      const page = traced("Things.page")(function* (query: ThingQuery) {
        const { caller, found } = yield* readPage(query)
        yield* reserveForThings(caller.account.id, found.items)
        yield* notifyWhyNone(caller.account, query, found)
        return found
      })

      const readPage = Effect.fnUntraced(function* (query: ThingQuery) {
        const read = ({ id, timezone }: Account, listId = query.listId) =>
          isStorable(query.tag ?? "")
            ? store.page(id, filterOf({ ...query, listId }, timezone), query.page ?? 0, pageSize)
            : Effect.succeed({ items: [], hasMore: false })
        if (query.list === undefined) return yield* callerReading("read:things", read)
        const { caller } = yield* callerReading("read:things", () => Effect.void)
        const list = yield* target.find(caller.account, query.list)
        return { caller, found: yield* read(caller.account, list.id) }
      })

      /**
       * Adds a notice about filters that match nothing. Not for REST, where clients poll and should not pay for the
       * look-up.
       */
      const notifyWhyNone = Effect.fnUntraced(function* (account: Account, query: ThingQuery, found: Page<Thing>) {
        if (found.items.length > 0 || (query.page ?? 0) > 0 || (yield* CurrentOperation) === undefined) return
        if (query.listId !== undefined)
          yield* unknownIds.notifyUnknown(account.id, "list", query.listId, hintForDayAsId(query.listId))
        if (query.tag !== undefined) yield* notifyUnknownTag(account, cleanTag(query.tag))
      })

      /** Adds a notice with the tags that an unknown tag may mean. */
      const notifyUnknownTag = Effect.fnUntraced(function* ({ id }: Account, name: string) {
        if (name === "") return yield* notify("An empty tag is that of no thing: leave tag out for all things.")
        if (!isStorable(name)) return
        const tags = (yield* store.tagCounts(id)).map((tag) => ({ title: tag.name }))
        const known = yield* mapYielding(tags, ({ title }) => fold(title))
        if (known.includes(fold(name))) return
        const closest = yield* runSteps(() => closestTitles(name, tags))
        const hint = closestHint(closest.map(({ title }) => quoted(title)))
        yield* notify(`No thing has the tag ${quoted(name)}.${hint}`)
      })

      const create = traced("Things.create")(function* (input: CreateThingInput) {
        const { account } = yield* callerWith("write:things")
        const draft = draftThing(input, account)
        const problem = problemOfNew(input, draft)
        if (problem !== undefined) return yield* problem
        return yield* appendInOneStatement(account, input, draft).pipe(
          Effect.flatMap((thing) =>
            thing === undefined ? insertLocked(account, input, draft) : Effect.succeed(thing)
          ),
          catchUnknownList((unknown) => target.explain(account, unknown))
        )
      })

      const createKeyed = traced("Things.createKeyed")(function* (input: CreateThingInput, keyed: KeyedThing) {
        const { account } = yield* callerWith("write:things")
        const draft = draftThing(input, account)
        if (!isAppendable(draft) || problemOfNew(input, draft) !== undefined) return undefined
        const listId = yield* target.locate(account, input)
        const thing = listId && (yield* append(account, listId, draft, { keyed }))
        return typeof thing === "object" ? thing : undefined
      })

      /** In one statement, without holding the lock between requests; undefined where the lock has to decide. */
      const appendInOneStatement = Effect.fnUntraced(function* (
        account: Account,
        input: CreateThingInput,
        draft: ThingDraft
      ) {
        const listId = isAppendable(draft) ? yield* target.locate(account, input) : undefined
        if (listId === undefined) return undefined
        const thing = yield* append(account, listId, draft)
        if (thing === undefined && input.listId !== undefined) return yield* new UnknownListId({ id: listId })
        return typeof thing === "string" ? undefined : thing
      })

      /** Resolves the target, and makes the list of a day, in the transaction that adds the thing. */
      const insertLocked = Effect.fnUntraced(function* (account: Account, input: CreateThingInput, draft: ThingDraft) {
        const insert = Effect.fnUntraced(function* (writeTimestamp: EpochMillis) {
          const list = yield* target.resolve(account, input, writeTimestamp)
          const thing = isAppendable(draft) ? yield* append(account, list.id, draft, { title: list.title }) : undefined
          if (typeof thing === "object") return thing
          const [inserted] = yield* insertion.insert(account, [{ draft, list, at: "" }], writeTimestamp)
          return inserted!
        })
        return yield* storage.transact(account.id, insert)
      })

      const append = (
        account: Account,
        listId: ListId,
        draft: ThingDraft,
        { keyed, title }: { readonly title?: string; readonly keyed?: KeyedThing } = {}
      ) => {
        const member = { tabs: draft.tabs, favorited: draft.favorited, cloneOf: null, hasClones: false }
        const described = describe(addedThings([draft.content], title === undefined ? [] : [title]))
        return Effect.flatMap(Effect.andThen(described, ids.next), (id) =>
          store.append({ id: id as ThingId, owner: account.id, listId, ...draft.content, ...member }, keyed)
        )
      }

      const get = traced("Things.get")(function* (id: string) {
        const { caller, found } = yield* callerReading("read:things", (account) => store.withReminder(account.id, id))
        const { account } = caller
        const thing = found?.thing ?? (yield* unknownIds.notFound(account.id, "thing", id))
        if (found?.reminder === undefined) return { thing, reminder: null }
        const [reminder] = yield* reminders.viewsOf(account.id, [thing], [found.reminder])
        return { thing, reminder: reminder ?? null }
      })

      const prefetch = traced("Things.prefetch")(function* (id: string) {
        return (yield* callerReading("write:things", (account) => store.withReminder(account.id, id))).found
      })

      const update = traced("Things.update")(function* (id: string, patch: UpdateThingInput, seen?: ThingWithReminder) {
        const { account } = yield* callerWith("write:things")
        return (yield* updateInOneStatement(account, id, patch, { seen })) ?? (yield* updateLocked(account, id, patch))
      })

      const updateIfUnchanged = traced("Things.updateIfUnchanged")(function* (
        id: string,
        patch: UpdateThingInput,
        seen: ThingWithReminder,
        keyed?: KeyedUpdate
      ) {
        const { account } = yield* callerWith("write:things")
        return yield* updateInOneStatement(account, id, patch, { seen, keyed })
      })

      const updateLocked = Effect.fnUntraced(function* (account: Account, id: string, patch: UpdateThingInput) {
        const change = Effect.fnUntraced(function* (writeTimestamp: EpochMillis, found: ThingWithReminder | undefined) {
          if (found === undefined) return yield* unknownIds.notFound(account.id, "thing", id)
          const { reminder, thing } = found
          const problem = problemOf(thing, patch)
          if (problem !== undefined) return yield* problem
          if (patch.occurrence !== undefined && isOtherOccurrence(patch.occurrence, reminder, account.timezone)) {
            yield* notify(nothingDone(patch.occurrence, reminder))
            return unchanged(found)
          }
          if (isEmptyPatch(patch)) return unchanged(found)
          const moves = patch.listId !== undefined || patch.list !== undefined
          const list = moves ? yield* target.resolve(account, patch, writeTimestamp) : undefined
          yield* updater.checkReference(account, patch)
          yield* notifyCut(thing, patch)
          const reminders = reminder === undefined ? [] : [reminder]
          const changed = yield* updater.apply(
            account,
            { things: [thing], patch, target: list, reminders },
            writeTimestamp
          )
          const repeating = changed.repeating.get(thing.id)
          const reminderRemoved = changed.reminderRemoved.has(thing.id)
          return {
            thing: changed.things[0]!,
            repeating,
            reminderRemoved,
            reminder: reminderRemoved ? undefined : (repeating?.reminder ?? reminder)
          }
        })
        return yield* storage
          .transactWith(account.id, store.withReminder(account.id, id), change)
          .pipe(catchUnknownList((unknown) => target.explain(account, unknown)))
      })

      const removeIfUnchanged = traced("Things.removeIfUnchanged")(function* (
        seen: ThingWithReminder,
        keyed?: KeyedThing
      ) {
        const { account } = yield* callerWith("write:things")
        yield* describe(deletedThings([seen.thing]))
        return (yield* store.reviseIfUnchanged(account.id, seen, "removed", keyed)) !== undefined
      })

      const remove = traced("Things.remove")(function* (id: string, seen?: ThingWithReminder) {
        const { account } = yield* callerWith("write:things")
        if (seen !== undefined && (yield* removeIfUnchanged(seen))) return
        const drop = Effect.fnUntraced(function* (writeTimestamp: EpochMillis, thing: Thing | undefined) {
          if (thing === undefined) return false
          const touched = yield* families.release(account.id, [thing], writeTimestamp)
          yield* store.remove(account.id, [thing.id], 1)
          yield* lists.touch(account.id, [...new Set([...touched, thing.listId])], writeTimestamp)
          yield* describe(deletedThings([thing]))
          return true
        })
        const isGone = yield* storage.transactWith(account.id, store.get(account.id, id), drop)
        if (!isGone) yield* notify(nothingDeleted(yield* unknownIds.describe(account.id, "thing", id)))
      })

      return Things.of({
        page,
        create,
        createKeyed,
        get,
        prefetch,
        update,
        updateIfUnchanged,
        remove,
        removeIfUnchanged
      })
    })
  )
}

/** Whether `ThingStore.append` can store it: at the end of a list that is all it refers to. */
const isAppendable = ({ clone, content, created }: ThingDraft): boolean =>
  clone === undefined && content.listRef === null && content.markup === "" && created === undefined

const filterOf = (
  query: Omit<ThingQuery, "listId"> & { readonly listId: string | undefined },
  zone: string
): ThingFilter => ({
  ...(query.listId === undefined ? {} : { listId: query.listId }),
  ...(query.completed === undefined ? {} : { completed: query.completed }),
  ...(query.type === undefined ? {} : { type: query.type }),
  ...(query.tag === undefined ? {} : { tag: cleanTag(query.tag) }),
  ...(query.since === undefined ? {} : { since: instantOf(query.since, zone) }),
  sort: query.sort ?? "created"
})

const problemOfNew = (input: CreateThingInput, draft: ThingDraft): InvalidInput | undefined =>
  brokenCombination(input, "") ?? (isBlankDraft(draft) ? blankText() : undefined)

const nothingDone = (occurrence: string, reminder: Reminder | undefined): string => {
  const now =
    reminder?.trigger._tag === "Time"
      ? `the one that is due is ${formatTime(reminder.trigger.at)}`
      : "the thing has no reminder at a time"
  return `Nothing was done: the occurrence ${occurrence} is not due, ${now}.`
}

const unchanged = (found: ThingWithReminder): UpdatedThing => ({
  ...found,
  repeating: undefined,
  reminderRemoved: false
})

import { Effect } from "effect"
import { localDateOf } from "../days/Zone.ts"
import type { Account } from "../model/Account.ts"
import { describe } from "../model/CurrentOperation.ts"
import { currentTime } from "../model/EpochMillis.ts"
import { Ids, type ThingId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import type { Reminder } from "../model/Reminder.ts"
import type { Thing } from "../model/Thing.ts"
import type { UpdateThingInput } from "../json/ThingInput.ts"
import type { KeyedWrite } from "../ports/IdempotencyStore.ts"
import { type KeyedThing, type Revision, ThingStore, type ThingWithReminder } from "../ports/ThingStore.ts"
import { ListStore } from "../ports/ListStore.ts"
import { DayLists } from "../targets/DayLists.ts"
import type { RepeatingReminder } from "./CompleteThings.ts"
import { notifyCut } from "./CutTexts.ts"
import { type Completion, decideCompletion, isOtherOccurrence } from "./Completion.ts"
import { completes, isEmptyPatch, problemOf } from "./ThingPatch.ts"
import { revise } from "./ThingUpdater.ts"

/** What an update left: `thing` as it is afterwards. */
export interface UpdatedThing {
  readonly thing: Thing
  /** Where it was completed and repeats. */
  readonly repeating: RepeatingReminder | undefined
  /** Whether completing or canceling it ended its reminder. */
  readonly reminderRemoved: boolean
  /** The reminder on it afterwards. */
  readonly reminder: Reminder | undefined
}

/** As `KeyedThing`, of an update. */
export interface KeyedUpdate extends KeyedWrite {
  readonly answerOf: (updated: UpdatedThing) => string
}

/** What the caller may provide with an update: the thing as it was read before, and the key of the write. */
interface UpdateContext {
  readonly seen: ThingWithReminder | undefined
  readonly keyed?: KeyedUpdate | undefined
}

/** What is decided of a thing and its reminder, and the answer once it is written. */
interface Decided {
  readonly revision: Revision
  readonly updatedOf: (thing: Thing) => UpdatedThing
}

/**
 * Updates one thing without linked copies in one statement, completing and moving included, so that the account's lock
 * is not held across round trips. Undefined, with nothing written, where a transaction has to decide.
 */
export const makeSingleStatementUpdate = Effect.gen(function* () {
  const store = yield* ThingStore
  const lists = yield* ListStore
  const days = yield* DayLists
  const ids = yield* Ids

  const decidePlain =
    (account: Account, patch: UpdateThingInput) =>
    ({ thing }: ThingWithReminder) => {
      const isMore = patch.occurrence !== undefined || patch.listId !== undefined
      if (isMore || problemOf(thing, patch) !== undefined) return Effect.undefined
      const revised = revise(account, thing, patch)
      return Effect.as(Effect.andThen(describe(revised.summary), notifyCut(thing, patch)), revised.thing)
    }

  /** `target` is the list to which it moves. */
  const decide = Effect.fnUntraced(function* (
    account: Account,
    patch: UpdateThingInput,
    { reminder, thing }: ThingWithReminder,
    target: List | undefined
  ): Effect.fn.Return<Decided | undefined> {
    const completion: Completion = completes(patch)
      ? decideCompletion(reminder, account.timezone, yield* currentTime)
      : { _tag: "Plain" }
    const returning = completion._tag === "Repeats" ? [completion.nextAt] : []
    const revised = revise(account, thing, patch, { returning, target })
    yield* describe(revised.summary)
    yield* notifyCut(thing, patch)
    const after = { ...revised.thing, listId: target?.id ?? thing.listId }
    if (completion._tag === "Repeats")
      return after.listId === thing.listId ? yield* returningBy(account, after, completion) : undefined
    const isGone = completion._tag === "RemovesReminder"
    const kept = isGone ? undefined : reminder
    return {
      revision: { thing: after, ...(isGone && { reminder: null }) },
      updatedOf: (thing) => ({ thing, repeating: undefined, reminderRemoved: isGone, reminder: kept })
    }
  })

  const returningBy = Effect.fnUntraced(function* (
    account: Account,
    completed: Thing,
    { nextAt, reminder }: Extract<Completion, { readonly _tag: "Repeats" }>
  ): Effect.fn.Return<Decided> {
    const copyId = (yield* ids.next) as ThingId
    const dayList = yield* days.draft(account, localDateOf(account.timezone, nextAt))
    const thing = { ...completed, completed: false, canceled: false }
    const copy = { ...completed, id: copyId }
    return {
      revision: { thing, reminder, returns: { copy, dayList, staysInList: !account.repeatMovesToDay } },
      updatedOf: (thing) => ({
        thing,
        repeating: { copyId, nextAt, listId: thing.listId, reminder },
        reminderRemoved: false,
        reminder
      })
    }
  })

  const updatePlain = (account: Account, id: string, patch: UpdateThingInput, { keyed, seen }: UpdateContext) =>
    Effect.map(
      store.revise(account.id, id, decidePlain(account, patch), {
        seen,
        keyed: keyed && keyedBy(keyed, updatedPlain)
      }),
      (thing) => thing && updatedPlain(thing)
    )

  return Effect.fnUntraced(function* (
    account: Account,
    id: string,
    patch: UpdateThingInput,
    { keyed, seen }: UpdateContext
  ) {
    if (!isOfItself(patch)) return undefined
    const { listId, occurrence } = patch
    if (seen === undefined || (seen.reminder === undefined && listId === undefined))
      return yield* updatePlain(account, id, patch, { keyed, seen })
    const isOther = occurrence !== undefined && isOtherOccurrence(occurrence, seen.reminder, account.timezone)
    if (isOther || problemOf(seen.thing, patch) !== undefined) return undefined
    const target = listId === undefined ? undefined : yield* lists.get(account.id, listId)
    if (listId !== undefined && target === undefined) return undefined
    const decided = yield* decide(account, patch, seen, target)
    if (decided === undefined) return undefined
    const { revision, updatedOf } = decided
    const written = yield* store.reviseIfUnchanged(account.id, seen, revision, keyed && keyedBy(keyed, updatedOf))
    return written && updatedOf(written.thing)
  })
})

/** Whether a patch says something of the thing itself or its list by id, and of no other list. */
const isOfItself = (patch: UpdateThingInput): boolean =>
  !isEmptyPatch(patch) && patch.list === undefined && patch.listRef === undefined

const updatedPlain = (thing: Thing): UpdatedThing => ({
  thing,
  repeating: undefined,
  reminderRemoved: false,
  reminder: undefined
})

const keyedBy = ({ answerOf, ...keyed }: KeyedUpdate, updatedOf: (thing: Thing) => UpdatedThing): KeyedThing => ({
  ...keyed,
  answerOf: (thing) => answerOf(updatedOf(thing))
})

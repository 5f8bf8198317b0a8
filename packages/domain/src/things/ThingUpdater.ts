import { Context, Effect, Layer } from "effect"
import type { Account } from "../model/Account.ts"
import { changedThings, differing } from "../summaries/OperationSummaries.ts"
import { describe } from "../model/CurrentOperation.ts"
import type { InvalidInput, StorageUnavailable } from "../model/Errors.ts"
import type { List } from "../model/List.ts"
import type { Reminder } from "../model/Reminder.ts"
import { originalOf, type Thing } from "../model/Thing.ts"
import { ListStore } from "../ports/ListStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { dateOfWrite } from "../days/ClockSkew.ts"
import { Capacity } from "../size/Capacity.ts"
import { Families } from "../targets/Families.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import { ChangeSet } from "./ChangeSet.ts"
import { type Completed, makeCompleteThings, noneCompleted } from "./CompleteThings.ts"
import { inPositionOrder, positionAllocator, type PositionAllocator } from "./PositionAllocator.ts"
import { completes, contentChanges, memberChanges, type ThingPatch } from "./ThingPatch.ts"
import { type EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** A patch of existing things of one owner. It may be empty only if the things also move or change their nesting. */
export interface ThingUpdate {
  readonly things: ReadonlyArray<Thing>
  readonly patch: ThingPatch
  /** The list to move to; things already in it stay where they are. */
  readonly target?: List | undefined
  /** The `tabs` of each of them, in place of one value for all. */
  readonly tabs?: ReadonlyArray<number>
  /** All reminders of the things' families, where they have been read before. */
  readonly reminders?: ReadonlyArray<Reminder>
}

/** The result of an update. */
export interface Changed extends Completed {
  /** All requested things, as they are afterwards. */
  readonly things: ReadonlyArray<Thing>
}

/** Applies one patch to many things of one owner, including moves, live linked copies and completions. */
export class ThingUpdater extends Context.Service<
  ThingUpdater,
  {
    /**
     * Moved things keep their order within each source list, and source lists follow the order of the call
     * (docs/decisions.md#order-and-nesting). `InvalidInput` also when a list or the account would exceed a size limit:
     * the next occurrence of a thing needs room in its day list, its copy in the account. Inside `Storage.transact`.
     */
    readonly apply: (
      account: Account,
      update: ThingUpdate,
      writeTimestamp: EpochMillis
    ) => Effect.Effect<Changed, InvalidInput | StorageUnavailable>
    /** Before `apply`: `InvalidInput` where the list that a patch refers to is unknown; `at` stands before its field. */
    readonly checkReference: (
      account: Account,
      patch: ThingPatch,
      at?: string
    ) => Effect.Effect<void, InvalidInput | StorageUnavailable>
  }
>()("@lists-and-things/domain/things/ThingUpdater") {
  static readonly layer = Layer.effect(
    ThingUpdater,
    Effect.gen(function* () {
      const lists = yield* ListStore
      const store = yield* ThingStore
      const families = yield* Families
      const capacity = yield* Capacity
      const unknownIds = yield* makeUnknownIds
      const complete = yield* makeCompleteThings

      const apply = traced("ThingUpdater.apply")(function* (
        account: Account,
        { patch, reminders, tabs = [], target, things }: ThingUpdate,
        writeTimestamp: EpochMillis
      ) {
        const changeSet = new ChangeSet(yield* families.membersOf(account.id, things), writeTimestamp)
        const positions = positionAllocator(store, account.id, yield* dateOfWrite(writeTimestamp))
        setFields(changeSet, things, patch)
        for (const [at, each] of tabs.entries()) changeSet.set(things[at]!.id, { tabs: each })
        if (target !== undefined) moveThings(changeSet, things, target)
        let completed = noneCompleted
        if (completes(patch)) {
          yield* place(changeSet, positions)
          completed = yield* complete({ account, changeSet, positions }, things, reminders)
        }
        const fits = capacity.admit(account.id, changeSet.growth, completed.sizes)
        yield* Effect.all([place(changeSet, positions), fits], together)
        yield* write(account, changeSet)
        const { reminderRemoved, repeating } = completed
        const returning = Array.from(repeating.values(), ({ nextAt }) => nextAt)
        const isCompleted = ({ id }: Thing) => repeating.has(id) || reminderRemoved.has(id)
        yield* describe(summaryOf(account, { patch, target, things }, returning, isCompleted))
        return { things: things.map(({ id }) => changeSet.now(id)), ...completed }
      })

      const checkReference = Effect.fnUntraced(function* (account: Account, patch: ThingPatch, at = "") {
        const { listRef } = contentChanges(patch)
        if (listRef && (yield* lists.get(account.id, listRef)) === undefined)
          yield* unknownIds.invalid(account.id, `${at}list_ref`, "list", listRef)
      })

      /** Gives the things that have moved a position at the end of their lists. */
      const place = Effect.fnUntraced(function* (changeSet: ChangeSet, positions: PositionAllocator) {
        const unplaced = changeSet.takeUnplaced()
        const given = yield* positions.allocate(unplaced.map(({ listId }) => ({ listId })))
        for (const [index, { id }] of unplaced.entries()) changeSet.set(id, { position: given[index]! })
      })

      const write = Effect.fnUntraced(function* (account: Account, changeSet: ChangeSet) {
        yield* store.put(account.id, changeSet.changed, changeSet.before)
        if (changeSet.copies.length > 0) yield* store.insert(account.id, changeSet.copies)
        yield* lists.touch(account.id, changeSet.lists, changeSet.writeTimestamp)
      })

      return ThingUpdater.of({ apply, checkReference })
    })
  )
}

/**
 * Applies a patch to a thing without linked copies, and summarizes the change. The write sets `updated`; the reminder
 * and the position are decided elsewhere. The summary names the times at which a repeating thing returns, and the list
 * that it moves to.
 */
export const revise = (
  account: Account,
  thing: Thing,
  patch: ThingPatch,
  {
    returning = [],
    target
  }: { readonly returning?: ReadonlyArray<EpochMillis>; readonly target?: List | undefined } = {}
): Revised => ({
  thing: { ...thing, ...memberChanges(patch), ...contentChanges(patch) },
  summary: summaryOf(account, { things: [thing], patch, target }, returning)
})

interface Revised {
  readonly thing: Thing
  readonly summary: string
}

/** Names the things that changed; where none did, all. `isCompleted`: its reminder advanced or went. */
const summaryOf = (
  account: Account,
  { patch, target, things }: ThingUpdate,
  returning: ReadonlyArray<EpochMillis>,
  isCompleted: (thing: Thing) => boolean = () => false
): string => {
  const isMoved = ({ listId }: Thing) => target !== undefined && listId !== target.id
  const asked = { ...contentChanges(patch), ...memberChanges(patch) }
  const isChanged = (thing: Thing) =>
    isMoved(thing) || isCompleted(thing) || Object.keys(differing([thing], asked)).length > 0
  const changed = things.filter(isChanged)
  const moves = things.some(isMoved)
  const differs = differing(things, asked)
  const isNone = Object.keys(differs).length === 0 && !moves && returning.length === 0
  const { canceled, completed, favorited, ...content } = isNone ? asked : differs
  const change = {
    // A thing that returns was completed by this write, even if it was completed before.
    ...(returning.length > 0 ? { completed: asked.completed, canceled: asked.canceled } : { completed, canceled }),
    favorited,
    fields: Object.keys(content),
    text: content.text,
    movedTo: moves ? target?.title : undefined,
    returning
  }
  return changedThings(changed.length === 0 ? things : changed, change, account.timezone)
}

/** For effects that do not depend on each other. */
const together = { concurrency: "unbounded", discard: true } as const

/** Fields of the things themselves, and content, which their families share. */
const setFields = (changeSet: ChangeSet, things: ReadonlyArray<Thing>, patch: ThingPatch): void => {
  const [member, content] = [memberChanges(patch), contentChanges(patch)]
  for (const { id } of things) changeSet.set(id, member)
  if (Object.keys(content).length === 0) return
  const families = new Map(things.map((thing) => [originalOf(thing), thing]))
  for (const thing of families.values()) changeSet.setContent(thing, content)
}

const moveThings = (changeSet: ChangeSet, things: ReadonlyArray<Thing>, target: List): void => {
  for (const { id } of inPositionOrder(things.filter(({ listId }) => listId !== target.id)))
    changeSet.moveTo(id, target.id)
}

import { Context, Effect, Layer, Option, Stream } from "effect"
import * as Crypto from "effect/Crypto"
import type { Account } from "../model/Account.ts"
import { Caller, callerWith } from "../model/Caller.ts"
import { CurrentOperation, type OperationCall, Operator, recordOf } from "../model/CurrentOperation.ts"
import { addMillis, earlierOf, type EpochMillis } from "../model/EpochMillis.ts"
import {
  type AccessError,
  Conflict,
  Gone,
  type InvalidInput,
  NotFound,
  type StorageUnavailable
} from "../model/Errors.ts"
import type { AccountId, ListId } from "../model/Ids.ts"
import {
  changesSettings,
  type EntityChange,
  type EntityKey,
  hasEffect,
  keyText,
  type Operation,
  operationIdAt,
  type Surface
} from "../model/Operation.ts"
import type { UndoState } from "../json/OperationJson.ts"
import { HistoryStore, type OperationFilter } from "../ports/HistoryStore.ts"
import { Storage } from "../ports/Storage.ts"
import { shownId } from "../targets/UnknownId.ts"
import { withoutContested } from "./Contested.ts"
import { operationPages, operationsIn } from "./OperationPages.ts"
import { mergeChanges, type OperationChanges } from "./Entities.ts"
import { isBlockedLater } from "./LaterObstacles.ts"
import { makeFormerZones } from "./FormerZones.ts"
import { blocking, isInEffect, lastUndoOf, type Undos, withUndos } from "./InEffect.ts"
import { undoneAll, undoSummary } from "../summaries/OperationSummaries.ts"
import { blockedMessage, goneMessage, maxNamedOperations, redoMessage, settingsMessage } from "./UndoMessages.ts"
import { isBlocked, planUndo, type UndoPlan } from "./UndoPlan.ts"
import { makeUndoReading } from "./UndoReading.ts"
import { countsOf, makeUndoWriting } from "./UndoWriting.ts"
import { traced } from "../scheduling/Traced.ts"
import { runSteps, yieldIfDue } from "../scheduling/Yielding.ts"

/** An undo, which is an operation like any other, and what it took back as it is now. */
export interface Undone {
  readonly operation: Operation
  readonly undone: Operation
}

/** What one operation took back of several. */
export interface UndoneAll {
  readonly operation: Operation
  /** Newest first. */
  readonly undone: ReadonlyArray<Operation>
}

/** Which operations the newest one is chosen from; all if nothing is given. */
export interface NewestFilter {
  /** Operations of this name are left out. */
  readonly exceptName?: string
  readonly surface?: Surface
}

export interface UndoOutlook {
  readonly state: UndoState
  /**
   * What the attempt would be answered with; undefined when it would succeed, and for an operation that created so much
   * that only its first obstacle was looked for.
   */
  readonly refusal: string | undefined
}

type NotUndoable = Conflict | Gone
type UndoError = NotUndoable | InvalidInput | NotFound | AccessError

/**
 * Undoes operations, all or nothing (docs/decisions.md#history). `Conflict` names the entities in the way and the later
 * operations that changed them; `Gone` when the images of the operation are pruned.
 */
export class Undo extends Context.Service<
  Undo,
  {
    /** Undoes one operation; undoing an undo is a redo. */
    readonly undo: (id: string) => Effect.Effect<Undone, UndoError, Caller>
    /**
     * Undoes the newest operation of a key or app that changed something, is not an undo, was not undone, and passes the
     * filter.
     */
    readonly undoNewest: (byId: string, filter?: NewestFilter) => Effect.Effect<Undone, UndoError, Caller>
    /** What `undoNewest` would take back. */
    readonly newest: (byId: string, filter?: NewestFilter) => Effect.Effect<Operation, Conflict | AccessError, Caller>
    /** Everything that a key or app did after a time (exclusive), in one operation. */
    readonly undoAll: (who: {
      readonly byId: string
      readonly since: EpochMillis
    }) => Effect.Effect<UndoneAll, UndoError, Caller>
    /** Whether `undo` would succeed now; size limits are not checked. Requires no scope of its own. */
    readonly outlookOf: (operation: Operation) => Effect.Effect<UndoOutlook, StorageUnavailable>
  }
>()("@lists-and-things/domain/history/Undo") {
  static readonly layer = Layer.effect(
    Undo,
    Effect.gen(function* () {
      const storage = yield* Storage
      const history = yield* HistoryStore
      const crypto = yield* Crypto.Crypto
      const inZoneOfNow = yield* makeFormerZones
      const read = yield* makeUndoReading
      const write = yield* makeUndoWriting

      /** The operations, newest first, that are in effect once those after them are undone, and what they changed. */
      const select = Effect.fnUntraced(function* (owner: AccountId, newestFirst: ReadonlyArray<Operation>) {
        const undos = yield* withUndos(history, owner, newestFirst)
        const taken = new Set<string>()
        const selected: Array<OperationChanges> = []
        for (const operation of newestFirst) {
          if (!isInEffect(operation, undos, taken)) continue
          const entities = yield* history.entities(owner, operation.at, everything)
          if (entities === undefined) return yield* new Gone({ message: goneMessage(operation) })
          if (entities.items.some(({ type }) => type === "account")) return yield* settingsChanged(operation)
          taken.add(operation.id)
          selected.push({ operation, changes: entities.items })
        }
        return selected
      })

      /** The operations that changed these entities since, for the message of a refusal. */
      const causesOf = Effect.fnUntraced(function* (
        owner: AccountId,
        since: EpochMillis,
        keys: ReadonlyArray<EntityKey>,
        taken: ReadonlyArray<OperationChanges>
      ) {
        const own = new Set(taken.map(({ operation }) => operation.id))
        const changed = (yield* history.later(owner, since, keys)).filter(({ operation }) => !own.has(operation.id))
        const undos: Undos = yield* withUndos(
          history,
          owner,
          changed.map(({ operation }) => operation)
        )
        const inEffect = blocking({ at: since }, changed, undos, own).map(({ operation }) => operation)
        // An operation that was undone and redone is named by its redo, since only that can be undone.
        const causes = new Set(inEffect.map((operation) => undos.get(lastUndoOf(operation, undos)) ?? operation))
        return causes.size > 0 ? [...causes] : changed.map(({ operation }) => operation)
      })

      /**
       * What these operations, newest first, added and deleted, by `keyText`: the newest of each entity. And the first of
       * them whose changes are no longer kept.
       */
      const changesOf = Effect.fnUntraced(function* (operations: ReadonlyArray<Operation>) {
        const changes = new Map<string, EntityChange>()
        let gone: Operation | undefined
        for (const operation of operations) {
          const changed = yield* history.entities(operation.owner, operation.at, everything)
          if (changed === undefined) gone ??= operation
          for (const each of changed?.items ?? [])
            if (each.change !== "updated" && !changes.has(keyText(each))) changes.set(keyText(each), each)
        }
        return { changes, gone }
      })

      /**
       * The plan of an undo that changes no entity: it still moves `updated` of the lists, since an undo is an
       * operation like any other.
       */
      const touching = Effect.fnUntraced(function* (
        owner: AccountId,
        selected: ReadonlyArray<OperationChanges>,
        planned: UndoPlan
      ): Effect.fn.Return<UndoPlan, NotUndoable | StorageUnavailable> {
        const touched = new Set<ListId>()
        for (const { operation } of selected) {
          const [moved] = yield* history.following(owner, addMillis(operation.at, -1), 0, perPage)
          const keys = (moved?.keys ?? []).filter(({ type }) => type === "list")
          for (const { value } of yield* history.current(owner, keys)) touched.add(value.id as ListId)
        }
        return touched.size === 0 ? yield* nothingLeft : { ...planned, touched }
      })

      const plan = Effect.fnUntraced(function* (
        owner: AccountId,
        selected: ReadonlyArray<OperationChanges>
      ): Effect.fn.Return<UndoPlan, NotUndoable | StorageUnavailable> {
        const { changedLater, kept } = yield* withoutContested(history, owner, selected)
        yield* yieldIfDue
        const inZone = yield* inZoneOfNow(owner, kept)
        const changes = yield* runSteps(() => mergeChanges(inZone))
        const around = yield* read(owner, changes)
        const planned = yield* runSteps(() => planUndo(owner, changes, around, changedLater))
        if (!isBlocked(planned)) return isNothing(planned) ? yield* touching(owner, selected, planned) : planned
        const since = selected.map(({ operation }) => operation.at).reduce(earlierOf)
        const causes = yield* causesOf(owner, since, planned.obstacles, selected)
        const newestCauses = causes.toSorted((a, b) => b.at - a.at).slice(0, maxNamedOperations)
        const { changes: later, gone } = yield* changesOf(newestCauses)
        const former = new Map(changes.map((change) => [keyText(change), change.before]))
        const named = planned.obstacles.map((key) => {
          const now = around.get(keyText(key))
          const change = later.get(keyText(key))
          return {
            key,
            entity: now ?? change?.before ?? former.get(keyText(key)),
            change:
              change === undefined || (change.change === "deleted" && now !== undefined) ? "updated" : change.change
          }
        })
        const isBlockedUndo = causes.length > 0 && gone === undefined && !causes.some(changesSettings)
        return yield* new Conflict({ message: blockedMessage(named, causes, gone), isBlockedUndo })
      })

      const planOne = Effect.fnUntraced(function* (operation: Operation) {
        if (operation.undoneBy !== null) {
          const undos = yield* withUndos(history, operation.owner, [operation])
          const last = lastUndoOf(operation, undos)
          return yield* new Conflict({ message: redoMessage(last, isInEffect(operation, undos)) })
        }
        return yield* plan(operation.owner, yield* select(operation.owner, [operation]))
      })

      /** Carries out a plan. The id of the resulting operation is chosen here, since the answer contains it. */
      const carryOut = Effect.fnUntraced(function* (
        call: OperationCall,
        taken: ReadonlyArray<Operation>,
        planned: UndoPlan,
        writeTimestamp: EpochMillis
      ) {
        const id = operationIdAt(writeTimestamp, yield* Effect.orDie(crypto.randomBytes(10)))
        call.id = id
        // The oldest: what lies between it and this operation is as if neither had been.
        call.undoes = taken.at(-1)!.id
        call.summary = taken.length === 1 ? undoSummary(taken[0]!) : undoneAll(taken.length, taken[0]!.by.name)
        yield* write(planned, writeTimestamp)
        for (const { at } of taken) yield* history.putUndoneBy(planned.owner, at, id)
        const made = { id, owner: planned.owner, at: writeTimestamp, ...recordOf(call), counts: countsOf(planned) }
        return {
          operation: { ...made, undoneBy: null } satisfies Operation,
          undone: taken.map((operation) => ({ ...operation, undoneBy: id }))
        }
      })

      const run = <A>(body: (account: Account, call: OperationCall, writeTimestamp: EpochMillis) => Run<A>) =>
        Effect.gen(function* () {
          const { account } = yield* callerWith("write:lists", "write:things")
          const call = (yield* CurrentOperation) ?? (yield* byOperator)
          return yield* storage
            .transact(account.id, (writeTimestamp) => body(account, call, writeTimestamp))
            .pipe(Effect.provideService(CurrentOperation, call))
        })

      /** Undoes the operation that `find` finds in the transaction. */
      const undoOne = (
        find: (owner: AccountId) => Effect.Effect<Operation, Conflict | NotFound | StorageUnavailable>
      ) =>
        run((account, call, writeTimestamp) =>
          Effect.gen(function* () {
            const operation = yield* find(account.id)
            const done = yield* carryOut(call, [operation], yield* planOne(operation), writeTimestamp)
            return { operation: done.operation, undone: done.undone[0]! }
          })
        )

      const undo = traced("Undo.undo")(function* (id: string) {
        return yield* undoOne((owner) =>
          Effect.flatMap(history.get(owner, id), (found) =>
            found === undefined ? Effect.fail(unknownOperation(id)) : Effect.succeed(found)
          )
        )
      })

      const undoNewest = traced("Undo.undoNewest")(function* (byId: string, filter?: NewestFilter) {
        return yield* undoOne((owner) => newestOf(owner, byId, filter))
      })

      /** Newest first. */
      const operations = (owner: AccountId, filter: OperationFilter) =>
        operationsIn(operationPages(filter, (rest) => history.page(owner, rest, 0, perPage)))

      const newestOf = Effect.fnUntraced(function* (
        owner: AccountId,
        byId: string,
        { exceptName, surface }: NewestFilter = {}
      ) {
        const open = yield* operations(owner, { byId }).pipe(
          Stream.filter(
            (each) =>
              each.undoes === null &&
              each.undoneBy === null &&
              each.name !== exceptName &&
              (surface === undefined || each.surface === surface) &&
              hasEffect(each)
          ),
          Stream.runHead
        )
        return Option.isSome(open) ? open.value : yield* nothingDone
      })

      const newest = traced("Undo.newest")(function* (byId: string, filter?: NewestFilter) {
        const { account } = yield* callerWith("write:lists", "write:things")
        return yield* newestOf(account.id, byId, filter)
      })

      const undoAll = traced("Undo.undoAll")(function* (who: { readonly byId: string; readonly since: EpochMillis }) {
        return yield* run((account, call, writeTimestamp) =>
          Effect.gen(function* () {
            const all = yield* Stream.runCollect(operations(account.id, who))
            const selected = yield* select(account.id, all)
            if (selected.length === 0) return yield* nothingDone
            const taken = selected.map(({ operation }) => operation)
            return yield* carryOut(call, taken, yield* plan(account.id, selected), writeTimestamp)
          })
        )
      })

      /** Fails as the undo would. A large operation is planned only if it is neither the newest nor a mere creation. */
      const foresee = Effect.fnUntraced(function* (
        operation: Operation
      ): Effect.fn.Return<UndoOutlook, NotUndoable | StorageUnavailable> {
        const { at, counts, id, owner, undoneBy } = operation
        if (undoneBy === null && counts.things > maxPlannedThings) {
          if (yield* history.onlyCreated(owner, at))
            return (yield* isBlockedLater(history, operation)) ? { state: "blocked", refusal: undefined } : possible
          const isNewest = (yield* history.head(owner)).operation === id
          if (isNewest && (yield* history.entities(owner, at, 1)) !== undefined) return possible
        }
        yield* planOne(operation)
        return possible
      })

      const outlookOf = traced("Undo.outlookOf")(function* (operation: Operation) {
        return yield* storage.snapshot(operation.owner, foresee(operation)).pipe(
          Effect.catchTags({
            Conflict: ({ message }) => Effect.succeed<UndoOutlook>({ state: "blocked", refusal: message }),
            Gone: ({ message }) => Effect.succeed<UndoOutlook>({ state: "expired", refusal: message })
          })
        )
      })

      return Undo.of({ undo, newest, undoNewest, undoAll, outlookOf })
    })
  )
}

type Run<A> = Effect.Effect<A, NotUndoable | InvalidInput | NotFound | StorageUnavailable>

const possible: UndoOutlook = { state: "possible", refusal: undefined }

/** Things of an operation up to which its undo is planned to see whether it is possible. */
const maxPlannedThings = 1_000

/** More entities than any operation has. */
const everything = 1_000_000_000

/** Operations per read. */
const perPage = 500

const byOperator: Effect.Effect<OperationCall> = Effect.map(Operator, (by) => ({
  name: "undoOperation",
  surface: "cli",
  by,
  requestId: null
}))

const isNothing = ({ lists, places, reminders, things }: UndoPlan): boolean =>
  [lists, places, reminders, things].every(({ now, next }) => now.size === 0 && next.size === 0)

export const unknownOperation = (id: string): NotFound =>
  new NotFound({ message: `No operation of yours has the id ${shownId(id)}.` })

const settingsChanged = (operation: Operation) => new Conflict({ message: settingsMessage(operation) })

const nothingLeft = new Conflict({ message: "There is nothing to undo: all is as it was before." })

const nothingDone = new Conflict({ message: "There is nothing to undo: no operation of yours is in effect." })

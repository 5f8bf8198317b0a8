import { Context, Effect, Layer, Result } from "effect"
import type { Account } from "../model/Account.ts"
import { deletedThings, maxNamed } from "../summaries/OperationSummaries.ts"
import { describe, notify } from "../model/CurrentOperation.ts"
import { Caller, callerWith } from "../model/Caller.ts"
import { type AccessError, Ambiguous, InvalidInput, type NotFound } from "../model/Errors.ts"
import type { ListId } from "../model/Ids.ts"
import type { AppendMarkdownInput, BulkCreateInput, BulkUpdateInput } from "../json/ThingInput.ts"
import type { List } from "../model/List.ts"
import type { Thing } from "../model/Thing.ts"
import {
  catchUnknownList,
  type KnownLists,
  ListTarget,
  type NoTarget,
  type TargetInput,
  type UnknownList
} from "../targets/ListTarget.ts"
import { ListStore } from "../ports/ListStore.ts"
import { Storage } from "../ports/Storage.ts"
import { type ThingsOutline, ThingStore } from "../ports/ThingStore.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import { ThingUpdater } from "./ThingUpdater.ts"
import { Duplicates } from "./Duplicates.ts"
import { notifyReturning } from "./Returning.ts"
import { maxSkippedNamed, notifySkipped, type Skipped } from "./Skipped.ts"
import { Families } from "../targets/Families.ts"
import { Insertion, type InsertionContext, type Placed } from "./Insertion.ts"
import { notifyLostTags } from "./LostTags.ts"
import { outdentKept } from "./LeftOutParents.ts"
import { markdownDrafts } from "./MarkdownDrafts.ts"
import { brokenCombination, draftThing, isBlankDraft, type ThingDraft } from "./ThingDraft.ts"
import { isEmptyPatch } from "./ThingPatch.ts"
import { typedDrafts } from "./TypedDrafts.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { mapYielding, runSteps } from "../scheduling/Yielding.ts"
import { traced } from "../scheduling/Traced.ts"

/** How many things one list got. */
export interface ListCount {
  readonly listId: ListId
  readonly created: number
  readonly skipped: number
}

export interface BulkCreated {
  readonly created: number
  /** Items without a thing: blank ones, duplicates, those of an unknown list. */
  readonly skipped: number
  /** In the order in which the lists were first named; excludes items whose own target is unknown. */
  readonly byList: ReadonlyArray<ListCount>
}

type WriteError = Ambiguous | InvalidInput | NotFound | AccessError

/** Use cases on many things; each is one transaction (docs/contract.md#things, docs/decisions.md#errors). */
export class BulkThings extends Context.Service<
  BulkThings,
  {
    /** `InvalidInput` when the default target is unknown; an item's own unknown target skips the item. */
    readonly create: (input: BulkCreateInput) => Effect.Effect<BulkCreated, WriteError, Caller>
    /**
     * Unknown ids are skipped; `InvalidInput` when the list to move to or to refer to is unknown. `at` is the prefix of
     * the fields in error messages, such as `set.`.
     */
    readonly update: (
      input: BulkUpdateInput,
      at?: string
    ) => Effect.Effect<{ readonly updated: number; readonly skipped: number }, WriteError, Caller>
    /** The number of things that existed; a notice names the other ids. */
    readonly remove: (ids: ReadonlyArray<string>) => Effect.Effect<number, NotFound | AccessError, Caller>
    /** The items of a document, at the end of one list; `InvalidInput` when that is unknown. */
    readonly appendMarkdown: (input: AppendMarkdownInput) => Effect.Effect<BulkCreated, WriteError, Caller>
    /**
     * `appendMarkdown` for text that a person typed or pasted: each line at the left margin is a thing, plain lines
     * take the account's default type, and if there is only one line, `#tag` words at its end become tags.
     */
    readonly appendTyped: (input: AppendMarkdownInput) => Effect.Effect<BulkCreated, WriteError, Caller>
  }
>()("@lists-and-things/domain/things/BulkThings") {
  static readonly layer = Layer.effect(
    BulkThings,
    Effect.gen(function* () {
      const storage = yield* Storage
      const lists = yield* ListStore
      const store = yield* ThingStore
      const target = yield* ListTarget
      const insertion = yield* Insertion
      const duplicates = yield* Duplicates
      const updater = yield* ThingUpdater
      const families = yield* Families
      const unknownIds = yield* makeUnknownIds

      /** The target of the whole call: an unknown one is a 400, since it does not identify the requested resource. */
      const defaultTarget = (account: Account, named: TargetInput, { at = "", known, writeTimestamp }: TargetContext) =>
        Effect.catchTags(target.resolve(account, named, writeTimestamp, known), refusedAt(at))

      /** A target must exist even if nothing is added to it; the list of a day is not made for that. */
      const checkedTarget = (account: Account, named: TargetInput, { at = "", known, writeTimestamp }: TargetContext) =>
        Effect.catchTags(Effect.as(target.check(account, named, writeTimestamp, known), undefined), refusedAt(at))

      const unknownDefault = (account: Account, unknown: UnknownList, at = "") =>
        unknown._tag === "UnknownListId"
          ? unknownIds.invalid(account.id, `${at}list_id`, "list", unknown.id)
          : Effect.catchTag(target.explain(account, unknown), "NotFound", asMalformed(at))

      /** Says which ids were left out, and what they name instead. */
      const notifyUnknown = Effect.fnUntraced(function* (
        account: Account,
        ids: ReadonlyArray<string>,
        missing: ReadonlyArray<string>
      ) {
        const named = yield* Effect.forEach(
          missing.slice(0, maxSkippedNamed),
          (id) =>
            Effect.map(unknownIds.describe(account.id, "thing", id), (why) => ({ at: `ids[${ids.indexOf(id)}]`, why })),
          { concurrency: "unbounded" }
        )
        yield* notifySkipped(named, missing.length)
      })

      /** The list of each item: its own target, or the call's. */
      const targetsOf = Effect.fnUntraced(function* (
        account: Account,
        input: BulkCreateInput,
        writeTimestamp: EpochMillis,
        known: KnownLists
      ) {
        const fallback = input.items.some((item) => !hasTarget(item))
          ? yield* defaultTarget(account, input, { known, writeTimestamp })
          : hasTarget(input)
            ? yield* checkedTarget(account, input, { known, writeTimestamp })
            : undefined
        const own = yield* target.resolveAll(account, input.items.filter(hasTarget), writeTimestamp, known)
        let next = 0
        const targets: Array<List | Unplaced> = []
        for (const [index, item] of input.items.entries())
          targets.push(hasTarget(item) ? yield* ownTarget(own[next++]!, index) : fallback!)
        return targets
      })

      const insertCounted = Effect.fnUntraced(function* (
        account: Account,
        items: ReadonlyArray<Placed | Unplaced>,
        { isDocument = false, known, nameOf, skipDuplicates = false, writeTimestamp }: BulkInsertion
      ) {
        const placed = items.filter(isPlaced)
        const wanted = placed.filter((item) => !isBlankDraft(item.draft))
        const kept = skipDuplicates ? yield* duplicates.without(account.id, wanted) : wanted
        const isKept = new Set(kept)
        const inserted = isDocument ? yield* runSteps(() => outdentKept(placed, (item) => isKept.has(item))) : kept
        yield* insertion.insert(account, inserted, writeTimestamp, known)
        yield* notifySkipped(leftOut(items, isKept, nameOf), items.length - kept.length)
        return counted(placed, isKept, items.length - placed.length)
      })

      const create = traced("BulkThings.create")(function* (input: BulkCreateInput) {
        const { account } = yield* callerWith("write:things")
        const broken = brokenInBulk(input)
        if (broken !== undefined) return yield* broken
        const insert = Effect.fnUntraced(function* (writeTimestamp: EpochMillis, known: InsertionContext) {
          const targets = yield* targetsOf(account, input, writeTimestamp, known.lists)
          const items = input.items.map((item, index): Placed | Unplaced => {
            const list = targets[index]!
            return "why" in list ? list : { draft: draftThing(item, account), list, at: `items[${index}].` }
          })
          const { skipDuplicates } = input
          const nameOf = (index: number) => `items[${index}]`
          return yield* insertCounted(account, items, { known, nameOf, skipDuplicates, writeTimestamp })
        })
        return yield* storage
          .transactWith(account.id, insertion.contextOf(account.id, idsNamed([input, ...input.items])), insert)
          .pipe(catchUnknownList((unknown) => unknownDefault(account, unknown)))
      })

      const append = Effect.fnUntraced(function* (
        input: AppendMarkdownInput,
        read: (markdown: string, account: Account) => Effect.Effect<ReadonlyArray<ThingDraft>, InvalidInput>
      ) {
        const { account } = yield* callerWith("write:things")
        const broken = brokenCombination(input, "")
        if (broken !== undefined) return yield* broken
        const drafts = yield* read(input.markdown, account)
        const insert = Effect.fnUntraced(function* (writeTimestamp: EpochMillis, known: InsertionContext) {
          const list = yield* defaultTarget(account, input, { known: known.lists, writeTimestamp })
          const items = yield* mapYielding(drafts, (draft): Placed => ({ draft, list, at: "" }))
          const { skipDuplicates } = input
          const nameOf = (index: number) => `item ${index + 1} of the document`
          const options = { isDocument: true, known, nameOf, skipDuplicates, writeTimestamp }
          const counts = yield* insertCounted(account, items, options)
          return items.length > 0 ? counts : { ...counts, byList: [{ listId: list.id, created: 0, skipped: 0 }] }
        })
        return yield* storage
          .transactWith(account.id, insertion.contextOf(account.id, idsNamed([input])), insert)
          .pipe(catchUnknownList((unknown) => unknownDefault(account, unknown)))
      })

      const appendMarkdown = traced("BulkThings.appendMarkdown")(function* (input: AppendMarkdownInput) {
        return yield* append(input, (markdown) =>
          Effect.gen(function* () {
            const { drafts } = yield* markdownDrafts(markdown, { title: "none" })
            if (drafts.length === 0) yield* notify("Nothing was added: the document has no items.")
            return drafts
          })
        )
      })

      const appendTyped = traced("BulkThings.appendTyped")(function* (input: AppendMarkdownInput) {
        return yield* append(input, typedDrafts)
      })

      const update = traced("BulkThings.update")(function* ({ ids, set }: BulkUpdateInput, at = "") {
        const { account } = yield* callerWith("write:things")
        const broken = brokenCombination(set, at)
        if (broken !== undefined) return yield* broken
        const unique = [...new Set(ids)]
        const change = Effect.fnUntraced(function* (writeTimestamp: EpochMillis, stored: ReadonlyArray<Thing>) {
          const found = new Map(stored.map((thing) => [thing.id as string, thing]))
          const things = unique.flatMap((id) => found.get(id) ?? [])
          const missing = unique.filter((id) => !found.has(id))
          const targetOf = things.length > 0 ? defaultTarget : checkedTarget
          const list = hasTarget(set) ? yield* targetOf(account, set, { at, writeTimestamp }) : undefined
          yield* updater.checkReference(account, set, at)
          if (isEmptyPatch(set)) {
            yield* notify("Nothing was changed: the change names no field.")
            return { updated: 0, missing }
          }
          if (things.length > 0) {
            const changed = yield* updater.apply(account, { things, patch: set, target: list }, writeTimestamp)
            yield* notifyReturning(account, changed)
            yield* notifyLostTags(things, set.tags)
          }
          return { updated: things.length, missing }
        })
        const { missing, updated } = yield* storage
          .transactWith(account.id, store.getMany(account.id, unique), change)
          .pipe(catchUnknownList((unknown) => unknownDefault(account, unknown, at)))
        yield* notifyUnknown(account, ids, missing)
        return { updated, skipped: missing.length }
      })

      const remove = traced("BulkThings.remove")(function* (ids: ReadonlyArray<string>) {
        const { account } = yield* callerWith("write:things")
        const unique = [...new Set(ids)]
        const drop = Effect.fnUntraced(function* (writeTimestamp: EpochMillis, found: ThingsOutline) {
          const { missing } = found
          if (found.count === 0) return { removed: 0, missing }
          const relatives = found.hasFamilies ? yield* store.getMany(account.id, unique) : []
          const touched = yield* families.release(account.id, relatives, writeTimestamp)
          const removed = yield* store.remove(account.id, unique, found.count)
          yield* lists.touch(account.id, [...new Set([...touched, ...found.lists])], writeTimestamp)
          yield* describe(deletedThings(found.first, found.count))
          return { removed, missing }
        })
        const { missing, removed } = yield* storage.transactWith(
          account.id,
          store.outline(account.id, unique, maxNamed),
          drop
        )
        yield* notifyUnknown(account, ids, missing)
        return removed
      })

      return BulkThings.of({ create, update, remove, appendMarkdown, appendTyped })
    })
  )
}

/** A list that a whole call names and that is not there is malformed input. */
const asMalformed =
  (at: string) =>
  ({ message, remedy = "find-list" }: NotFound): Effect.Effect<never, InvalidInput> =>
    Effect.fail(new InvalidInput({ field: `${at}list`, reason: `must name a list. ${message}`, remedy }))

/** A name that fits several lists, of the target with this prefix. */
const ambiguousAt =
  (at: string) =>
  (error: Ambiguous): Effect.Effect<never, Ambiguous> =>
    Effect.fail(new Ambiguous({ ...error, field: `${at}list`, message: `${at}${error.message}` }))

const refusedAt = (at: string) => ({ NotFound: asMalformed(at), Ambiguous: ambiguousAt(at) })

const hasTarget = ({ list, listId }: TargetInput): boolean => listId !== undefined || list !== undefined

/** The ids of lists that these targets name, each once. */
const idsNamed = (targets: ReadonlyArray<TargetInput>): ReadonlyArray<string> => [
  ...new Set(targets.flatMap(({ listId }) => listId ?? []))
]

/** An item whose own list is not found. */
interface Unplaced {
  readonly why: string
}

const isPlaced = (item: Placed | Unplaced): item is Placed => "draft" in item

/** An unknown list skips its item; an ambiguous name fails the call. */
const ownTarget = (found: Result.Result<List, NoTarget>, index: number): Effect.Effect<List | Unplaced, Ambiguous> => {
  if (Result.isSuccess(found)) return Effect.succeed(found.success)
  const error = found.failure
  return error._tag === "Ambiguous"
    ? ambiguousAt(`items[${index}].`)(error)
    : Effect.succeed({
        why:
          error._tag === "NotFound"
            ? "its own list is archived: name it by its id, or unarchive it"
            : "its own list is unknown"
      })
}

const brokenInBulk = (input: BulkCreateInput): InvalidInput | undefined => {
  const whole = brokenCombination(input, "")
  if (whole !== undefined) return whole
  for (const [index, item] of input.items.entries()) {
    const broken = brokenCombination(item, `items[${index}].`)
    if (broken !== undefined) return broken
  }
  return undefined
}

/** The context in which the target of a call is resolved. */
interface TargetContext {
  readonly writeTimestamp: EpochMillis
  readonly known?: KnownLists
  /** The prefix of its fields in errors. */
  readonly at?: string
}

interface BulkInsertion {
  readonly writeTimestamp: EpochMillis
  /** What the write has read already. */
  readonly known: InsertionContext
  readonly skipDuplicates?: boolean | undefined
  /** What a notice calls the item at an index of the call. */
  readonly nameOf: (index: number) => string
  /** Whether the nesting is that of a document; otherwise the caller gave it for each item. */
  readonly isDocument?: boolean
}

function* leftOut(
  items: ReadonlyArray<Placed | Unplaced>,
  kept: ReadonlySet<Placed>,
  nameOf: (index: number) => string
): Iterable<Skipped> {
  for (const [index, item] of items.entries()) {
    if (!isPlaced(item)) yield { at: nameOf(index), why: item.why }
    else if (!kept.has(item)) yield { at: nameOf(index), why: isBlankDraft(item.draft) ? "blank" : "a duplicate" }
  }
}

const counted = (placed: ReadonlyArray<Placed>, kept: ReadonlySet<Placed>, unplaced: number): BulkCreated => {
  const byList = [...Map.groupBy(placed, (item) => item.list.id)].map(([listId, items]) => {
    const created = items.filter((item) => kept.has(item)).length
    return { listId, created, skipped: items.length - created }
  })
  return { created: kept.size, skipped: placed.length - kept.size + unplaced, byList }
}

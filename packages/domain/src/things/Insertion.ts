import { Context, Effect, Layer } from "effect"
import type { Account } from "../model/Account.ts"
import { dateOfWrite } from "../days/ClockSkew.ts"
import type { InvalidInput, StorageUnavailable } from "../model/Errors.ts"
import { addedThings } from "../summaries/OperationSummaries.ts"
import { describe } from "../model/CurrentOperation.ts"
import { type AccountId, Ids, type ListId, type ThingId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import { ListStore } from "../ports/ListStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { type Sizes, SizeStore } from "../ports/SizeStore.ts"
import type { Stored } from "../ports/Storage.ts"
import type { KnownLists } from "../targets/ListTarget.ts"
import { Capacity } from "../size/Capacity.ts"
import { growthOf, nothing } from "../model/Size.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import { positionAllocator } from "./PositionAllocator.ts"
import { contentOf, originalOf, type Position, type Thing } from "../model/Thing.ts"
import { type CloneDraft, lostOnCopy, type ThingDraft } from "./ThingDraft.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** A draft with its list, and the prefix of its fields in errors (`items[3].`, or empty). */
export interface Placed {
  readonly draft: ThingDraft
  readonly list: List
  readonly at: string
}

/** What an insertion knows of the lists that it names. */
export interface InsertionContext {
  readonly lists: KnownLists
  readonly ends: ReadonlyMap<ListId, Position>
  readonly sizes: Sizes
}

/** Inserts drafts into lists in order; used for single things, bulk calls and markdown documents. */
export class Insertion extends Context.Service<
  Insertion,
  {
    /** Of these ids of lists, read together. Inside `Storage.transact`. */
    readonly contextOf: (owner: AccountId, ids: ReadonlyArray<string>) => Stored<InsertionContext>
    /**
     * Inserts in the order of the call, and updates the lists' `updated`. `InvalidInput` when a
     * `list_ref` or `clone_of` does not name an item of the owner's, or when a size limit would be exceeded. `known`
     * was read in the same transaction. Inside `Storage.transact`.
     */
    readonly insert: (
      account: Account,
      items: ReadonlyArray<Placed>,
      writeTimestamp: EpochMillis,
      known?: InsertionContext
    ) => Effect.Effect<ReadonlyArray<Thing>, InvalidInput | StorageUnavailable>
  }
>()("@lists-and-things/domain/things/Insertion") {
  static readonly layer = Layer.effect(
    Insertion,
    Effect.gen(function* () {
      const lists = yield* ListStore
      const things = yield* ThingStore
      const capacity = yield* Capacity
      const sizes = yield* SizeStore
      const ids = yield* Ids
      const unknownIds = yield* makeUnknownIds

      const contextOf = (owner: AccountId, ids: ReadonlyArray<string>): Stored<InsertionContext> =>
        ids.length === 0
          ? Effect.succeed(emptyContext)
          : Effect.map(
              Effect.all(
                [
                  lists.getMany(owner, ids),
                  things.ends(owner, ids as ReadonlyArray<ListId>),
                  sizes.sizes(owner, ids as ReadonlyArray<ListId>)
                ],
                { concurrency: "unbounded" }
              ),
              ([found, ends, of]) => {
                const byId = new Map<string, List>(found.map((list) => [list.id, list]))
                return { lists: new Map(ids.map((id) => [id, byId.get(id)])), ends, sizes: of }
              }
            )

      /** Checks that every `list_ref` names a list of the owner's. */
      const checkReferences = Effect.fnUntraced(function* (account: Account, items: ReadonlyArray<Placed>) {
        const wanted = new Set(items.flatMap(({ draft }) => draft.content.listRef ?? []))
        if (wanted.size === 0) return
        const known = new Set((yield* lists.getMany(account.id, [...wanted])).map((list) => list.id))
        const wrong = items.find(({ draft }) => draft.content.listRef !== null && !known.has(draft.content.listRef))
        if (wrong !== undefined)
          yield* unknownIds.invalid(account.id, `${wrong.at}list_ref`, "list", wrong.draft.content.listRef!)
      })

      /** The originals that the drafts are live linked copies of, by the id in the request. */
      const originals = Effect.fnUntraced(function* (account: Account, items: ReadonlyArray<Placed>) {
        const wanted = [...new Set(items.flatMap(({ draft }) => draft.clone?.of ?? []))]
        const named = wanted.length > 0 ? yield* things.getMany(account.id, wanted) : []
        const roots = named.filter((thing) => thing.cloneOf !== null).map(originalOf)
        const all = new Map([...named, ...(yield* things.getMany(account.id, roots))].map((thing) => [thing.id, thing]))
        return new Map<string, Thing>(
          named.flatMap((thing) => {
            const original = all.get(originalOf(thing))
            return original === undefined ? [] : [[thing.id, original]]
          })
        )
      })

      const originalFor = Effect.fnUntraced(function* (
        account: Account,
        clone: CloneDraft,
        cloned: ReadonlyMap<string, Thing>,
        at: string
      ) {
        const original = cloned.get(clone.of)
        if (original === undefined) return yield* unknownIds.invalid(account.id, `${at}clone_of`, "thing", clone.of)
        const lost = lostOnCopy(clone, original, at)
        return lost === undefined ? original : yield* lost
      })

      const thingsFrom = Effect.fnUntraced(function* (
        account: Account,
        items: ReadonlyArray<Placed>,
        writeTimestamp: EpochMillis,
        { cloned, ends, lists: asked }: InsertionContext & { readonly cloned: ReadonlyMap<string, Thing> }
      ) {
        const date = yield* dateOfWrite(writeTimestamp)
        const allocator = positionAllocator(things, account.id, date)
        for (const id of asked.keys()) allocator.know(id as ListId, ends.get(id as ListId))
        const positions = yield* allocator.allocate(
          items.map(({ draft, list }) => ({ listId: list.id, created: draft.created }))
        )
        const made: Array<Thing> = []
        for (const [index, { at, draft, list }] of items.entries()) {
          const original = draft.clone && (yield* originalFor(account, draft.clone, cloned, at))
          made.push({
            ...(original === undefined ? draft.content : contentOf(original)),
            id: (yield* ids.next) as ThingId,
            owner: account.id,
            listId: list.id,
            position: positions[index]!,
            tabs: draft.tabs,
            favorited: draft.favorited,
            cloneOf: original?.id ?? null,
            hasClones: false,
            created: draft.created ?? date,
            updated: writeTimestamp
          })
        }
        return made
      })

      const insert = traced("Insertion.insert")(function* (
        account: Account,
        items: ReadonlyArray<Placed>,
        writeTimestamp: EpochMillis,
        known = emptyContext
      ) {
        yield* checkReferences(account, items)
        const cloned = yield* originals(account, items)
        const inserted = yield* thingsFrom(account, items, writeTimestamp, { ...known, cloned })
        if (inserted.length === 0) return inserted
        yield* capacity.admit(account.id, growthOf([], inserted), known.sizes)
        yield* things.insert(account.id, inserted)
        yield* describe(
          addedThings(
            inserted,
            items.map(({ list }) => list.title)
          )
        )
        const changed = [...new Set(cloned.values())]
          .filter((original) => !original.hasClones)
          .map((original) => ({ ...original, hasClones: true, updated: writeTimestamp }))
        if (changed.length > 0) yield* things.put(account.id, changed)
        const touched = new Set([...inserted, ...changed].map((thing) => thing.listId))
        yield* lists.touch(account.id, [...touched], writeTimestamp)
        return inserted
      })

      return Insertion.of({ insert, contextOf })
    })
  )
}

const emptyContext: InsertionContext = {
  lists: new Map(),
  ends: new Map(),
  sizes: { account: nothing, lists: new Map() }
}

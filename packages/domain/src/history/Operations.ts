import { Context, Effect, Layer } from "effect"
import type { Account } from "../model/Account.ts"
import { type Caller, callerWith } from "../model/Caller.ts"
import { CurrentOperation, notify } from "../model/CurrentOperation.ts"
import type { AccessError, NotFound } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Operation } from "../model/Operation.ts"
import type { EntityStates, UndoState } from "../json/OperationJson.ts"
import { HistoryStore, type OperationFilter } from "../ports/HistoryStore.ts"
import { ListStore } from "../ports/ListStore.ts"
import { type Page, Storage } from "../ports/Storage.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { shortText, thingName } from "../summaries/OperationSummaries.ts"
import { makeEntityViews } from "./EntityViews.ts"
import { Undo, unknownOperation } from "./Undo.ts"
import { traced } from "../scheduling/Traced.ts"
import { makeUnknownIds, shownId } from "../targets/UnknownId.ts"

/** `GET /operations`. */
export const operationsPerPage = 50

/** `GET /operations/{id}`. */
const maxEntities = 500

export interface OperationQuery extends Omit<OperationFilter, "originalId"> {
  /** Zero-based. */
  readonly page?: number
}

export interface OperationView {
  readonly operation: Operation
  /** The first 500; empty when the images are gone. */
  readonly entities: ReadonlyArray<EntityStates>
  /** Whether there are more entities than these. */
  readonly truncated: boolean
  readonly undo: UndoState
  /** Why it cannot be undone (`UndoOutlook`). */
  readonly refusal: string | undefined
}

/** Every change on record (docs/decisions.md#history). */
export class Operations extends Context.Service<
  Operations,
  {
    /** Newest first, 50 per page. */
    readonly page: (query: OperationQuery) => Effect.Effect<Page<Operation>, AccessError, Caller>
    /** Also one whose images are gone; `NotFound` once it was pruned. */
    readonly get: (id: string) => Effect.Effect<Operation, NotFound | AccessError, Caller>
    /** With what it changed and whether it can be undone, all as of one moment. */
    readonly view: (id: string) => Effect.Effect<OperationView, NotFound | AccessError, Caller>
    /**
     * What the created lists and things among these are called now, in quotation marks, by id; without those that are
     * gone.
     */
    readonly namesOfCreated: (
      entities: ReadonlyArray<Pick<EntityStates, "type" | "id" | "change">>
    ) => Effect.Effect<ReadonlyMap<string, string>, AccessError, Caller>
  }
>()("@lists-and-things/domain/history/Operations") {
  static readonly layer = Layer.effect(
    Operations,
    Effect.gen(function* () {
      const history = yield* HistoryStore
      const lists = yield* ListStore
      const storage = yield* Storage
      const things = yield* ThingStore
      const undo = yield* Undo
      const viewsOf = yield* makeEntityViews
      const unknownIds = yield* makeUnknownIds

      const reader = callerWith("read:lists", "read:things")

      const page = traced("Operations.page")(function* ({ page = 0, ...filter }: OperationQuery) {
        const { account } = yield* reader
        const originalId = yield* originalOf(account.id, filter.thingId)
        const shared = originalId === undefined ? filter : { ...filter, originalId }
        const found = yield* history.page(account.id, shared, page, operationsPerPage)
        if (found.items.length === 0 && page === 0) yield* notifyWhyNone(account, filter)
        return found
      })

      const originalOf = Effect.fnUntraced(function* (owner: AccountId, thingId: string | undefined) {
        return thingId === undefined ? undefined : ((yield* things.get(owner, thingId))?.cloneOf ?? undefined)
      })

      /** A notice that an id names nothing. Not for reads of REST: a client that polls would pay for the look-ups. */
      const notifyWhyNone = Effect.fnUntraced(function* ({ id }: Account, { byId, listId, thingId }: OperationQuery) {
        if ((yield* CurrentOperation) === undefined) return
        if (byId !== undefined && (yield* history.page(id, { byId }, 0, 1)).items.length === 0)
          yield* notify(`Nothing was found: no key or app with the id ${shownId(byId)} changed anything.`)
        if (listId !== undefined) yield* unknownIds.notifyUnknown(id, "list", listId)
        if (thingId !== undefined) yield* unknownIds.notifyUnknown(id, "thing", thingId)
      })

      const get = traced("Operations.get")(function* (id: string) {
        const { account } = yield* reader
        return (yield* history.get(account.id, id)) ?? (yield* unknownOperation(id))
      })

      const view = traced("Operations.view")(function* (id: string) {
        const { account } = yield* reader
        return yield* storage.snapshot(account.id, viewNow(account, id))
      })

      const viewNow = Effect.fnUntraced(function* (account: Account, id: string) {
        const operation = (yield* history.get(account.id, id)) ?? (yield* unknownOperation(id))
        const changed = yield* history.entities(account.id, operation.at, maxEntities)
        const entities =
          changed === undefined
            ? []
            : yield* viewsOf({ owner: account.id, zone: account.timezone, at: operation.at, changes: changed.items })
        const { refusal, state } = yield* undo.outlookOf(operation)
        return { operation, entities, truncated: changed?.hasMore ?? false, undo: state, refusal }
      })

      const namesOfCreated = traced("Operations.namesOfCreated")(function* (
        entities: ReadonlyArray<Pick<EntityStates, "type" | "id" | "change">>
      ) {
        const { account } = yield* reader
        const created = (wanted: EntityStates["type"]) =>
          entities.flatMap(({ change, id, type }) => (change === "created" && type === wanted ? [id] : []))
        const [listIds, thingIds] = [created("list"), created("thing")]
        const found = listIds.length === 0 ? [] : yield* lists.getMany(account.id, listIds)
        const titles = found.map(({ id, title }): [string, string] => [id, shortText(title)])
        if (thingIds.length === 0) return new Map(titles)
        const { first, missing } = yield* things.outline(account.id, thingIds, thingIds.length)
        const gone = new Set(missing)
        const existing = thingIds.filter((id) => !gone.has(id))
        return new Map([...titles, ...first.map((thing, at): [string, string] => [existing[at]!, thingName(thing)])])
      })

      return Operations.of({ page, get, view, namesOfCreated })
    })
  )
}

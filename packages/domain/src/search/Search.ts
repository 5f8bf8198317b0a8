import { Context, Effect, Layer } from "effect"
import { caps } from "../model/Caps.ts"
import { Caller, callerWith } from "../model/Caller.ts"
import { type AccessError, InvalidInput, type NotFound, type Overloaded } from "../model/Errors.ts"
import { reserveForThings } from "../size/AnswerBudget.ts"
import { isStorable, storableText } from "../text/Characters.ts"
import type { List } from "../model/List.ts"
import { displayOrder } from "../lists/ListOrder.ts"
import { makeWholeLists } from "../lists/WholeLists.ts"
import { ListStore } from "../ports/ListStore.ts"
import { type ListWithThings, ThingStore } from "../ports/ThingStore.ts"
import type { Thing } from "../model/Thing.ts"
import { runSteps } from "../scheduling/Yielding.ts"
import { type Document, listDocument, thingDocument } from "../markdown/Document.ts"
import { searchKey } from "../text/SearchRank.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import { traced } from "../scheduling/Traced.ts"

/** At most `caps.searchResults` lists, and as many things, in the order of `SearchRank`. */
export interface SearchResult {
  /** As it was asked. */
  readonly query: string
  readonly lists: ReadonlyArray<List>
  readonly things: ReadonlyArray<Thing>
  readonly listsHasMore: boolean
  readonly thingsHasMore: boolean
}

/** What to try after a search without results. */
export const nothingFound = (query: string): string =>
  /\S\s+\S/.test(query)
    ? "No title or text has these words side by side. Search for one of them."
    : "No title or text has this. Search for a shorter part of it, or another word. Notes and tags are not searched."

/** See docs/contract.md#search-fetch-tags and docs/decisions.md#search. */
export class Search extends Context.Service<
  Search,
  {
    /**
     * `InvalidInput` when the query is blank, or no text; `Overloaded` when the answer budget has no room for long
     * texts.
     */
    readonly search: (query: string) => Effect.Effect<SearchResult, InvalidInput | Overloaded | AccessError, Caller>
    /**
     * A list or a thing as a document; `NotFound` when the id is neither's, `Overloaded` when the answer budget has no
     * room for a large list.
     */
    readonly fetch: (id: string) => Effect.Effect<Document, NotFound | Overloaded | AccessError, Caller>
  }
>()("@lists-and-things/domain/search/Search") {
  static readonly layer = Layer.effect(
    Search,
    Effect.gen(function* () {
      const lists = yield* ListStore
      const things = yield* ThingStore
      const unknownIds = yield* makeUnknownIds
      const { opened, wholeOf } = yield* makeWholeLists

      const search = traced("Search.search")(function* (query: string) {
        const { account } = yield* callerWith("search")
        if (searchKey(query) === "")
          return yield* new InvalidInput({
            field: "query",
            reason: "is required and must not be blank",
            example: '"query": "milk"'
          })
        if (!isStorable(query))
          return yield* new InvalidInput({
            field: "query",
            reason: `must be ${storableText}`
          })
        const found = yield* Effect.all(
          {
            things: things.search(account.id, query, caps.searchResults),
            lists: lists.search(account.id, query, caps.searchResults)
          },
          { concurrency: "unbounded" }
        )
        yield* reserveForThings(account.id, found.things.items)
        return {
          query,
          lists: found.lists.items,
          things: found.things.items,
          listsHasMore: found.lists.hasMore,
          thingsHasMore: found.things.hasMore
        }
      })

      const documentOf = ({ list, things }: ListWithThings) =>
        runSteps(function* () {
          return yield* listDocument(list, yield* displayOrder(things, list.sort))
        })

      const fetch = traced("Search.fetch")(function* (id: string) {
        const { account } = yield* callerWith("read:things")
        const found = yield* opened(account.id, id)
        const list = found && (yield* wholeOf(found))
        if (list !== undefined) return yield* documentOf(list)
        const thing = yield* things.get(account.id, id)
        return thing === undefined
          ? yield* unknownIds.notFound(account.id, "list or thing", id)
          : yield* runSteps(() => thingDocument(thing))
      })

      return Search.of({ search, fetch })
    })
  )
}

import { Effect, Option, Stream } from "effect"
import type { Operation } from "../model/Operation.ts"
import type { OperationFilter } from "../ports/HistoryStore.ts"
import type { Page } from "../ports/Storage.ts"

/**
 * All pages of the operations that match, newest first, each read when it is asked for. `firstPage` reads the first page
 * of a filter: each later page is the first of the operations before those that were read. So no page passes over those
 * before it, and operations that are added meanwhile shift none.
 */
export const operationPages = <E, R>(
  filter: OperationFilter,
  firstPage: (filter: OperationFilter) => Effect.Effect<Page<Operation>, E, R>
): Stream.Stream<Page<Operation>, E, R> =>
  Stream.paginate(filter, (rest) =>
    Effect.map(firstPage(rest), (found) => {
      const last = found.hasMore ? found.items.at(-1) : undefined
      return [[found], last === undefined ? Option.none() : Option.some({ ...rest, before: last.at })] as const
    })
  )

/** The operations of `operationPages`, one after the other. */
export const operationsIn = <E, R>(pages: Stream.Stream<Page<Operation>, E, R>): Stream.Stream<Operation, E, R> =>
  Stream.flattenIterable(Stream.map(pages, ({ items }) => items))

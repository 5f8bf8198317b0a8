import { byId } from "@lists-and-things/domain/model/Ids"
import type { Page } from "@lists-and-things/domain/ports/Storage"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

export const byCreated = (
  a: { readonly created: EpochMillis; readonly id: string },
  b: { readonly created: EpochMillis; readonly id: string }
): number => a.created - b.created || byId(a, b)

/** A page beyond the end, and every page of an account that does not exist. */
export const emptyPage: Page<never> = { items: [], hasMore: false }

export const pageOf = <A>(ordered: ReadonlyArray<A>, page: number, size: number): Page<A> => ({
  items: ordered.slice(page * size, (page + 1) * size),
  hasMore: ordered.length > (page + 1) * size
})

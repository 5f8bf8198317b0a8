/** A page from rows that were read with one more than `size`. */
export const pageOf = <A>(
  rows: ReadonlyArray<A>,
  size: number
): { readonly items: ReadonlyArray<A>; readonly hasMore: boolean } => ({
  items: rows.slice(0, size),
  hasMore: rows.length > size
})

/**
 * The rows of a page, and one more, after the offset in a parameter. The planner does not look into the subquery, so that
 * the plan does not depend on the offset and is kept.
 */
export const limitAfter = (size: number, parameter: number): string =>
  `limit ${size + 1} offset (select $${parameter}::bigint)`

/** The most rows that a short statement may skip before a page; skipping more would delay other short statements. */
const maxSkipped = 1_000

/** Whether a page is a long read. */
export const isDeepPage = (page: number, size: number): boolean => page * size > maxSkipped

/** OFFSET of a page, within the range that PostgreSQL accepts. Pages beyond the limit are all equally empty. */
export const offsetOf = (page: number, size: number): number => Math.min(page * size, 1_000_000_000)

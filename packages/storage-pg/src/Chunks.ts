/** Bytes that one statement deletes: few enough that it ends well within the statement timeout, whatever the rows hold. */
export const chunkBytes = 64 * 2 ** 20

/**
 * The first of `rows` by their column `key`, until they have `chunkBytes` of their column `bytes` together; at least one
 * if there are any. `before` is what those before a row have.
 */
export const firstChunk = (rows: string, key: string): string => `select c.* from (
    select r.*, sum(r.bytes) over (order by r.${key} rows unbounded preceding) - r.bytes as before from (${rows}) as r
  ) as c where c.before < ${chunkBytes}`

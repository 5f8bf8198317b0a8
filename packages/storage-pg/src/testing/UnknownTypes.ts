import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Result } from "effect"

/** The OID of `void`, whose value is empty. */
const empty = 2278

/** Types that are not PostgreSQL's own have OIDs from here. */
const firstOfOthers = 16_384

/**
 * Lets the driver refuse every column of a type that it does not know, in this process. It reads those as UTF-8, which
 * some values happen to be: without this, only the others break the connection.
 */
export const refuseUnknownTypes = (): void => {
  const known = new Set<number>([...Object.values(PgTypes.OID), empty])
  for (let oid = 1; oid < firstOfOthers; oid++) {
    if (known.has(oid)) continue
    const refuse = () =>
      Result.fail(new PgTypes.CodecError({ message: `The driver does not know the type with OID ${oid}: cast it` }))
    PgTypes.register(oid, { encode: refuse, decode: refuse })
  }
}

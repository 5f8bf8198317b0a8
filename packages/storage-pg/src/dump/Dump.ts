import type { DumpCounts } from "@lists-and-things/domain/ports/InstanceDump"
import { Effect } from "effect"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { Database } from "../connection/Database.ts"
import { appliedVersions } from "../Migrating.ts"
import { tableNames } from "../Migrations.ts"
import { DumpWriter } from "./DumpFormat.ts"

/** Of a batch: PostgreSQL makes all of its rows before it sends the first, and long ones may follow short ones. */
const [firstRows, maxRows] = [16, 48]
/** Characters. */
const batchLength = 4_000_000

/** Rows of the next batch: by steps, as many as are about that long if each is like the longest of the last batch. */
const rowsAfter = (lines: ReadonlyArray<string>): number => {
  const longest = lines.reduce((max, { length }) => Math.max(max, length), 1)
  return Math.max(1, Math.min(maxRows, 2 * lines.length, Math.floor(batchLength / longest)))
}

/** With one connection to each worker, all of an account is of one moment: it lies on one of them. */
const oneSnapshotPerWorker = "select set_config('citus.max_adaptive_executor_pool_size', '1', true)"

/** A standby cannot read unlogged tables; what a crash may empty, a load does without. */
export const columns = `select c.relname as name, array_agg(quote_ident(a.attname) order by a.attnum)::text[] as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname = any($1::text[])
    and (c.relpersistence = 'p' or not pg_is_in_recovery())
  group by c.relname`

/** Tables of which another installation has its own. */
export const ofInstallation = new Set(["servers"])

/**
 * Every table of one snapshot but those, as text in the format of `DumpFormat`. Holds one batch of rows in memory. Whoever
 * reads it may be slow, and so may be the server with rows that are long.
 */
export const dump = <E>(
  db: Database["Service"],
  write: (text: string) => Effect.Effect<void, E>
): Effect.Effect<DumpCounts, E | StorageUnavailable> =>
  db.snapshot(
    Effect.gen(function* () {
      if (db.planning.isDistributed) yield* db.read(oneSnapshotPerWorker)
      const writer = new DumpWriter()
      const counts: Record<string, number> = {}
      const schema = yield* appliedVersions(db)
      const found = new Map(
        (yield* db.read(columns, [tableNames])).map((row) => [row.name as string, row.columns as Array<string>])
      )
      const [clock] = yield* db.read("select extract(epoch from clock_timestamp())::float8 * 1000 as now")
      yield* write(writer.header(schema, new Date(Number(clock?.now))))
      for (const name of tableNames.filter((each) => !ofInstallation.has(each))) {
        const of = found.get(name)
        if (of === undefined) continue
        yield* write(writer.table([name, of]))
        counts[name] = 0
        // For a subquery instead of the table, Citus would lose the names of the columns.
        yield* db.read(`declare dumped no scroll cursor for select row_to_json(t)::text as line from ${name} t`)
        for (let count = firstRows; ;) {
          const rows = yield* db.read(`fetch ${count} from dumped`)
          const lines = rows.map(({ line }) => line as string)
          if (lines.length > 0) yield* write(writer.lines(lines))
          counts[name] += lines.length
          if (lines.length < count) break
          count = rowsAfter(lines)
        }
        yield* db.read("close dumped")
      }
      yield* write(writer.end())
      return counts
    }),
    { unlimited: true }
  )

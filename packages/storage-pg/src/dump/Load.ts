import { lat } from "@lists-and-things/domain/text/CommandLine"
import { loadedReason } from "@lists-and-things/domain/model/Webhook"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import { Conflict, type InvalidInput, type StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { DumpCounts } from "@lists-and-things/domain/ports/InstanceDump"
import { Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Database } from "../connection/Database.ts"
import { classify, sqlState, unavailable } from "../connection/SqlErrors.ts"
import { isDistributed } from "../distribution/Citus.ts"
import { applyMigrations, beginMigrating, hasVersions, rebuildSchema } from "../Migrating.ts"
import { latestVersion, migrations, tableNames } from "../Migrations.ts"
import { columns, ofInstallation } from "./Dump.ts"
import { damaged, type DumpLine, DumpReader } from "./DumpFormat.ts"

const rowsPerBatch = 500
/** Characters. */
const batchLength = 1_000_000

const occupied = new Conflict({
  message:
    "This installation has accounts already, and a dump is loaded into an empty one only: nothing was changed. Name another LAT_DATA_DIR or DATABASE_URL."
})

const ofAnotherSchema = new Conflict({
  message: `This database is distributed, and the dump is of another release, whose tables are made anew: nothing was changed. Load it into a database that is not distributed, and run '${lat("db distribute")}' there (docs/citus.md).`
})

const ofTables = `conrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace
  and relname = any($1::text[]))`

/**
 * Commands that drop the constraints and indexes that slow a load down, and those that create them again. Triggers are
 * disabled, since the dump contains what they would store.
 */
const slowing = `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
  from pg_constraint where contype = 'f' and ${ofTables}
  union all
  select distinct format('alter table %s disable trigger user', tgrelid::regclass),
    format('alter table %s enable trigger user', tgrelid::regclass)
  from pg_trigger join pg_class c on c.oid = tgrelid
  where not tgisinternal and c.relnamespace = current_schema()::regnamespace and c.relname = any($1::text[])
  union all
  select format('drop index %I.%I', i.schemaname, i.indexname), i.indexdef from pg_indexes i
  where i.schemaname = current_schema() and i.tablename = any($1::text[])
    and not exists (select from pg_constraint c where c.conindid = format('%I.%I', i.schemaname, i.indexname)::regclass)`

/**
 * What an installation without accounts still holds, such as registered clients, and the space of what an earlier load
 * left when it failed. Tables that are made empty by TRUNCATE lose what this load adds should it fail as well.
 */
const emptying = (tables: ReadonlyArray<string>, distributed: boolean): ReadonlyArray<string> =>
  distributed ? tables.map((name) => `delete from ${name}`) : [`truncate ${tables.join(", ")}`]

/** Whether a release has these versions; one that waits for older programs may be missing below later ones. */
const isSchema = (versions: ReadonlyArray<number>, newest: number): boolean => {
  const known = migrations.filter(({ version }) => versions.includes(version))
  const needed = migrations.filter(({ oldestProgram, version }) => version <= newest && oldestProgram === undefined)
  return known.length > 0 && known.length === versions.length && needed.every((each) => known.includes(each))
}

const now = "select floor(extract(epoch from clock_timestamp()) * 1000)::text as at"

/**
 * Begins the history with the load, so that it covers no cursor that another installation, or this one before, has
 * given out.
 */
const beginFeedAnew = `update write_clocks
  set last_write = greatest(last_write + 1, $1::bigint), history_from = greatest(last_write + 1, $1::bigint)`

interface Options {
  readonly live: boolean
  /** Fails while free disk space is below the reserve. */
  readonly checkFreeSpace: Effect.Effect<void, StorageUnavailable>
}

class Loading {
  private readonly reader = new DumpReader()
  private readonly counts: Record<string, number> = {}
  private readonly connection: PgConnection
  private readonly checkFreeSpace: Effect.Effect<void, StorageUnavailable>
  private readonly live: boolean
  private readonly distributed: boolean
  private known: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
  private remake: ReadonlyArray<string> = []
  private table: { readonly name: string; readonly columns: string } | undefined
  private batch: Array<string> = []
  private length = 0

  constructor(
    connection: PgConnection,
    { checkFreeSpace, distributed, live }: Options & { readonly distributed: boolean }
  ) {
    this.connection = connection
    this.checkFreeSpace = checkFreeSpace
    this.live = live
    this.distributed = distributed
  }

  readonly chunk = (bytes: Uint8Array) =>
    Effect.flatMap(this.reader.push(bytes), (lines) =>
      Effect.forEach(lines, (line) => this.line(line), { discard: true })
    )

  get finish() {
    return Effect.gen({ self: this }, function* () {
      yield* this.reader.finish
      yield* this.flush
      for (const statement of this.remake) yield* this.connection.query(statement, [], false)
      yield* applyMigrations(this.connection)
      const [clock] = (yield* this.connection.query(now)).rows
      yield* this.connection.query(beginFeedAnew, [String(clock?.at)])
      if (!this.live) for (const statement of silence) yield* this.connection.query(statement)
      return this.counts
    })
  }

  private line(line: DumpLine): Effect.Effect<void, Conflict | InvalidInput | SqlError | StorageUnavailable> {
    switch (line._tag) {
      case "Header":
        return this.begin(line.header.schema)
      case "Table":
        return this.open(line.table[0], line.table[1])
      case "Row":
        return this.row(line.json)
    }
  }

  private begin(schema: ReadonlyArray<number>) {
    return Effect.gen({ self: this }, function* () {
      const newest = Math.max(0, ...schema)
      if (newest > latestVersion) {
        return yield* damaged(
          `is of a newer release: its schema has version ${newest}, and this program knows ${latestVersion}`
        )
      }
      if (this.distributed && !(yield* hasVersions(this.connection, schema))) return yield* ofAnotherSchema
      if (!isSchema(schema, newest)) return yield* damaged("is damaged: no release has its schema")
      yield* rebuildSchema(this.connection, schema)
      const found = yield* this.connection.query(columns, [tableNames])
      this.known = new Map(found.rows.map((row) => [row.name as string, row.columns as Array<string>]))
      const tables = [...this.known.keys()].filter((name) => !ofInstallation.has(name))
      for (const statement of emptying(tables, this.distributed)) yield* this.connection.query(statement, [], false)
      const slow = (yield* this.connection.query(slowing, [tableNames])).rows
      for (const { drop } of slow) yield* this.connection.query(String(drop), [], false)
      this.remake = slow.map(({ make }) => String(make)).toReversed()
    })
  }

  private open(name: string, named: ReadonlyArray<string>) {
    return Effect.gen({ self: this }, function* () {
      yield* this.flush
      const known = this.known.get(name)
      if (known === undefined || named.some((column) => !known.includes(column))) {
        return yield* damaged(
          `is damaged: this release has no table ${JSON.stringify(name.slice(0, 80))} with these columns`
        )
      }
      this.table = { name, columns: named.join(", ") }
      this.counts[name] = 0
    })
  }

  private row(json: string) {
    return Effect.suspend(() => {
      this.batch.push(json)
      this.length += json.length
      return this.batch.length >= rowsPerBatch || this.length >= batchLength ? this.flush : Effect.void
    })
  }

  private get flush() {
    return Effect.gen({ self: this }, function* () {
      if (this.batch.length === 0) return
      if (this.table === undefined) return yield* damaged("is damaged: a row belongs to no table")
      yield* this.checkFreeSpace
      const { columns, name } = this.table
      const rows = this.batch
      this.counts[name] = (this.counts[name] ?? 0) + rows.length
      this.batch = []
      this.length = 0
      yield* this.connection.query(
        `insert into ${name} (${columns}) select ${columns} from json_populate_recordset(null::${name}, $1::text::json)`,
        [`[${rows.join(",")}]`]
      )
    })
  }
}

/** Switches webhooks off and drops pending deliveries, so that a rehearsal notifies nobody. */
const silence = [
  `update webhooks set enabled = false, disabled_reason = '${loadedReason}' where enabled`,
  "update webhook_deliveries set next_attempt = null, in_turn = false, lease_until = null where next_attempt is not null",
  "delete from webhook_accounts",
  "delete from reminder_moments"
]

/** Class 22: a value that is none of its column's type. Class 23: a value that breaks a rule of the tables. */
const isOfTheContent = (error: SqlError): boolean => /^2[23]/.test(sqlState(error) ?? "")

/** How a load ends that PostgreSQL has refused; `outcome` is that of a lost connection. */
const refused =
  (outcome: StorageUnavailable["outcome"]) =>
  (error: SqlError): Effect.Effect<never, InvalidInput | StorageUnavailable> => {
    if (isOfTheContent(error)) return Effect.fail(damaged("is damaged: a row cannot be stored"))
    return classify(error) === "defect" ? Effect.die(error) : Effect.fail(unavailable(outcome, error))
  }

/** Stores the dump in a transaction that is left open. */
const loadOn = <E>(
  connection: PgConnection,
  next: Effect.Effect<Uint8Array | undefined, E>,
  options: Options
): Effect.Effect<DumpCounts, E | Conflict | InvalidInput | SqlError | StorageUnavailable> =>
  Effect.gen(function* () {
    yield* beginMigrating(connection)
    yield* connection.query("lock table accounts in access exclusive mode")
    const [row] = (yield* connection.query("select exists (select from accounts) as occupied")).rows
    if (row?.occupied === true) return yield* occupied
    const distributed = yield* isDistributed((sql) => Effect.map(connection.query(sql), ({ rows }) => rows))
    const loading = new Loading(connection, { ...options, distributed })
    for (let bytes = yield* next; bytes !== undefined; bytes = yield* next) yield* loading.chunk(bytes)
    return yield* loading.finish
  })

/** In one transaction, which a failure ends with the connection. */
export const load = <E>(
  db: Database["Service"],
  next: Effect.Effect<Uint8Array | undefined, E>,
  { live }: { readonly live: boolean }
): Effect.Effect<DumpCounts, E | Conflict | InvalidInput | StorageUnavailable> =>
  Effect.flatten(
    db.session((connection) =>
      Effect.catchIf(
        loadOn(connection, next, { live, checkFreeSpace: db.checkFreeSpace }),
        isSqlError,
        refused("not-applied")
      ).pipe(
        Effect.tap(Effect.catch(connection.query("commit"), refused("unknown"))),
        Effect.tapCause(() => Effect.ignore(connection.query("rollback"))),
        Effect.tap(Effect.ignore(connection.query("analyze"))),
        Effect.exit
      )
    )
  )

import { lat } from "@lists-and-things/domain/text/CommandLine"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Database } from "./connection/Database.ts"
import type { OlderSchema } from "./connection/PgStorageConfig.ts"
import { pause } from "./connection/Retry.ts"
import { isLockTimeout } from "./connection/SqlErrors.ts"
import { distributePending, isDistributed } from "./distribution/Citus.ts"
import { functionNames, latestVersion, type Migration, migrations, tableNames } from "./Migrations.ts"
import * as initial from "./migrations/0001_Initial.ts"

/**
 * The oldest schema version whose programs may run on the schema that these migrations produce. A migration only adds.
 * What is no longer used is dropped two versions later, and that migration raises this number.
 */
const oldestProgram = 3

/** Whether a program of a schema before $1 is connected. Those of before version 10 do not say theirs. */
const olderPrograms = `select exists (select from pg_stat_activity where datname = current_database()
  and application_name like 'lists-and-things %'
  and coalesce(substring(application_name from ' schema ([0-9]{1,9})$')::int4, 0) < $1::text::int4) as connected`

/** Key of the advisory lock: an arbitrary number, the same in every process of this product. */
const lockKey = "7203884412190501"

/** This program cannot work with the schema that it found. The message is one line for the operator. */
export class SchemaRefused extends Schema.TaggedError<SchemaRefused>()("SchemaRefused", { message: Schema.String }) {}

/** No schema of this product can be made in the database. The message is one line for the operator. */
class DatabaseRefused extends Schema.TaggedError<DatabaseRefused>()("DatabaseRefused", { message: Schema.String }) {}

/** The oldest major version of PostgreSQL that knows what the migrations say. */
const oldestServer = 15

/** Why no schema of this product can be made in a database, if so. `version` is such as `14.23 (Ubuntu 14.23-1)`. */
export const unsuitable = (version: string, encoding: string): string | undefined => {
  if (Number.parseInt(version, 10) < oldestServer)
    return `The database must be of PostgreSQL ${oldestServer} or newer, not ${version.split(" ")[0]}: upgrade its server, or use another one`
  return encoding === "UTF8"
    ? undefined
    : `The database must be encoded in UTF8, not ${encoding}: make another one, with createdb --template=template0 --encoding=UTF8`
}

interface State {
  /** The newest version; 0 for a database that was never migrated. */
  readonly version: number
  /** The oldest schema version that a program must know to run on this schema. */
  readonly wanted: number
  readonly applied: ReadonlyArray<number>
}

/** A version without an `oldest_program` admits only programs that know the version itself. */
const stateOf = `select coalesce(max(version), 0)::int4 as version, array_agg(version) as applied,
  coalesce(max(coalesce((to_jsonb(m) ->> 'oldest_program')::int4, version)), 0)::int4 as wanted
  from schema_migrations m`

const schemaState = (db: Database["Service"]): Effect.Effect<State, StorageUnavailable> =>
  Effect.gen(function* () {
    const [found] = yield* db.read("select to_regclass('schema_migrations') is not null as known")
    const [row] = found?.known === true ? yield* db.read(stateOf) : []
    return {
      version: (row?.version as number | undefined) ?? 0,
      wanted: (row?.wanted as number | undefined) ?? 0,
      applied: (row?.applied as ReadonlyArray<number> | null | undefined) ?? []
    }
  })

export const schemaVersion = (db: Database["Service"]): Effect.Effect<number, StorageUnavailable> =>
  Effect.map(schemaState(db), ({ version }) => version)

/** The versions whose migrations were applied, ascending. */
export const appliedVersions = (db: Database["Service"]): Effect.Effect<ReadonlyArray<number>, StorageUnavailable> =>
  Effect.map(schemaState(db), ({ applied }) => applied.toSorted((a, b) => a - b))

/** Begins the transaction in which the schema is changed; others that change it wait. */
export const beginMigrating = (connection: PgConnection): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* connection.query("begin")
    // Behind a pooler another client may have the session next.
    yield* connection.query("set local statement_timeout = 0")
    yield* connection.query("set local idle_in_transaction_session_timeout = 0")
    yield* connection.query("set local lock_timeout = '60s'")
    yield* connection.query("select pg_advisory_xact_lock($1::bigint)", [lockKey])
    yield* connection.query(
      "create table if not exists schema_migrations (version integer primary key, name text not null, applied timestamptz not null default now())"
    )
    yield* connection.query("alter table schema_migrations add column if not exists oldest_program integer")
  })

const versionsOn = (connection: PgConnection): Effect.Effect<ReadonlySet<number>, SqlError> =>
  Effect.map(
    connection.query("select version from schema_migrations"),
    ({ rows }) => new Set(rows.map((row) => row.version as number))
  )

/** Applies those that are chosen and not there yet, but not one that waits for older programs; returns their versions. */
export const applyMigrations = (
  connection: PgConnection,
  chosen: (version: number) => boolean = () => true
): Effect.Effect<ReadonlyArray<number>, SqlError> =>
  Effect.gen(function* () {
    const known = yield* versionsOn(connection)
    const pending = migrations.filter(({ version }) => chosen(version) && !known.has(version))
    const applied: Array<number> = []
    for (const migration of pending) {
      if (migration.oldestProgram !== undefined) {
        const [row] = (yield* connection.query(olderPrograms, [String(migration.oldestProgram)])).rows
        if (row?.connected === true) continue
      }
      for (const statement of migration.statements) yield* connection.query(statement, [], false)
      yield* connection.query(
        "insert into schema_migrations (version, name, oldest_program) values ($1::text::int4, $2, $3::text::int4)",
        [String(migration.version), migration.name, String(migration.oldestProgram ?? oldestProgram)]
      )
      applied.push(migration.version)
    }
    return applied
  })

/** Whether the schema is the one of these versions. */
export const hasVersions = (
  connection: PgConnection,
  versions: ReadonlyArray<number>
): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    versionsOn(connection),
    (known) => known.size === versions.length && versions.every((version) => known.has(version))
  )

/** Makes the schema of these versions in place of the one that is there, with whatever it holds. */
export const rebuildSchema = (
  connection: PgConnection,
  versions: ReadonlyArray<number>
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    if (yield* hasVersions(connection, versions)) return
    yield* connection.query(`drop table if exists ${tableNames.join(", ")} cascade`, [], false)
    const functions = yield* connection.query(
      `select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace = current_schema()::regnamespace and p.proname = any($1::text[])`,
      [functionNames]
    )
    for (const { name } of functions.rows) yield* connection.query(`drop function ${String(name)}`, [], false)
    yield* connection.query("delete from schema_migrations")
    yield* applyMigrations(connection, (version) => versions.includes(version))
  })

/**
 * The lock timeout of a migration, since statements on a table queue behind one that waits to change it. Shorter than
 * that of other statements (`sessionSettings`), and longer than PostgreSQL takes to cancel an autovacuum that is in the
 * way (`deadlock_timeout`, 1 s).
 */
const waitForTables = "set local lock_timeout = '1200ms'"

const run = (connection: PgConnection): Effect.Effect<ReadonlyArray<number>, SqlError> =>
  Effect.gen(function* () {
    const [server] = (yield* connection.query(
      "select current_setting('server_version') as version, current_setting('server_encoding') as encoding"
    )).rows
    const reason = unsuitable(String(server?.version), String(server?.encoding))
    if (reason !== undefined) return yield* Effect.die(new DatabaseRefused({ message: reason }))
    yield* beginMigrating(connection)
    yield* connection.query(waitForTables)
    const applied = yield* applyMigrations(connection)
    yield* connection.query("commit")
    // Distributes tables that a migration has added to a distributed database.
    const read = (sql: string) => Effect.map(connection.query(sql), ({ rows }) => rows)
    if (yield* isDistributed(read)) yield* distributePending(connection)
    return applied
  })

const isHeld = ({ cause }: StorageUnavailable): boolean => isSqlError(cause) && isLockTimeout(cause)

/** The number of attempts to change a table that others hold, and the milliseconds between them. */
const [heldAttempts, betweenAttempts] = [15, 2_000]

/**
 * Retries while another transaction holds a table that is to be changed; others can use the table between the attempts.
 */
const migrateWhenUnlocked = (
  db: Database["Service"],
  attempts = heldAttempts
): Effect.Effect<ReadonlyArray<number>, StorageUnavailable> =>
  Effect.catchIf(
    db.session(run),
    (error) => isHeld(error) && attempts > 1,
    () =>
      Effect.logWarning(
        "The schema waits for a transaction that is open, of a dump, an export or another program; trying again"
      ).pipe(Effect.andThen(pause(betweenAttempts)), Effect.andThen(migrateWhenUnlocked(db, attempts - 1)))
  )

const missing = ({ applied }: State): ReadonlyArray<Migration> =>
  migrations.filter(({ version }) => !applied.includes(version))

/** Whether a program cannot work with the schema. */
const isBehind = (state: State): boolean => missing(state).some(({ oldestProgram }) => oldestProgram === undefined)

/**
 * Brings the schema up to date and returns the versions that were applied. Of several concurrent processes one migrates
 * and the others wait for it.
 */
const migrate = (db: Database["Service"]): Effect.Effect<ReadonlyArray<number>, StorageUnavailable> =>
  Effect.flatMap(schemaState(db), (state) => (missing(state).length > 0 ? migrateWhenUnlocked(db) : Effect.succeed([])))

const lacksIndex = "select to_regclass('things_search') is null as missing"

/** An administrator may have created the extensions after the first migration. */
const indexSearch = (connection: PgConnection): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* beginMigrating(connection)
    const [found] = (yield* connection.query(lacksIndex)).rows
    if (found?.missing === true) yield* connection.query(initial.search, [], false)
    yield* connection.query("commit")
  })

/** Migrates, and creates missing search indexes that can be created by now; writes wait for them. */
export const migrateAndIndex = (db: Database["Service"]): Effect.Effect<ReadonlyArray<number>, StorageUnavailable> =>
  Effect.tap(migrate(db), () =>
    Effect.flatMap(db.read(lacksIndex), ([found]) => (found?.missing === true ? db.session(indexSearch) : Effect.void))
  )

/** Needs a schema that is prepared. */
export const isApplied = (db: Database["Service"], version: number): Effect.Effect<boolean, StorageUnavailable> =>
  Effect.map(
    db.read("select 1 from schema_migrations where version = $1::text::int4", [version]),
    (found) => found.length > 0
  )

/** Milliseconds until a migration that other transactions blocked is tried again while requests are served. */
const retryDelay = 10_000

/** `isApplied`, after an attempt to apply a migration that only waits for older programs. */
export const makeApplyOnce = (db: Database["Service"], version: number): Effect.Effect<boolean, StorageUnavailable> => {
  const oldest = migrations.find((migration) => migration.version === version)?.oldestProgram ?? 0
  let notBefore = Number.NEGATIVE_INFINITY
  const holdOff = Effect.sync(() => {
    notBefore = performance.now() + retryDelay
    return false
  })
  return Effect.gen(function* () {
    if (yield* isApplied(db, version)) return true
    if (performance.now() < notBefore) return false
    const [row] = yield* db.read(olderPrograms, [oldest])
    if (row?.connected === true) return false
    return yield* Effect.catchIf(Effect.andThen(db.session(run), isApplied(db, version)), isHeld, () => holdOff)
  })
}

/**
 * Returns the versions that were applied. Fails with `SchemaRefused` for a schema that needs a newer program, and for
 * an older schema when `older` is `refuse`.
 */
export const prepareSchema = (
  db: Database["Service"],
  older: OlderSchema
): Effect.Effect<ReadonlyArray<number>, StorageUnavailable | SchemaRefused> =>
  Effect.gen(function* () {
    const state = yield* schemaState(db)
    if (state.wanted > latestVersion) {
      return yield* new SchemaRefused({
        message: `The data is of a newer release: its schema has version ${state.version}, for programs that know at least ${state.wanted}, and this one knows ${latestVersion}. Use the newer release, or a backup from before it.`
      })
    }
    if (missing(state).length === 0) return []
    if (state.version === 0 || older === "migrate") return yield* migrateWhenUnlocked(db)
    if (older === "accept" || !isBehind(state)) return []
    return yield* new SchemaRefused({
      message: `The data is of an older release: its schema has version ${state.version}, and this program needs ${latestVersion}. Bring it up to date with '${lat("db migrate")}', or by starting the server.`
    })
  })

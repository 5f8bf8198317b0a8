import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./connection/Database.ts"
import * as initial from "./migrations/0001_Initial.ts"
import * as signIn from "./migrations/0002_SignIn.ts"
import * as appendThing from "./migrations/0003_AppendThing.ts"
import * as appendThings from "./migrations/0004_AppendThings.ts"
import * as sizes from "./migrations/0005_Sizes.ts"
import * as appendThingAgain from "./migrations/0006_AppendThingAgain.ts"
import * as housekeeping from "./migrations/0007_Housekeeping.ts"
import * as markup from "./migrations/0008_Markup.ts"
import * as history from "./migrations/0009_History.ts"

interface Migration {
  readonly version: number
  readonly name: string
  /** One command per entry. */
  readonly statements: ReadonlyArray<string>
}

/** In ascending order of version. A released migration is never changed. */
const migrations: ReadonlyArray<Migration> = [
  initial,
  signIn,
  appendThing,
  appendThings,
  sizes,
  appendThingAgain,
  housekeeping,
  markup,
  history
]

export const latestVersion = migrations.at(-1)?.version ?? 0

/**
 * The oldest schema version whose programs may run on the schema that these migrations produce. A migration only adds.
 * What is no longer used is dropped two versions later, and that migration raises this number.
 */
const oldestProgram = 3

/** Key of the advisory lock: an arbitrary number, the same in every process of this product. */
const lockKey = "7203884412190501"

/** What to do about a schema older than the program needs. An empty database is always set up. */
export type OlderSchema = "migrate" | "refuse" | "accept"

/** This program cannot work with the schema that it found. The message is one line for the operator. */
export class SchemaRefused extends Schema.TaggedError<SchemaRefused>()("SchemaRefused", { message: Schema.String }) {}

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

const run = (connection: PgConnection): Effect.Effect<ReadonlyArray<number>, SqlError> =>
  Effect.gen(function* () {
    yield* connection.query("set statement_timeout = 0")
    yield* connection.query("set lock_timeout = '60s'")
    const [encoding] = (yield* connection.query("show server_encoding")).rows
    if (encoding?.server_encoding !== "UTF8") {
      return yield* Effect.die(
        new Error(`The database must be encoded in UTF8, not ${String(encoding?.server_encoding)}`)
      )
    }
    yield* connection.query("begin")
    yield* connection.query("select pg_advisory_xact_lock($1::bigint)", [lockKey])
    yield* connection.query(
      "create table if not exists schema_migrations (version integer primary key, name text not null, applied timestamptz not null default now())"
    )
    yield* connection.query("alter table schema_migrations add column if not exists oldest_program integer")
    const known = new Set(
      (yield* connection.query("select version from schema_migrations")).rows.map((row) => row.version)
    )
    const pending = migrations.filter((migration) => !known.has(migration.version))
    for (const migration of pending) {
      for (const statement of migration.statements) yield* connection.query(statement, [], false)
      yield* connection.query(
        "insert into schema_migrations (version, name, oldest_program) values ($1::text::int4, $2, $3::text::int4)",
        [String(migration.version), migration.name, String(oldestProgram)]
      )
    }
    yield* connection.query("commit")
    return pending.map((migration) => migration.version)
  })

const isBehind = ({ applied }: State): boolean => migrations.some(({ version }) => !applied.includes(version))

/**
 * Brings the schema up to date and returns the versions that were applied. Of several concurrent processes one migrates
 * and the others wait for it.
 */
export const migrate = (db: Database["Service"]): Effect.Effect<ReadonlyArray<number>, StorageUnavailable> =>
  Effect.flatMap(schemaState(db), (state) => (isBehind(state) ? db.session(run) : Effect.succeed([])))

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
    if (!isBehind(state)) return []
    if (state.version === 0 || older === "migrate") return yield* db.session(run)
    if (older === "accept") return []
    return yield* new SchemaRefused({
      message: `The data is of an older release: its schema has version ${state.version}, and this program needs ${latestVersion}. Bring it up to date with 'lat db migrate', or by starting the server with 'npm start'.`
    })
  })

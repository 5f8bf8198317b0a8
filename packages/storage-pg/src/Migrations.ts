import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { StorageUnavailable } from "@lists-and-things/domain/Errors"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./Database.ts"
import * as initial from "./migrations/0001_Initial.ts"
import * as signIn from "./migrations/0002_SignIn.ts"
import * as appendThing from "./migrations/0003_AppendThing.ts"
import * as appendThings from "./migrations/0004_AppendThings.ts"

interface Migration {
  readonly version: number
  readonly name: string
  /** One command each. */
  readonly statements: ReadonlyArray<string>
}

/** Ascending; a released one is never changed. */
const migrations: ReadonlyArray<Migration> = [initial, signIn, appendThing, appendThings]

export const latestVersion = migrations.at(-1)?.version ?? 0

/** Any number, the same in every process of this product. */
const lockKey = "7203884412190501"

/** 0 for a database that was never migrated. */
export const schemaVersion = (db: Database["Service"]): Effect.Effect<number, StorageUnavailable> =>
  Effect.flatMap(db.read("select to_regclass('schema_migrations') is not null as known"), ([row]) =>
    row?.known === true
      ? Effect.map(
          db.read("select coalesce(max(version), 0)::int4 as version from schema_migrations"),
          (rows) => rows[0]?.version as number
        )
      : Effect.succeed(0)
  )

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
    const known = new Set(
      (yield* connection.query("select version from schema_migrations")).rows.map((row) => row.version)
    )
    const pending = migrations.filter((migration) => !known.has(migration.version))
    for (const migration of pending) {
      for (const statement of migration.statements) yield* connection.query(statement, [], false)
      yield* connection.query("insert into schema_migrations (version, name) values ($1::text::int4, $2)", [
        String(migration.version),
        migration.name
      ])
    }
    yield* connection.query("commit")
    return pending.map((migration) => migration.version)
  })

/** Brings the schema up to date; of several processes at once one does, the others wait for it. */
export const migrate = (db: Database["Service"]): Effect.Effect<ReadonlyArray<number>, StorageUnavailable> =>
  Effect.flatMap(schemaVersion(db), (version) => (version >= latestVersion ? Effect.succeed([]) : db.session(run)))

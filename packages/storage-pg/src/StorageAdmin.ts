import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import { orphanKinds, type Orphans, StorageAdmin, type StorageStats } from "@lists-and-things/domain/ports/StorageAdmin"
import { Effect, Layer } from "effect"
import { sessionSettings } from "./connection/Connections.ts"
import { databaseUrl, locationOf } from "./connection/DatabaseUrl.ts"
import { acceptsWrites } from "./connection/Servers.ts"
import { applicationPattern, Database } from "./connection/Database.ts"
import { migrateAndIndex, schemaVersion } from "./Migrating.ts"
import { latestVersion } from "./Migrations.ts"
import { version as writeClocks } from "./migrations/0011_WriteClocks.ts"
import { accountTables, ownedTables } from "./OwnedTables.ts"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const status = `select current_setting('server_version') as version,
  (select count(distinct application_name)::int4 from pg_stat_activity
    where datname = current_database() and application_name like $1) as processes,
  exists (select 1 from pg_class where relname = 'things_search' and relkind = 'i') as trigrams,
  extract(epoch from clock_timestamp()) * 1000 as clock, ${acceptsWrites} as accepts_writes`

/** Also works on a schema that is older than this program. */
const lastWrite = (schema: number): string =>
  `select nullif(max(last_write), 0)::float8 as at from ${schema < writeClocks ? "accounts" : "write_clocks"}`

const history = `select pg_total_relation_size('operations') + pg_total_relation_size('operation_images') as bytes,
  (select min(o.stamp) from write_clocks w cross join lateral
    (select stamp from operations where owner_id = w.owner_id order by stamp limit 1) o)::float8 as oldest`

const counts = (where: string, keyed: string) => `select
  (select count(*)::int4 from accounts ${keyed}) as accounts, (select count(*)::int4 from api_keys ${where}) as keys,
  (select count(*)::int4 from lists ${where}) as lists, (select count(*)::int4 from things ${where}) as things,
  (select count(*)::int4 from reminders ${where}) as reminders,
  pg_database_size(current_database())::float8 as bytes`

const withoutClock = (table: string): string => `select count(*)::int4 as n from ${table} x
  where not exists (select from write_clocks w where w.owner_id = x.owner_id)`

/** References that were foreign keys until data could be distributed. */
const references: Readonly<Record<string, string>> = {
  [orphanKinds.listRef]: `select count(*)::int4 as n from things t where t.list_ref is not null
    and not exists (select from lists l where l.owner_id = t.owner_id and l.id = t.list_ref)`,
  [orphanKinds.cloneOf]: `select count(*)::int4 as n from things t where t.clone_of is not null
    and not exists (select from things o where o.owner_id = t.owner_id and o.id = t.clone_of)`,
  ...Object.fromEntries(
    ownedTables
      .filter(({ table }) => !accountTables.includes(table))
      .map(({ table }) => [`rows of ${table} of an account`, withoutClock(table)])
  ),
  "write timestamps of an account": `select count(*)::int4 as n from write_clocks w
    left join accounts a on a.id = w.owner_id where a.id is null`,
  "accounts with a write timestamp": `select count(*)::int4 as n from accounts a
    left join write_clocks w on w.owner_id = a.id where w.owner_id is null`
}

/** Whatever the size of the database. */
const findOrphans = (db: Database["Service"]): Effect.Effect<ReadonlyArray<Orphans>, StorageUnavailable> =>
  db.snapshot(
    Effect.gen(function* () {
      const found: Array<Orphans> = []
      for (const [what, sql] of Object.entries(references)) {
        const [row] = yield* db.read(sql)
        if (row?.n !== 0) found.push({ what, count: row?.n as number })
      }
      return found
    }),
    { unlimited: true }
  )

const nothing: StorageStats = { accounts: 0, keys: 0, lists: 0, things: 0, reminders: 0, bytesOnDisk: null }

/** The defaults of connections that a pooler shares; `setting` is in milliseconds, like those of this product. */
const roleSettings = `select quote_ident(current_user) as role, name, setting, vartype = 'integer' as is_limit
  from pg_settings where name = any($1::text[])`

/** Any limit of the role is accepted. */
const missingRoleSettings = (
  db: Database["Service"]
): Effect.Effect<ReadonlyArray<string> | null, StorageUnavailable> =>
  db.config.pooler === undefined
    ? Effect.succeed(null)
    : Effect.map(db.read(roleSettings, [Object.keys(sessionSettings)]), (rows) =>
        rows
          .filter(({ is_limit, name, setting }) =>
            is_limit ? setting === "0" : setting !== sessionSettings[String(name)]
          )
          .map(
            ({ name, role }) => `alter role ${String(role)} set ${String(name)} = '${sessionSettings[String(name)]}'`
          )
      )

export const layer = Layer.effect(
  StorageAdmin,
  Effect.gen(function* () {
    const db = yield* Database
    const location = db.config.location ?? locationOf(databaseUrl(db.config.url))

    const stats = (owner: AccountId | undefined) =>
      Effect.map(
        owner === undefined
          ? db.readLong(counts("", ""))
          : db.readLong(counts("where owner_id = $1", "where id = $1"), [owner]),
        ([row]): StorageStats => ({
          accounts: row?.accounts as number,
          keys: row?.keys as number,
          lists: row?.lists as number,
          things: row?.things as number,
          reminders: row?.reminders as number,
          bytesOnDisk: owner === undefined ? (row?.bytes as number) : null
        })
      )

    return StorageAdmin.of({
      status: Effect.gen(function* () {
        const [row] = yield* db.read(status, [applicationPattern])
        const schema = yield* schemaVersion(db)
        const [last] = yield* db.read(lastWrite(schema))
        const inUse = db.servers.inUse()
        return {
          adapter: "postgres" as const,
          location: inUse === undefined ? location : `${location}, where ${inUse} is in use`,
          embedded: db.config.embedded ?? false,
          serverVersion: String(row?.version).split(" ")[0] ?? null,
          schemaVersion: schema,
          latestSchemaVersion: latestVersion,
          acceptsWrites: row?.accepts_writes === true,
          otherWritable: db.servers.otherWritable(),
          processes: row?.processes as number,
          trigrams: row?.trigrams as boolean,
          missingRoleSettings: yield* missingRoleSettings(db),
          clock: EpochMillis(Number(row?.clock)),
          lastWrite: last?.at as EpochMillis | null
        }
      }),
      connections: Effect.sync(db.connections),
      history: Effect.map(db.readLong(history), ([row]) => ({
        bytes: Number(row?.bytes),
        oldest: row?.oldest as EpochMillis | null
      })),
      stats: (owner) => (owner !== undefined && !isIdForm(owner) ? Effect.succeed(nothing) : stats(owner)),
      orphans: findOrphans(db),
      migrate: migrateAndIndex(db)
    })
  })
)

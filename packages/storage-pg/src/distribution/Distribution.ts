import { lat } from "@lists-and-things/domain/text/CommandLine"
import { Conflict, type StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Distribution, type DistributionNode } from "@lists-and-things/domain/ports/Distribution"
import { Effect, Layer } from "effect"
import { applicationPattern, Database } from "../connection/Database.ts"
import { isApplied } from "../Migrating.ts"
import { latestVersion } from "../Migrations.ts"
import { version as writeClocksOnly } from "../migrations/0012_WriteClocksOnly.ts"
import { distributedTables, distributePending, hasCitus, pendingTables } from "./Citus.ts"

const nodes = `select nodename || ':' || nodeport as node, count(*)::int4 as shards, sum(shard_size)::float8 as bytes
  from citus_shards s where s.table_name::text = any ($1::text[]) group by 1 order by 1`

const others = `select count(distinct application_name)::int4 as n from pg_stat_activity
  where datname = current_database() and application_name like $1 and application_name <> $2`

const refuse = (message: string) => Effect.fail(new Conflict({ message: `${message} Nothing was changed.` }))

const requireCitus = (db: Database["Service"]): Effect.Effect<void, Conflict | StorageUnavailable> =>
  Effect.gen(function* () {
    if (!(yield* hasCitus(db.read))) {
      return yield* refuse(
        "The extension citus is not in this database: install it on every server, run 'create extension citus' on each, and name the workers with 'select citus_add_node(…)' (docs/citus.md)."
      )
    }
    const [workers] = yield* db.read("select count(*)::int4 as n from citus_get_active_worker_nodes()")
    if (workers?.n === 0) {
      return yield* refuse(
        "Citus knows no worker: name each with \"select citus_add_node('host', 5432)\" on this server (docs/citus.md)."
      )
    }
    const [connected] = yield* db.read(others, [applicationPattern, db.applicationName])
    if (connected?.n !== 0) {
      return yield* refuse(
        `${String(connected?.n)} other program${connected?.n === 1 ? " is" : "s are"} connected: stop the servers, which learn at their start where the data is.`
      )
    }
    if (!(yield* isApplied(db, writeClocksOnly)) || !(yield* isApplied(db, latestVersion))) {
      return yield* refuse(`The schema is of an older release: run '${lat("db migrate")}' first.`)
    }
  })

export const layer = Layer.effect(
  Distribution,
  Effect.gen(function* () {
    const db = yield* Database
    return Distribution.of({
      state: Effect.gen(function* () {
        if (!(yield* hasCitus(db.read))) return undefined
        const tables = yield* distributedTables(db.read)
        const [extension] = yield* db.read("select extversion as version from pg_extension where extname = 'citus'")
        const rows = tables.length === 0 ? [] : yield* db.read(nodes, [tables])
        return {
          engine: `Citus ${String(extension?.version)}`,
          nodes: rows as unknown as ReadonlyArray<DistributionNode>,
          pending: yield* pendingTables(db.read)
        }
      }),
      distribute: Effect.gen(function* () {
        yield* requireCitus(db)
        return yield* db.session(distributePending)
      })
    })
  })
)

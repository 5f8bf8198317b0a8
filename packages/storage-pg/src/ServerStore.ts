import type { Row } from "@effect/sql-pg/PgConnection"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { type KnownServer, ServerStore } from "@lists-and-things/domain/ports/ServerStore"
import { Effect, Layer } from "effect"
import { pruneBy, pruneStatement } from "./Pruning.ts"
import { Database } from "./connection/Database.ts"

const put = `insert into servers (machine, host, port, url, started, seen, stopped) values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (machine, host, port) do update set url = excluded.url, started = excluded.started,
    seen = excluded.seen, stopped = excluded.stopped`

const all = `select machine, host, port, url, started::float8, seen::float8, stopped::float8 from servers
  order by seen desc limit 100`

const prune = pruneStatement({ table: "servers", key: ["machine", "host", "port"], column: "seen" })

const serverOf = (row: Row): KnownServer => ({
  machine: row.machine as string,
  host: row.host as string,
  port: row.port as number,
  url: row.url as string,
  started: row.started as EpochMillis,
  seen: row.seen as EpochMillis,
  stopped: row.stopped as EpochMillis | null
})

export const layer = Layer.effect(
  ServerStore,
  Effect.map(Database, (db) =>
    ServerStore.of({
      put: ({ host, machine, port, seen, started, stopped, url }) =>
        Effect.asVoid(db.write(put, [machine, host, port, url, started, seen, stopped])),
      all: Effect.map(db.read(all), (rows) => rows.map(serverOf)),
      prune: (seen, max) => pruneBy(db)(prune, seen, max)
    })
  )
)

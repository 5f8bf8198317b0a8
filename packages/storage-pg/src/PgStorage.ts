import { lat } from "@lists-and-things/domain/text/CommandLine"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import type { Distribution } from "@lists-and-things/domain/ports/Distribution"
import type { InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import type { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import type { OAuthStore } from "@lists-and-things/domain/ports/OAuthStore"
import type { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import type { IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import type { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import type { ServerStore } from "@lists-and-things/domain/ports/ServerStore"
import type { SessionStore } from "@lists-and-things/domain/ports/SessionStore"
import type { SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import type { Storage } from "@lists-and-things/domain/ports/Storage"
import type { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import type { WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import type { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { Effect, Layer, Redacted, Schema } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import * as AccountStorePg from "./accounts/AccountStore.ts"
import type { PgStorageConfig } from "./connection/PgStorageConfig.ts"
import { Database } from "./connection/Database.ts"
import * as HistoryStorePg from "./history/HistoryStore.ts"
import * as DistributionPg from "./distribution/Distribution.ts"
import * as InstanceDumpPg from "./dump/InstanceDump.ts"
import * as KeyStorePg from "./accounts/KeyStore.ts"
import * as ListStorePg from "./things/ListStore.ts"
import { prepareSchema, type SchemaRefused } from "./Migrating.ts"
import * as OAuthStorePg from "./accounts/OAuthStore.ts"
import * as PlaceStorePg from "./things/PlaceStore.ts"
import * as IdempotencyStorePg from "./accounts/IdempotencyStore.ts"
import * as ReminderStorePg from "./things/ReminderStore.ts"
import { pause } from "./connection/Retry.ts"
import { isForbidden, reasonOf } from "./connection/SqlErrors.ts"
import * as ServerStorePg from "./ServerStore.ts"
import * as SessionStorePg from "./accounts/SessionStore.ts"
import * as SizeStorePg from "./things/SizeStore.ts"
import * as StoragePg from "./Storage.ts"
import { Engine } from "./Engine.ts"
import { WriteClocks } from "./accounts/WriteClocks.ts"
import * as StorageAdminPg from "./StorageAdmin.ts"
import * as WebhookStorePg from "./webhooks/WebhookStore.ts"
import * as ThingStorePg from "./things/ThingStore.ts"

export type { PgStorageConfig } from "./connection/PgStorageConfig.ts"

/** All ports of the domain. */
export type Ports =
  | Storage
  | AccountStore
  | KeyStore
  | ListStore
  | ThingStore
  | ReminderStore
  | PlaceStore
  | IdempotencyStore
  | HistoryStore
  | OAuthStore
  | ServerStore
  | SessionStore
  | SizeStore
  | StorageAdmin
  | WebhookStore
  | InstanceDump
  | Distribution

const stores = Layer.mergeAll(
  StoragePg.layer,
  AccountStorePg.layer,
  KeyStorePg.layer,
  ListStorePg.layer,
  ThingStorePg.layer,
  ReminderStorePg.layer,
  PlaceStorePg.layer,
  IdempotencyStorePg.layer,
  HistoryStorePg.layer,
  OAuthStorePg.layer,
  ServerStorePg.layer,
  SessionStorePg.layer,
  SizeStorePg.layer,
  StorageAdminPg.layer,
  WebhookStorePg.layer,
  InstanceDumpPg.layer,
  DistributionPg.layer
)

/** Why the storage cannot be opened. */
export type Refusal = StorageUnavailable | SchemaRefused | PoolerRefused

/** A pooler refused to open connections. The message is one line for the operator. */
class PoolerRefused extends Schema.TaggedError<PoolerRefused>()("PoolerRefused", { message: Schema.String }) {}

/** PgBouncer's words for a parameter that it cannot set on the connections it shares. */
const refusedParameter = /unsupported startup parameter: (\w+)/

const poolerRefused = (parameter: string): PoolerRefused =>
  new PoolerRefused({
    message: `The server of DATABASE_URL is a pooler that refuses the parameter ${parameter}: set LAT_DATABASE_POOLER=transaction, and see '${lat("doctor")}' for the limits that its role then needs.`
  })

/**
 * Retries until the server is available or the time is up, by the monotonic clock; a missing right is a defect. Logs why
 * it waits whenever the reason is another one than `logged`, the last, and that the server answers if it had to wait.
 */
const prepareWithRetries = (
  db: Database["Service"],
  deadline: number,
  logged?: string
): Effect.Effect<ReadonlyArray<number>, Refusal> =>
  prepareSchema(db, db.config.olderSchema ?? "migrate").pipe(
    Effect.tap(() => (logged === undefined ? Effect.void : Effect.logInfo("PostgreSQL answers."))),
    Effect.catchTag("StorageUnavailable", (error) => {
      const reason = reasonOf(error)
      const [, parameter] = refusedParameter.exec(reason) ?? []
      if (parameter !== undefined) return Effect.fail(poolerRefused(parameter))
      if (isSqlError(error.cause) && isForbidden(error.cause)) return Effect.die(error.cause)
      if (performance.now() >= deadline) return Effect.fail(error)
      const log =
        reason === logged
          ? Effect.void
          : Effect.logWarning(`PostgreSQL cannot be reached yet (${reason}); trying again`)
      return log.pipe(Effect.andThen(pause(500)), Effect.andThen(prepareWithRetries(db, deadline, reason)))
    })
  )

const migrated = Layer.effectDiscard(
  Effect.gen(function* () {
    const db = yield* Database
    const applied = yield* prepareWithRetries(db, performance.now() + (db.config.startWithin ?? 30_000))
    if (applied.length > 0) yield* Effect.logInfo(`The database schema is now at version ${Math.max(...applied)}`)
    yield* db.logOutages
  })
)

/** Every port over a database. Brings the schema up to date first, unless `olderSchema` says otherwise. */
export const over: Layer.Layer<Ports, Refusal, Database> = stores.pipe(
  Layer.provide(WriteClocks.layer),
  Layer.provide(Engine.layer),
  Layer.provide(migrated)
)

export const layer = (config: PgStorageConfig): Layer.Layer<Ports, Refusal> =>
  Layer.provide(over, Database.layer(config))

/** @public `layer` with its defaults, for programs that embed it: see `examples/embed.ts`. */
export const layerAt = (url: string): Layer.Layer<Ports, Refusal> => layer({ url: Redacted.make(url) })

import * as NodeCrypto from "@lists-and-things/platform-node/NodeCrypto"
import { MaxAnswerBytes } from "@lists-and-things/domain/size/AnswerBudget"
import { HistoryRetention } from "@lists-and-things/domain/history/HistoryRetention"
import { SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { Config, Effect, Layer } from "effect"
import * as NominatimGeocoder from "@lists-and-things/platform-node/NominatimGeocoder"
import * as NodeWebhookTransport from "@lists-and-things/platform-node/NodeWebhookTransport"
import * as Settings from "@lists-and-things/settings/Settings"

type Options = Pick<PgStorage.PgStorageConfig, "connectTimeout" | "olderSchema" | "startWithin">

/** Undefined in place of 0, with which no statement counts as slow. */
const statementsSlowFrom = Config.map(Settings.slowMillis.config, (millis) => millis || undefined)

const embedded = (options: Options) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { connect } = yield* Effect.promise(() => import("@lists-and-things/storage-pg/embedded/EmbeddedPostgres"))
      const { url, location } = yield* connect(yield* Settings.dataDir.config)
      const reserve = { folder: location, bytes: yield* Settings.minFreeBytes.config }
      const slowMillis = yield* statementsSlowFrom
      return PgStorage.layer({ ...options, url, location, reserve, slowMillis, embedded: true })
    })
  )

/**
 * Every port, over the storage that the environment selects: memory, the PostgreSQL of `DATABASE_URL`, or the embedded
 * one. Memory and the embedded server are loaded only if selected.
 */
const ports = (options: Options) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if ((yield* Settings.storage.config) === "memory")
        return (yield* Effect.promise(() => import("@lists-and-things/storage-memory/MemoryStorage"))).layer
      const url = yield* Settings.databaseUrl.config
      const pooler = yield* Settings.databasePooler.config
      return url === undefined
        ? embedded(options)
        : PgStorage.layer({ ...options, url, pooler, slowMillis: yield* statementsSlowFrom })
    })
  )

/** Every use case and every port. */
export const storage = (options: Options) =>
  useCases.pipe(
    Layer.provide(Layer.unwrap(Effect.map(Settings.geocoderUrl.config, NominatimGeocoder.layer))),
    Layer.provideMerge(Layer.unwrap(Effect.map(Settings.webhookAllow.config, NodeWebhookTransport.layer))),
    Layer.provideMerge(ports(options)),
    Layer.provideMerge(NodeCrypto.layer),
    Layer.provideMerge(Layer.effect(SizeLimits, Settings.sizeLimits)),
    Layer.provideMerge(Layer.effect(HistoryRetention, Settings.historyRetention)),
    Layer.provideMerge(Layer.effect(MaxAnswerBytes, Settings.answerBytes.config))
  )

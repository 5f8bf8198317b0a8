import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as MemoryStorage from "@lists-and-things/storage-memory/MemoryStorage"
import * as EmbeddedPostgres from "@lists-and-things/storage-pg/embedded/EmbeddedPostgres"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { Effect, Layer } from "effect"
import { geocoder } from "./NominatimGeocoder.ts"
import { adapter, databaseUrl, dataDir } from "./Settings.ts"

const embedded = Layer.unwrap(
  Effect.gen(function* () {
    const { url, location } = yield* EmbeddedPostgres.connect(yield* dataDir)
    return PgStorage.layer({ url, location, embedded: true })
  })
)

/** All ports, over what the environment says: memory, the PostgreSQL of `DATABASE_URL`, or the embedded one. */
export const ports = Layer.unwrap(
  Effect.gen(function* () {
    if ((yield* adapter) === "memory") return MemoryStorage.layer
    const url = yield* databaseUrl
    return url === undefined ? embedded : PgStorage.layer({ url })
  })
)

/** Every use case and every port. */
export const storage = useCases.pipe(
  Layer.provide(geocoder),
  Layer.provideMerge(ports),
  Layer.provideMerge(NodeCrypto.layer)
)

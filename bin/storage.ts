import * as NodeCrypto from "./NodeCrypto.ts"
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
const portsWithin = (startWithin: number | undefined) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if ((yield* adapter) === "memory") return MemoryStorage.layer
      const url = yield* databaseUrl
      return url === undefined ? embedded : PgStorage.layer({ url, startWithin })
    })
  )

export const ports = portsWithin(undefined)

/** Every use case and every port; waits so many milliseconds for the PostgreSQL of `DATABASE_URL` to be there. */
export const storageWithin = (startWithin: number | undefined) =>
  useCases.pipe(
    Layer.provide(geocoder),
    Layer.provideMerge(portsWithin(startWithin)),
    Layer.provideMerge(NodeCrypto.layer)
  )

export const storage = storageWithin(undefined)

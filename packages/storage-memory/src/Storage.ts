import { Effect, Layer } from "effect"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { Database } from "./Database.ts"

export const storageLayer = Layer.effect(
  Storage,
  Effect.map(Database, (database) =>
    Storage.of({
      transact: database.transact,
      transactWith: (owner, read, body) =>
        database.transact(owner, (writeTimestamp) => Effect.flatMap(read, (found) => body(writeTimestamp, found))),
      snapshot: database.snapshot,
      ping: Effect.void
    })
  )
)

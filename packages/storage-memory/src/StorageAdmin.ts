import { Effect, Layer } from "effect"
import { orphanKinds, StorageAdmin, type StorageStats } from "@lists-and-things/domain/ports/StorageAdmin"
import { Database } from "./Database.ts"
import type { OwnerData } from "./OwnerData.ts"
import { currentTime, earlierOf, epoch, laterOf } from "@lists-and-things/domain/model/EpochMillis"

const make = (database: Database["Service"]): StorageAdmin["Service"] => ({
  status: Effect.gen(function* () {
    const writeTimestamps = yield* database.readAll((owners) => owners.map(({ lastWrite }) => lastWrite))
    return {
      adapter: "memory" as const,
      location: "memory of this process",
      embedded: false,
      serverVersion: null,
      schemaVersion: 0,
      latestSchemaVersion: 0,
      processes: 1,
      trigrams: false,
      acceptsWrites: true,
      otherWritable: [],
      missingRoleSettings: null,
      clock: yield* currentTime,
      lastWrite: writeTimestamps.reduce(laterOf, epoch) || null
    }
  }),
  connections: Effect.succeed({ open: 0, busy: 0, waiting: 0, refused: 0 }),
  history: Effect.map(
    database.readAll((owners) =>
      owners.flatMap(({ operations }) => [...operations.values()].map(({ operation }) => operation.at))
    ),
    (times) => ({ bytes: null, oldest: times.length === 0 ? null : times.reduce(earlierOf) })
  ),
  stats: (owner) =>
    database.readAll((owners) => count(owners.filter((data) => owner === undefined || data.account.id === owner))),
  orphans: database.readAll((owners) => {
    const things = owners.flatMap((data) =>
      data.things
        .values()
        .map((thing) => ({ data, thing }))
        .toArray()
    )
    const missing = (what: string, isMissing: (each: (typeof things)[number]) => boolean) => ({
      what,
      count: things.filter(isMissing).length
    })
    return [
      missing(orphanKinds.listRef, ({ data, thing: { listRef } }) => listRef !== null && !data.lists.has(listRef)),
      missing(orphanKinds.cloneOf, ({ data, thing: { cloneOf } }) => cloneOf !== null && !data.things.has(cloneOf))
    ].filter(({ count }) => count > 0)
  }),
  migrate: Effect.succeed([])
})

const count = (owners: ReadonlyArray<OwnerData>): StorageStats => {
  const sum = (table: "keys" | "lists" | "things" | "reminders") =>
    owners.reduce((total, data) => total + data[table].size, 0)
  return {
    accounts: owners.length,
    keys: sum("keys"),
    lists: sum("lists"),
    things: sum("things"),
    reminders: sum("reminders"),
    bytesOnDisk: null
  }
}

export const storageAdminLayer = Layer.effect(StorageAdmin, Effect.map(Database, make))

import { type KnownServer, ServerStore } from "@lists-and-things/domain/ports/ServerStore"
import { Effect, Layer } from "effect"
import { prune } from "./Pruning.ts"

export const serverStoreLayer = Layer.sync(ServerStore, () => {
  const servers = new Map<string, KnownServer>()
  return ServerStore.of({
    put: (server) =>
      Effect.sync(() => void servers.set(JSON.stringify([server.machine, server.host, server.port]), server)),
    all: Effect.sync(() => [...servers.values()].toSorted((a, b) => b.seen - a.seen).slice(0, 100)),
    prune: (seen, max) => Effect.sync(() => prune(servers, (server) => server.seen, seen, max))
  })
})

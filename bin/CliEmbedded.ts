import { dataDir } from "@lists-and-things/settings/Settings"
import * as EmbeddedPostgres from "@lists-and-things/storage-pg/embedded/EmbeddedPostgres"
import { Effect, References } from "effect"

export const status = () => Effect.runPromise(Effect.flatMap(dataDir.config, EmbeddedPostgres.status))

export const users = () => Effect.runPromise(Effect.flatMap(dataDir.config, EmbeddedPostgres.users))

export const stop = (options: { readonly staysDown: boolean }) =>
  Effect.runPromise(Effect.flatMap(dataDir.config, (folder) => EmbeddedPostgres.stop(folder, options)))

export const upgrade = async () => {
  const { upgrade } = await import("@lists-and-things/storage-pg/embedded/Upgrade")
  const quietly = Effect.provideService(References.MinimumLogLevel, "None")
  return Effect.runPromise(quietly(Effect.flatMap(dataDir.config, upgrade)))
}

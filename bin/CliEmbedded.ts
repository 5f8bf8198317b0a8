import { dataDir } from "@lists-and-things/settings/Settings"
import * as EmbeddedPostgres from "@lists-and-things/storage-pg/embedded/EmbeddedPostgres"
import { Effect } from "effect"

export const status = () => Effect.runPromise(Effect.flatMap(dataDir.config, EmbeddedPostgres.status))

export const stop = () => Effect.runPromise(Effect.flatMap(dataDir.config, EmbeddedPostgres.stop))

import * as EmbeddedPostgres from "@lists-and-things/storage-pg/embedded/EmbeddedPostgres"
import { Effect } from "effect"
import { dataDir, settings } from "./Settings.ts"

export const settingsNow = () => Effect.runPromise(settings)

export const embeddedNow = () => Effect.runPromise(Effect.flatMap(dataDir, EmbeddedPostgres.status))

export const stopEmbedded = () => Effect.runPromise(Effect.flatMap(dataDir, EmbeddedPostgres.stop))

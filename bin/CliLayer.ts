import { Backup } from "@lists-and-things/domain/backup/Backup"
import { Restore } from "@lists-and-things/domain/backup/Restore"
import type { OlderSchema } from "@lists-and-things/storage-pg/Migrations"
import { Layer } from "effect"
import * as NodePasswordHasher from "@lists-and-things/platform-node/NodePasswordHasher"
import { storage } from "./storage.ts"

/** Somebody waits at the prompt. */
const startTimeout = 2_000

/** What the commands of `lat` work with; few of them may change a schema of an older release. */
export const cliLayer = (olderSchema: OlderSchema) =>
  Layer.mergeAll(Backup.layer, Restore.layer, NodePasswordHasher.layer).pipe(
    Layer.provideMerge(storage({ startWithin: startTimeout, olderSchema }))
  )

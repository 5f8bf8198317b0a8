import { Backup } from "@lists-and-things/domain/backup/Backup"
import { Restore } from "@lists-and-things/domain/backup/Restore"
import { Layer } from "effect"
import * as NodePasswordHasher from "./NodePasswordHasher.ts"
import { storage } from "./storage.ts"

/** What the commands of `lat` work with. */
export const cliLayer = Layer.mergeAll(Backup.layer, Restore.layer, NodePasswordHasher.layer).pipe(
  Layer.provideMerge(storage)
)

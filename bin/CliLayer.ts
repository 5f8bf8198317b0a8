import { Backup } from "@lists-and-things/domain/backup/Backup"
import { Restore } from "@lists-and-things/domain/backup/Restore"
import { Layer } from "effect"
import * as NodePasswordHasher from "./NodePasswordHasher.ts"
import { storageWithin } from "./storage.ts"

/** Somebody waits at the prompt. */
const patience = 2_000

/** What the commands of `lat` work with. */
export const cliLayer = Layer.mergeAll(Backup.layer, Restore.layer, NodePasswordHasher.layer).pipe(
  Layer.provideMerge(storageWithin(patience))
)

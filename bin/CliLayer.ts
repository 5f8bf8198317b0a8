import type { OlderSchema } from "@lists-and-things/storage-pg/connection/PgStorageConfig"
import { Layer } from "effect"
import * as NodePasswordHasher from "@lists-and-things/platform-node/NodePasswordHasher"
import * as SystemUser from "@lists-and-things/platform-node/SystemUser"
import { storage } from "./Storage.ts"

/** Milliseconds within which the storage must be reached; short, since a person waits at the prompt. */
const startTimeout = 2_000

/** Milliseconds for a connection: a command on a busy machine rather waits than fails, and keeps no request waiting. */
const connectTimeout = 5_000

/** Services for the commands of `lat`. Only a few commands may migrate a schema of an older release. */
export const cliLayer = (olderSchema: OlderSchema) =>
  Layer.mergeAll(NodePasswordHasher.layer, SystemUser.layer).pipe(
    Layer.provideMerge(storage({ connectTimeout, startWithin: startTimeout, olderSchema }))
  )

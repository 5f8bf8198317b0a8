import { Layer } from "effect"
import { accountStoreLayer } from "./AccountStore.ts"
import { Database } from "./Database.ts"
import { distributionLayer } from "./Distribution.ts"
import { historyStoreLayer } from "./HistoryStore.ts"
import { instanceDumpLayer } from "./InstanceDump.ts"
import { keyStoreLayer } from "./KeyStore.ts"
import { listStoreLayer } from "./ListStore.ts"
import { oauthStoreLayer } from "./OAuthStore.ts"
import { placeStoreLayer } from "./PlaceStore.ts"
import { idempotencyStoreLayer } from "./IdempotencyStore.ts"
import { reminderStoreLayer } from "./ReminderStore.ts"
import { serverStoreLayer } from "./ServerStore.ts"
import { sessionStoreLayer } from "./SessionStore.ts"
import { sizeStoreLayer } from "./SizeStore.ts"
import { storageLayer } from "./Storage.ts"
import { storageAdminLayer } from "./StorageAdmin.ts"
import { webhookStoreLayer } from "./WebhookStore.ts"
import { thingStoreLayer } from "./ThingStore.ts"

/** All ports, in the memory of this process; nothing is persisted. */
export const layer = Layer.mergeAll(
  storageLayer,
  storageAdminLayer,
  instanceDumpLayer,
  distributionLayer,
  accountStoreLayer,
  keyStoreLayer,
  listStoreLayer,
  thingStoreLayer,
  sizeStoreLayer,
  reminderStoreLayer,
  placeStoreLayer,
  historyStoreLayer,
  idempotencyStoreLayer,
  oauthStoreLayer,
  serverStoreLayer,
  sessionStoreLayer,
  webhookStoreLayer
).pipe(Layer.provide(Database.layer))

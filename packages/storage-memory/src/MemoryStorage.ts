import { Layer } from "effect"
import { accountStoreLayer } from "./accounts/AccountStore.ts"
import { Database } from "./Database.ts"
import { distributionLayer } from "./Distribution.ts"
import { historyStoreLayer } from "./history/HistoryStore.ts"
import { instanceDumpLayer } from "./InstanceDump.ts"
import { keyStoreLayer } from "./accounts/KeyStore.ts"
import { listStoreLayer } from "./things/ListStore.ts"
import { oauthStoreLayer } from "./accounts/OAuthStore.ts"
import { placeStoreLayer } from "./things/PlaceStore.ts"
import { idempotencyStoreLayer } from "./accounts/IdempotencyStore.ts"
import { reminderStoreLayer } from "./things/ReminderStore.ts"
import { serverStoreLayer } from "./ServerStore.ts"
import { sessionStoreLayer } from "./accounts/SessionStore.ts"
import { sizeStoreLayer } from "./things/SizeStore.ts"
import { storageLayer } from "./Storage.ts"
import { storageAdminLayer } from "./StorageAdmin.ts"
import { webhookStoreLayer } from "./webhooks/WebhookStore.ts"
import { thingStoreLayer } from "./things/ThingStore.ts"

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

import type { Backup } from "@lists-and-things/domain/backup/Backup"
import type { Restore } from "@lists-and-things/domain/backup/Restore"
import type { Accounts } from "@lists-and-things/domain/caller/Accounts"
import type { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import type { PasswordHasher } from "@lists-and-things/domain/caller/PasswordHasher"
import type { Changes } from "@lists-and-things/domain/history/Changes"
import type { Operations } from "@lists-and-things/domain/history/Operations"
import type { Undo } from "@lists-and-things/domain/history/Undo"
import type { DryRuns } from "@lists-and-things/domain/history/DryRuns"
import type { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { Search } from "@lists-and-things/domain/search/Search"
import type { Tags } from "@lists-and-things/domain/tags/Tags"
import type { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import type { Lists } from "@lists-and-things/domain/lists/Lists"
import type { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import type { Distribution } from "@lists-and-things/domain/ports/Distribution"
import type { InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import type { PasswordLinks } from "@lists-and-things/domain/caller/PasswordLinks"
import type { ServerStore } from "@lists-and-things/domain/ports/ServerStore"
import type { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import type { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import type { Webhooks } from "@lists-and-things/domain/webhooks/Webhooks"
import type { Things } from "@lists-and-things/domain/things/Things"
import type { Layer } from "effect"

/** The ports from which `export` and `restore` build their use cases, which no other command loads. */
type DocumentPorts = Layer.Services<typeof Backup.layer | typeof Restore.layer>

/** The services that commands require; the composition root provides them. */
export type CliServices =
  | Accounts
  | ApiKeys
  | PasswordHasher
  | DryRuns
  | Lists
  | Things
  | BulkThings
  | ThingTarget
  | Search
  | Tags
  | Reminders
  | PasswordLinks
  | ServerStore
  | StorageAdmin
  | Operations
  | Undo
  | Changes
  | HistoryStore
  | InstanceDump
  | Webhooks
  | Distribution
  | DocumentPorts

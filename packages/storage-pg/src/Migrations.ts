import * as initial from "./migrations/0001_Initial.ts"
import * as signIn from "./migrations/0002_SignIn.ts"
import * as appendThing from "./migrations/0003_AppendThing.ts"
import * as appendThings from "./migrations/0004_AppendThings.ts"
import * as sizes from "./migrations/0005_Sizes.ts"
import * as appendThingAgain from "./migrations/0006_AppendThingAgain.ts"
import * as housekeeping from "./migrations/0007_Housekeeping.ts"
import * as markup from "./migrations/0008_Markup.ts"
import * as history from "./migrations/0009_History.ts"
import * as historyOnly from "./migrations/0010_HistoryOnly.ts"
import * as writeClocks from "./migrations/0011_WriteClocks.ts"
import * as writeClocksOnly from "./migrations/0012_WriteClocksOnly.ts"
import * as webhooks from "./migrations/0013_Webhooks.ts"
import * as servers from "./migrations/0014_Servers.ts"
import * as keyedWrites from "./migrations/0015_KeyedWrites.ts"
import * as writeThings from "./migrations/0016_WriteThings.ts"
import * as reviseThings from "./migrations/0017_ReviseThings.ts"
import * as rowImages from "./migrations/0018_RowImages.ts"
import * as keyCounts from "./migrations/0019_KeyCounts.ts"
import * as plainIds from "./migrations/0020_PlainIds.ts"
import * as sharpS from "./migrations/0021_SharpS.ts"
import * as tokenScopes from "./migrations/0022_TokenScopes.ts"
import * as webhookClocks from "./migrations/0023_WebhookClocks.ts"
import * as earlierSecrets from "./migrations/0024_EarlierSecrets.ts"
import * as grantsOfTokens from "./migrations/0025_GrantsOfTokens.ts"
import * as dueDeliveries from "./migrations/0026_DueDeliveries.ts"

export interface Migration {
  readonly version: number
  readonly name: string
  /** One command per entry. */
  readonly statements: ReadonlyArray<string>
  /**
   * The oldest schema version whose programs may run from here on, where it is a higher one. The migration then waits
   * until no older program is connected; nobody waits for it, nor do later migrations without such a number.
   */
  readonly oldestProgram?: number
}

/** In ascending order of version. A released migration is never changed. */
export const migrations: ReadonlyArray<Migration> = [
  initial,
  signIn,
  appendThing,
  appendThings,
  sizes,
  appendThingAgain,
  housekeeping,
  markup,
  history,
  historyOnly,
  writeClocks,
  writeClocksOnly,
  webhooks,
  servers,
  keyedWrites,
  writeThings,
  reviseThings,
  rowImages,
  keyCounts,
  plainIds,
  sharpS,
  tokenScopes,
  webhookClocks,
  earlierSecrets,
  grantsOfTokens,
  dueDeliveries
]

export const latestVersion = migrations.at(-1)?.version ?? 0

/** The objects that migrations of any version created, by the commands that create them. */
const made = (pattern: RegExp): ReadonlyArray<string> => [
  ...new Set(
    migrations
      .flatMap(({ statements }) => statements.flatMap((sql) => [...sql.matchAll(pattern)]))
      .map((match) => match[1]!)
  )
]

/** Every table of this product's, also of former versions. */
export const tableNames = made(/create (?:unlogged )?table (?:if not exists )?(\w+)/g)
export const functionNames = made(/create (?:or replace )?function (\w+)/g)

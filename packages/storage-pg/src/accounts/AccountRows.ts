import type { Row } from "@effect/sql-pg/PgConnection"
import { defaultAllDayAt } from "@lists-and-things/domain/caller/AccountSettings"
import type { Account } from "@lists-and-things/domain/model/Account"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import type { Settings } from "@lists-and-things/domain/model/Operation"
import { settings } from "../Tables.ts"

/** Every column of an account but its email. */
export const settingsColumns = `a.id, ${settings.selected}`

export const accountColumns = `a.email, ${settingsColumns}`

export const accountOf = (row: Row): Account => ({ ...settingsOf(row), email: row.email as string })

export const settingsOf = (row: Row): Settings => ({
  id: row.id as AccountId,
  name: row.name as string,
  timezone: row.timezone as string,
  defaultThingType: row.default_thing_type as Account["defaultThingType"],
  defaultListSort: row.default_list_sort as Account["defaultListSort"],
  defaultReminderMinutes: row.default_reminder_minutes as number,
  defaultAlertMinutes: row.default_alert_minutes as number,
  defaultReminderColor: row.default_reminder_color as string,
  repeatMovesToDay: row.repeat_moves_to_day as boolean,
  // Images from before this setting existed lack it.
  allDayAt: (row.all_day_at as string | undefined) ?? defaultAllDayAt,
  created: row.created as EpochMillis
})

/** Of `api_keys k`, for `keyOf`. */
export const keyColumns = `k.id as key_id, k.owner_id, k.name as key_name, k.scopes, k.rate_limit, k.secret_hash,
  k.created::float8 as key_created, k.revoked::float8`

/** Needs the column `last_used` of `key_usage` in the row. */
export const keyOf = (row: Row): ApiKey => ({
  id: row.key_id as string,
  accountId: row.owner_id as AccountId,
  name: row.key_name as string,
  scopes: row.scopes as ApiKey["scopes"],
  rateLimit: row.rate_limit as number,
  secretHash: row.secret_hash as string,
  created: row.key_created as EpochMillis,
  lastUsed: row.last_used as EpochMillis | null,
  revoked: row.revoked as EpochMillis | null
})

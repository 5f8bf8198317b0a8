import type { AccountId } from "./Ids.ts"
import type { ListSort } from "./List.ts"
import type { ThingType } from "./Thing.ts"
import type { EpochMillis } from "./EpochMillis.ts"

/** The owner of lists, with the defaults that fill what a request leaves out (docs/decisions.md#accounts-and-keys). */
export interface Account {
  readonly id: AccountId
  /** Unique ignoring case; kept as it was written. */
  readonly email: string
  readonly name: string
  /** IANA name; naive times and day words of this account are interpreted in it. */
  readonly timezone: string
  readonly defaultThingType: ThingType
  readonly defaultListSort: ListSort
  /** Minutes; the length of a reminder that names none. 0 = no end. */
  readonly defaultReminderMinutes: number
  /** Minutes before `at`; 0 = no advance notice. */
  readonly defaultAlertMinutes: number
  /** `#rrggbb` or empty. */
  readonly defaultReminderColor: string
  /**
   * Whether a repeating thing that is completed moves to the day of its next occurrence
   * (docs/decisions.md#completing).
   */
  readonly repeatMovesToDay: boolean
  /** `HH:MM` on the owner's clock: when all-day reminders are due. */
  readonly allDayAt: string
  readonly created: EpochMillis
}

/** Whether every field is equal. */
export const isSameAccount = (a: Account, b: Account): boolean =>
  (Object.keys(a) as ReadonlyArray<keyof Account>).every((field) => a[field] === b[field])

/** Write timestamps of an account; 0 before the first write. */
export interface AccountStamps {
  /** Of the last write. */
  readonly lastWrite: number
  /** Of the last change of settings or places. */
  readonly settingsChanged: number
}

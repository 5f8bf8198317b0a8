import { shownValue } from "../json/ShownValue.ts"
import { Effect } from "effect"
import { isTimeZone, zoneSpelling } from "../days/Zone.ts"
import { InvalidInput } from "../model/Errors.ts"
import { caps } from "../model/Caps.ts"
import { listSorts } from "../model/List.ts"
import { typeWritten, type WrittenType, writtenTypes } from "../model/Thing.ts"
import type { Account } from "../model/Account.ts"
import { atMost } from "../text/Characters.ts"
import { isColor, sixDigits } from "../text/Colors.ts"
import { inFigures } from "../text/Wording.ts"

/** Changes to an account; omitted fields stay as they are. */
export interface AccountPatch {
  readonly email?: string
  readonly name?: string
  readonly timezone?: string
  /** `note` is stored as `none`. */
  readonly defaultThingType?: string
  readonly defaultListSort?: string
  /** 0 to `caps.minutes`, as the alert's. */
  readonly defaultReminderMinutes?: number
  readonly defaultAlertMinutes?: number
  /** `#rgb`, `#rrggbb` or empty. */
  readonly defaultReminderColor?: string
  readonly repeatMovesToDay?: boolean
  /** `HH:MM`. */
  readonly allDayAt?: string
}

type Settings = Omit<Account, "id" | "created">

/** Also the time of accounts that were stored before there was this setting. */
export const defaultAllDayAt = "09:00"

/** The settings of a new account (docs/decisions.md#accounts-and-keys). */
export const initialSettings: Omit<Settings, "email"> = {
  name: "",
  timezone: "UTC",
  defaultThingType: "todo",
  defaultListSort: "chronological",
  defaultReminderMinutes: 0,
  defaultAlertMinutes: 0,
  defaultReminderColor: "",
  repeatMovesToDay: true,
  allDayAt: defaultAllDayAt
}

/**
 * The settings with the patch applied; fails with the first field that breaks a rule
 * (docs/decisions.md#accounts-and-keys).
 */
export const applySettings = <S extends Settings>(settings: S, patch: AccountPatch): Effect.Effect<S, InvalidInput> => {
  const trimmed = trimmedPatch(patch)
  const problem = firstProblem(trimmed)
  if (problem !== undefined) return Effect.fail(new InvalidInput(problem))
  return Effect.succeed({ ...settings, ...normalized(trimmed) })
}

const trimmedPatch = (patch: AccountPatch): AccountPatch => {
  const entries = Object.entries(patch).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [key, typeof value === "string" ? value.trim() : value]))
}

const normalized = (patch: AccountPatch): Partial<Settings> => ({
  ...(patch as Partial<Settings>),
  ...(patch.timezone !== undefined && { timezone: zoneSpelling(patch.timezone) }),
  ...(patch.defaultThingType !== undefined && { defaultThingType: typeWritten(patch.defaultThingType as WrittenType) }),
  ...(patch.defaultReminderColor !== undefined && { defaultReminderColor: sixDigits(patch.defaultReminderColor) })
})

const isEmail = (text: string): boolean =>
  text.length <= 254 &&
  !text.includes("..") &&
  /^[^\s@<>()[\],;:"\\\p{C}]+@[^\s@<>()[\],;:"\\\p{C}.][^\s@<>()[\],;:"\\\p{C}]*(?<!\.)$/u.test(text)

const isMinutes = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= caps.minutes

const isOneOf = (values: ReadonlyArray<string>, value: string): boolean => values.includes(value)

type Check<Key extends keyof AccountPatch> = readonly [
  field: string,
  holds: (value: NonNullable<AccountPatch[Key]>) => boolean,
  reason: string
]

const minutesReason = `must be a whole number of minutes from 0 to ${inFigures(caps.minutes)}`

const checks: { readonly [Key in keyof Required<AccountPatch>]: Check<Key> } = {
  email: ["email", isEmail, "must be an email address such as ann@example.com"],
  name: [
    "name",
    (value) => atMost(value, caps.name) && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value),
    `must be one line of at most ${caps.name} characters`
  ],
  timezone: ["timezone", isTimeZone, "must be an IANA time zone such as Europe/Berlin"],
  defaultThingType: [
    "default_thing_type",
    (value) => isOneOf(writtenTypes, value),
    `must be one of ${writtenTypes.join(", ")}`
  ],
  defaultListSort: [
    "default_list_sort",
    (value) => isOneOf(listSorts, value),
    `must be one of ${listSorts.join(", ")}`
  ],
  defaultReminderMinutes: ["default_reminder_minutes", isMinutes, minutesReason],
  defaultAlertMinutes: ["default_alert_minutes", isMinutes, minutesReason],
  defaultReminderColor: ["default_reminder_color", isColor, "must be a color such as #3366cc, or empty"],
  repeatMovesToDay: ["repeat_moves_to_day", (value) => typeof value === "boolean", "must be true or false"],
  allDayAt: [
    "all_day_at",
    (value) => /^([01]\d|2[0-3]):[0-5]\d$/.test(value),
    "must be a time of day from 00:00 to 23:59, such as 09:00"
  ]
}

const firstProblem = (
  patch: AccountPatch
): { readonly field: string; readonly reason: string; readonly sent: string } | undefined => {
  for (const key of Object.keys(checks) as Array<keyof AccountPatch>) {
    const value = patch[key]
    const [field, holds, reason] = checks[key] as Check<keyof AccountPatch>
    if (value !== undefined && !holds(value)) return { field, reason, sent: shownValue(value) }
  }
  return undefined
}

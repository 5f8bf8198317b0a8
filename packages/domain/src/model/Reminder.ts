import type { AccountId, PlaceId, ReminderId, ThingId } from "./Ids.ts"
import type { EpochMillis } from "./EpochMillis.ts"

/** Units of `RepeatRule.every`; `none` does not repeat. */
export const repeats = ["none", "daily", "weekly", "monthly", "yearly"] as const
export type Repeat = (typeof repeats)[number]

/** From Sunday: the index is that of `weekdayOf`. */
export const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const
export type Weekday = (typeof weekdays)[number]

/** The index of the weekday of this name, or of its first three letters, in lower case; -1 for any other text. */
export const weekdayNamed = (name: string): number =>
  weekdays.findIndex((day) => name === day || name === day.slice(0, 3))

/** How a reminder repeats; independent of the current occurrence. */
export interface RepeatRule {
  readonly repeat: Repeat
  /** 1 to `caps.every`, in units of `repeat`. */
  readonly every: number
  /** Ordered from Sunday; empty unless weekly on named days. */
  readonly days: ReadonlyArray<Weekday>
  /** Inclusive; null repeats forever. */
  readonly until: EpochMillis | null
}

/** Fires at a time. `at` is the current occurrence. */
export interface TimeTrigger {
  readonly _tag: "Time"
  /** Local midnight of the owner when `allDay`. */
  readonly at: EpochMillis
  /** Whether an occurrence is a whole day of the owner. */
  readonly allDay: boolean
  /**
   * The wall-clock time of the very first occurrence, `YYYY-MM-DDTHH:mm:ss.SSS`: in the owner's zone, or of a one-off
   * with a time in the zone in which it was set.
   */
  readonly first: string
  readonly rule: RepeatRule
  /** Elapsed minutes; null when the occurrence has no end. */
  readonly durationMinutes: number | null
  /** The exact end; null when there is none. Always `at` + the span. */
  readonly end: EpochMillis | null
}

/** Whether completing its thing leads to another occurrence, unless that was the last one. */
export const isRepeating = (trigger: Reminder["trigger"]): trigger is TimeTrigger =>
  trigger._tag === "Time" && trigger.rule.repeat !== "none"

/** What fires a place reminder: arriving at the place, or leaving it. */
export const placeTransitions = ["arrive", "leave"] as const

/** Fires on arriving at or leaving a saved place. */
export interface PlaceTrigger {
  readonly _tag: "Place"
  readonly placeId: PlaceId
  readonly on: (typeof placeTransitions)[number]
  /** Null takes that of the place. */
  readonly radiusMeters: number | null
}

/** The single reminder of a thing; live linked copies share the one of their original. */
export interface Reminder {
  readonly id: ReminderId
  readonly owner: AccountId
  /** Never a live linked copy. */
  readonly thingId: ThingId
  readonly trigger: TimeTrigger | PlaceTrigger
  /** Minutes before `at`; 0 = none. */
  readonly alertMinutes: number
  /** Minutes before `at`; 0 = none. */
  readonly secondAlertMinutes: number
  /** `#rrggbb` or empty. */
  readonly color: string
  readonly created: EpochMillis
}

import { Brand, Clock, Effect } from "effect"

/**
 * A moment: milliseconds since 1970-01-01T00:00:00Z. The brand exists for the compiler alone and checks nothing at run
 * time. Durations are plain numbers, so neither passes for the other.
 */
export type EpochMillis = Brand.Branded<number, "EpochMillis">
export const EpochMillis = Brand.nominal<EpochMillis>()

/** Durations in milliseconds. */
export const msPerSecond = 1000
export const msPerMinute = 60_000
export const msPerHour = 3_600_000
export const msPerDay = 86_400_000

/** 1970-01-01T00:00:00Z; stands for "never" where a time is required. */
export const epoch = EpochMillis(0)

/** The time of the fiber's clock. */
export const currentTime = Clock.currentTimeMillis as Effect.Effect<EpochMillis>

/** Milliseconds of the fiber's monotonic clock, whole ones: for spans, which a clock that is set leaves as they are. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) =>
  Number(nanos / 1_000_000n)
)

/** The beginning of the second, minute, hour or day in UTC in which a moment is, by its length in milliseconds. */
export const startOf = (length: number, at: EpochMillis): EpochMillis => EpochMillis(Math.floor(at / length) * length)

/** The moment this many milliseconds later; earlier if negative. */
export const addMillis = (at: EpochMillis, millis: number): EpochMillis => EpochMillis(at + millis)

export const earlierOf = (a: EpochMillis, b: EpochMillis): EpochMillis => (a < b ? a : b)

export const laterOf = (a: EpochMillis, b: EpochMillis): EpochMillis => (a > b ? a : b)

/** Whole seconds that a client is told to wait until a time: rounded up, at least 1. */
export const secondsUntil = (time: EpochMillis, now: EpochMillis): number => Math.max(1, Math.ceil((time - now) / 1000))

import { lat } from "../text/CommandLine.ts"
import { Effect } from "effect"
import { addMillis, currentTime, type EpochMillis, msPerMinute } from "../model/EpochMillis.ts"

/**
 * Tolerated difference between the clocks of machines, in milliseconds. A time further ahead was written by a wrong
 * clock and is not binding.
 */
export const clockTolerance = msPerMinute

/** Whether a time that should be in the past is ahead of `now` by more than the tolerance. */
export const isAhead = (moment: EpochMillis, now: EpochMillis): boolean => moment - now > clockTolerance

/**
 * Whether a window that began at `began` and lasts `length` milliseconds is running: until its end, exclusive. One that
 * begins in the future is over.
 */
export const isRunning = (began: EpochMillis, length: number, now: EpochMillis): boolean =>
  !isAhead(began, now) && now < addMillis(began, length)

/** Whether something that was valid for `lifetime` milliseconds until `expires` is still valid. */
export const isAlive = (expires: EpochMillis, lifetime: number, now: EpochMillis): boolean =>
  isRunning(addMillis(expires, -lifetime), lifetime, now)

/** Times before which, or after which, data is outdated; both exclusive. */
export interface Outdated {
  readonly before: EpochMillis
  /** Later than anything a correct clock has dated. */
  readonly after: EpochMillis
}

/**
 * Bounds for what was created more than `lifetime` milliseconds ago, or is dated further ahead than that. What is dated
 * less far ahead is kept until the clock has passed it, so that setting a clock back does not outdate what was just
 * created.
 */
export const madeBefore = (now: EpochMillis, lifetime: number): Outdated => ({
  before: addMillis(now, -lifetime),
  after: addMillis(now, lifetime + clockTolerance)
})

/**
 * Bounds for what expired more than `kept` milliseconds ago, or expires further ahead than `lifetime` because it was
 * dated by a clock that ran ahead.
 */
export const expired = (now: EpochMillis, lifetime: number, kept = 0): Outdated => ({
  before: addMillis(now, -kept),
  after: addMillis(now, lifetime + clockTolerance)
})

export const isOutdated = (moment: EpochMillis, { after, before }: Outdated): boolean =>
  moment < before || moment > after

/**
 * The date of a write: its write timestamp, or the clock where write timestamps are ahead of it. Write timestamps must
 * increase, so they continue from where a clock that was ahead has left them; `created` need not follow.
 */
export const dateOf = (writeTimestamp: EpochMillis, now: EpochMillis): EpochMillis =>
  isAhead(writeTimestamp, now) ? now : writeTimestamp

/** `dateOf` with the current clock. */
export const dateOfWrite = (writeTimestamp: EpochMillis): Effect.Effect<EpochMillis> =>
  Effect.map(currentTime, (now) => dateOf(writeTimestamp, now))

/** `364 days`, `5 hours`, `2 minutes`: in the largest unit with a count of at least two. */
export const spanText = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1000)
  const units = [
    [86_400, "days"],
    [3_600, "hours"],
    [60, "minutes"]
  ] as const
  const [size, name] = units.find(([each]) => seconds >= 2 * each) ?? [1, "seconds"]
  return `${Math.floor(seconds / size)} ${name}`
}

/** What the warning calls the write timestamp of an account's last write. */
export const lastWrite = "The last write of an account"

const warningInterval = msPerMinute

/** Warns of times ahead of the clock, at most once a minute. */
export const makeSkewWarning = (): ((what: string, moment: EpochMillis, now: EpochMillis) => Effect.Effect<void>) => {
  let said: EpochMillis | undefined
  return (what, moment, now) =>
    Effect.suspend(() => {
      if (!isAhead(moment, now) || (said !== undefined && isRunning(said, warningInterval, now))) return Effect.void
      said = now
      return Effect.logWarning(
        `${what} is dated ${spanText(moment - now)} ahead of this machine's clock: this clock is behind, or one was ahead once. '${lat("doctor")}' tells more.`
      )
    })
}

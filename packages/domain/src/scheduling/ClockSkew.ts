import { Clock, Effect } from "effect"

/**
 * Tolerated difference between the clocks of machines, in milliseconds. A time further ahead was written by a wrong
 * clock and is not binding.
 */
export const clockTolerance = 60_000

/** Whether a time that should be in the past is ahead of `now` by more than the tolerance. */
export const isAhead = (moment: number, now: number): boolean => moment - now > clockTolerance

/**
 * Whether a window that began at `began` and lasts `length` milliseconds is open; one that begins in the future is
 * over.
 */
export const isOpen = (began: number, length: number, now: number): boolean =>
  !isAhead(began, now) && now < began + length

/** Whether something that was valid for `lifetime` milliseconds until `expires` is still valid. */
export const isAlive = (expires: number, lifetime: number, now: number): boolean =>
  isOpen(expires - lifetime, lifetime, now)

/** Times before which, or after which, data is outdated; both exclusive. */
export interface Outdated {
  readonly before: number
  /** Later than anything a correct clock has dated. */
  readonly after: number
}

/** Created more than `lifetime` milliseconds ago, or by a clock that was ahead. */
export const madeBefore = (now: number, lifetime: number): Outdated => ({
  before: now - lifetime,
  after: now + clockTolerance
})

/** Expired more than `kept` milliseconds ago, or due more than `lifetime` ahead because a clock was ahead. */
export const expired = (now: number, lifetime: number, kept = 0): Outdated => ({
  before: now - kept,
  after: now + lifetime + clockTolerance
})

export const isOutdated = (moment: number, { after, before }: Outdated): boolean => moment < before || moment > after

/**
 * The date of a write: its write timestamp, or the clock where write timestamps are ahead of it. Write timestamps must
 * increase, so they continue from where a clock that was ahead has left them; `created` need not follow.
 */
export const dateOf = (writeTimestamp: number, now: number): number =>
  isAhead(writeTimestamp, now) ? now : writeTimestamp

/** `dateOf` with the current clock. */
export const dateOfWrite = (writeTimestamp: number): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => dateOf(writeTimestamp, now))

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

const sayAgainAfter = 60_000

/** Warns of times ahead of the clock, at most once a minute. */
export const makeSkewWarning = (): ((what: string, moment: number, now: number) => Effect.Effect<void>) => {
  let said: number | undefined
  return (what, moment, now) =>
    Effect.suspend(() => {
      if (!isAhead(moment, now) || (said !== undefined && isOpen(said, sayAgainAfter, now))) return Effect.void
      said = now
      return Effect.logWarning(
        `${what} is dated ${spanText(moment - now)} ahead of this machine's clock: this clock is behind, or one was ahead once. 'lat doctor' tells more.`
      )
    })
}

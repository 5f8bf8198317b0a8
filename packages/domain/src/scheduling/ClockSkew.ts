import { Clock, Effect } from "effect"

/**
 * What clocks of machines that keep time may differ by, in milliseconds. What lies further ahead was dated by a clock
 * that was wrong, and does not bind the one that is right now.
 */
export const clockTolerance = 60_000

/** Whether a moment of the past cannot have been: it lies ahead of `now`. */
export const isAhead = (moment: number, now: number): boolean => moment - now > clockTolerance

/** Whether a window is open that began at `began` and lasts `length` milliseconds; one that begins in the future is over. */
export const isOpen = (began: number, length: number, now: number): boolean =>
  !isAhead(began, now) && now < began + length

/** Whether what was given `lifetime` milliseconds until `expires` still counts. */
export const isAlive = (expires: number, lifetime: number, now: number): boolean =>
  isOpen(expires - lifetime, lifetime, now)

/** Moments before which, and after which, something is of no use any more; exclusive. */
export interface Outdated {
  readonly before: number
  /** Nothing that a right clock dated lies here. */
  readonly after: number
}

/** What was made more than `lifetime` milliseconds ago, or by a clock that was ahead. */
export const madeBefore = (now: number, lifetime: number): Outdated => ({
  before: now - lifetime,
  after: now + clockTolerance
})

/** What expired, or was given more than its `lifetime` by a clock that was ahead; kept for so long beyond its end. */
export const expired = (now: number, lifetime: number, kept = 0): Outdated => ({
  before: now - kept,
  after: now + lifetime + clockTolerance
})

export const isOutdated = (moment: number, { after, before }: Outdated): boolean => moment < before || moment > after

/**
 * What a write is dated with: its writeTimestamp, or the clock where the writeTimestamps have run ahead of it. Stamps must rise, so they
 * go on from where a clock that was ahead has left them; `created` need not follow them into the future.
 */
export const dateOf = (writeTimestamp: number, now: number): number =>
  isAhead(writeTimestamp, now) ? now : writeTimestamp

/** `dateOf` by the clock. */
export const dateOfWrite = (writeTimestamp: number): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => dateOf(writeTimestamp, now))

/** `364 days`, `5 hours`, `2 minutes`: in the largest unit of which there are two or more. */
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

/** What the warning calls the writeTimestamp of an account's last write. */
export const lastWrite = "The last write of an account"

const sayAgainAfter = 60_000

/** Warns of what is dated ahead of the clock, once a minute at most. */
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

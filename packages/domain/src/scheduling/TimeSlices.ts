import { Context, Effect, Scheduler } from "effect"

/**
 * Limits how long work delays other requests: long work checks between items whether its slice is used up, and yields
 * if so.
 */
export interface TimeSlices {
  /** Whether the work since the last turn of the event loop has used up its slice. */
  readonly isDue: () => boolean
  /**
   * Waits for a later turn of the event loop, after I/O and other ready tasks. Waiters of a process resume in order,
   * one per turn, so that many long requests delay others no more than one does.
   */
  readonly yieldNow: Effect.Effect<void>
}

export interface TimeSliceOptions {
  /** Length of a slice, in the unit of `now`. */
  readonly length: number
  /** A clock that never goes back. */
  readonly now: () => number
  /** Runs a task in the next turn of the event loop. */
  readonly nextTurn: (task: () => void) => void
}

export const makeTimeSlices = ({ length, nextTurn, now }: TimeSliceOptions): TimeSlices => {
  const waiting = new Set<() => void>()
  let scheduled = false
  let began: number | undefined

  const schedule = () => {
    if (scheduled || waiting.size === 0) return
    scheduled = true
    nextTurn(resumeNext)
  }

  const resumeNext = () => {
    scheduled = false
    const [resume] = waiting
    if (resume === undefined) return
    waiting.delete(resume)
    schedule()
    began = now()
    resume()
    began = undefined
  }

  return {
    isDue: () => {
      if (began === undefined) {
        began = now()
        nextTurn(() => (began = undefined))
        return false
      }
      return now() - began >= length
    },
    yieldNow: Effect.callback((resume) => {
      const waiter = () => resume(Effect.void)
      waiting.add(waiter)
      schedule()
      return Effect.sync(() => waiting.delete(waiter))
    })
  }
}

const sliceMillis = 10

const eventLoop = (): TimeSlices => {
  const dispatcher = new Scheduler.MixedScheduler().makeDispatcher()
  return makeTimeSlices({
    length: sliceMillis,
    now: () => performance.now(),
    nextTurn: (task) => dispatcher.scheduleTask(task, 0)
  })
}

/** Slices of 10 ms, shared by the process; tests replace them with counted ones. */
export const CurrentTimeSlices = Context.Reference<TimeSlices>("@lists-and-things/domain/TimeSlices", {
  defaultValue: eventLoop
})

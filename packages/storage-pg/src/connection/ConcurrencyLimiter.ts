import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect } from "effect"

interface Waiter {
  granted: boolean
  wake: (() => void) | undefined
}

/**
 * Lets at most `permits` fibers run at once, first come, first served. A waiter fails with `StorageUnavailable` after
 * `waitMillis` milliseconds of real time, whatever the fiber's Clock is.
 *
 * With a batch barrier, fibers that arrive in the same turn of the event loop run as one batch, and the next batch
 * begins when all of them are done.
 */
export class ConcurrencyLimiter {
  private readonly permits: number
  private readonly waitMillis: number
  private readonly batchBarrier: boolean
  private running = 0
  private timedOut = 0
  private batchIsOpen = false
  private queue: Array<Waiter> = []

  constructor(permits: number, waitMillis: number, batchBarrier = false) {
    this.permits = permits
    this.waitMillis = waitMillis
    this.batchBarrier = batchBarrier
  }

  /** Whether a fiber that arrives now runs without waiting. */
  get hasPermit(): boolean {
    return this.running < this.permits && (!this.batchBarrier || this.running === 0 || this.batchIsOpen)
  }

  /** Fibers that run, those that wait, and how many waited for too long so far. */
  get counts(): { readonly running: number; readonly waiting: number; readonly refused: number } {
    return { running: this.running, waiting: this.queue.length, refused: this.timedOut }
  }

  /** Number of fibers that run or wait. */
  get load(): number {
    return this.running + this.queue.length
  }

  /** The waiter records its grant, so that the release is correct wherever the fiber is interrupted. */
  withPermit<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> {
    return Effect.suspend(() => {
      const waiter: Waiter = { granted: false, wake: undefined }
      if (this.hasPermit) this.grant(waiter)
      return Effect.ensuring(
        waiter.granted ? effect : Effect.flatMap(this.wait(waiter), () => effect),
        Effect.sync(() => this.release(waiter))
      )
    })
  }

  private grant(waiter: Waiter): void {
    if (this.running === 0 && this.batchBarrier) {
      this.batchIsOpen = true
      queueMicrotask(() => {
        this.batchIsOpen = false
      })
    }
    this.running++
    waiter.granted = true
  }

  private wait(waiter: Waiter): Effect.Effect<void, StorageUnavailable> {
    return Effect.callback((resume) => {
      this.queue.push(waiter)
      const timer = setTimeout(() => {
        if (waiter.granted) return
        this.remove(waiter)
        this.timedOut++
        resume(Effect.fail(new StorageUnavailable({ outcome: "not-applied", cause: new Error("No free connection") })))
      }, this.waitMillis)
      waiter.wake = () => {
        clearTimeout(timer)
        resume(Effect.void)
      }
      return Effect.sync(() => clearTimeout(timer))
    })
  }

  private remove(waiter: Waiter): void {
    const at = this.queue.indexOf(waiter)
    if (at >= 0) this.queue.splice(at, 1)
  }

  private release(waiter: Waiter): void {
    if (!waiter.granted) return this.remove(waiter)
    this.running--
    while (this.queue.length > 0 && this.hasPermit) {
      const next = this.queue.shift()!
      this.grant(next)
      next.wake?.()
    }
  }
}

import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect } from "effect"

interface Waiter {
  readonly owner: string | undefined
  granted: boolean
  wake: (() => void) | undefined
}

/**
 * Lets at most `permits` fibers run at once, first come, first served. A waiter fails with `StorageUnavailable` after
 * `waitMillis` milliseconds of real time, whatever the fiber's Clock is.
 *
 * Fibers that say whose they are get permits by turns: the owner with the fewest comes first, and one permit is for
 * others. So nobody waits for all that one owner has asked for.
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
  private readonly runningOf = new Map<string, number>()

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
  withPermit<A, E, R>(effect: Effect.Effect<A, E, R>, owner?: string): Effect.Effect<A, E | StorageUnavailable, R> {
    return Effect.suspend(() => {
      const waiter: Waiter = { owner, granted: false, wake: undefined }
      if (this.mayRun(waiter)) this.grant(waiter)
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
    this.count(waiter, 1)
    waiter.granted = true
  }

  private mayRun({ owner }: Waiter): boolean {
    return this.hasPermit && (owner === undefined || this.ofOwner(owner) < Math.max(1, this.permits - 1))
  }

  private ofOwner(owner: string | undefined): number {
    return owner === undefined ? 0 : (this.runningOf.get(owner) ?? 0)
  }

  private count({ owner }: Waiter, change: 1 | -1): void {
    if (owner === undefined) return
    const running = this.ofOwner(owner) + change
    if (running === 0) this.runningOf.delete(owner)
    else this.runningOf.set(owner, running)
  }

  private wait(waiter: Waiter): Effect.Effect<void, StorageUnavailable> {
    return Effect.callback((resume) => {
      this.queue.push(waiter)
      const timer = setTimeout(() => {
        if (waiter.granted) return
        this.remove(waiter)
        this.timedOut++
        resume(
          Effect.fail(
            new StorageUnavailable({ outcome: "not-applied", busy: "slow", cause: new Error("No free connection") })
          )
        )
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
    this.count(waiter, -1)
    for (let next = this.next(); next !== undefined; next = this.next()) {
      this.remove(next)
      this.grant(next)
      next.wake?.()
    }
  }

  /** The next waiter: the first one of the owner with the fewest permits. */
  private next(): Waiter | undefined {
    if (!this.hasPermit) return undefined
    if (this.runningOf.size === 0) return this.queue[0]
    let first: Waiter | undefined
    for (const waiter of this.queue) {
      if (!this.mayRun(waiter)) continue
      if (first === undefined || this.ofOwner(waiter.owner) < this.ofOwner(first.owner)) first = waiter
    }
    return first
  }
}

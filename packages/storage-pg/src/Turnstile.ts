import { StorageUnavailable } from "@lists-and-things/domain/Errors"
import { Effect } from "effect"

interface Ticket {
  granted: boolean
  wake: (() => void) | undefined
}

/**
 * Lets a number of fibers through at a time, in the order in which they came. Whoever has waited
 * `waitMillis` (real time, whatever the fiber's Clock is) is turned away as `StorageUnavailable`.
 */
export class Turnstile {
  private free: number
  private readonly waitMillis: number
  private readonly queue = new Set<Ticket>()

  constructor(permits: number, waitMillis: number) {
    this.free = permits
    this.waitMillis = waitMillis
  }

  /** The ticket records the grant, so that its release is right wherever the fiber is interrupted. */
  pass<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> {
    return Effect.suspend(() => {
      const ticket: Ticket = { granted: this.free > 0, wake: undefined }
      if (ticket.granted) this.free--
      return Effect.ensuring(
        ticket.granted ? effect : Effect.flatMap(this.wait(ticket), () => effect),
        Effect.sync(() => this.leave(ticket))
      )
    })
  }

  private wait(ticket: Ticket): Effect.Effect<void, StorageUnavailable> {
    return Effect.callback((resume) => {
      this.queue.add(ticket)
      const timer = setTimeout(() => {
        if (ticket.granted) return
        this.queue.delete(ticket)
        resume(Effect.fail(new StorageUnavailable({ outcome: "not-applied", cause: new Error("No free connection") })))
      }, this.waitMillis)
      ticket.wake = () => {
        clearTimeout(timer)
        resume(Effect.void)
      }
      return Effect.sync(() => clearTimeout(timer))
    })
  }

  private leave(ticket: Ticket): void {
    this.queue.delete(ticket)
    if (!ticket.granted) return
    const next = this.queue.values().next().value
    if (next === undefined) {
      this.free++
      return
    }
    this.queue.delete(next)
    next.granted = true
    next.wake?.()
  }
}

import { StorageUnavailable } from "@lists-and-things/domain/Errors"
import { Effect } from "effect"

interface Ticket {
  granted: boolean
  wake: (() => void) | undefined
}

/**
 * Lets a number of fibers through at a time, in the order in which they came. Whoever has waited
 * `waitMillis` (real time, whatever the fiber's Clock is) is turned away as `StorageUnavailable`.
 *
 * By `rounds`, those who come in the same turn of the event loop go in together, and nobody after them until
 * all of them have left.
 */
export class Turnstile {
  private readonly permits: number
  private readonly waitMillis: number
  private readonly rounds: boolean
  private inside = 0
  private open = false
  private queue: Array<Ticket> = []

  constructor(permits: number, waitMillis: number, rounds = false) {
    this.permits = permits
    this.waitMillis = waitMillis
    this.rounds = rounds
  }

  /** Whether who comes now goes in at once. */
  get admits(): boolean {
    return this.inside < this.permits && (!this.rounds || this.inside === 0 || this.open)
  }

  /** How many are inside or wait. */
  get load(): number {
    return this.inside + this.queue.length
  }

  /** The ticket records the grant, so that its release is right wherever the fiber is interrupted. */
  pass<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> {
    return Effect.suspend(() => {
      const ticket: Ticket = { granted: false, wake: undefined }
      if (this.admits) this.grant(ticket)
      return Effect.ensuring(
        ticket.granted ? effect : Effect.flatMap(this.wait(ticket), () => effect),
        Effect.sync(() => this.leave(ticket))
      )
    })
  }

  private grant(ticket: Ticket): void {
    if (this.inside === 0 && this.rounds) {
      this.open = true
      queueMicrotask(() => {
        this.open = false
      })
    }
    this.inside++
    ticket.granted = true
  }

  private wait(ticket: Ticket): Effect.Effect<void, StorageUnavailable> {
    return Effect.callback((resume) => {
      this.queue.push(ticket)
      const timer = setTimeout(() => {
        if (ticket.granted) return
        this.forget(ticket)
        resume(Effect.fail(new StorageUnavailable({ outcome: "not-applied", cause: new Error("No free connection") })))
      }, this.waitMillis)
      ticket.wake = () => {
        clearTimeout(timer)
        resume(Effect.void)
      }
      return Effect.sync(() => clearTimeout(timer))
    })
  }

  private forget(ticket: Ticket): void {
    const at = this.queue.indexOf(ticket)
    if (at >= 0) this.queue.splice(at, 1)
  }

  private leave(ticket: Ticket): void {
    if (!ticket.granted) return this.forget(ticket)
    this.inside--
    while (this.queue.length > 0 && this.admits) {
      const next = this.queue.shift()!
      this.grant(next)
      next.wake?.()
    }
  }
}

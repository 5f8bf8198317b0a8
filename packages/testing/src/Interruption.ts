import { Effect } from "effect"

/** Lets a test write between a read and what follows it, as another request would. */
export class Interruption {
  #write: Effect.Effect<unknown> = Effect.void

  /** Runs once, after the next read. */
  next(write: Effect.Effect<unknown>): void {
    this.#write = write
  }

  readonly after = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tap(read, () => {
      const write = this.#write
      this.#write = Effect.void
      return write
    })
}

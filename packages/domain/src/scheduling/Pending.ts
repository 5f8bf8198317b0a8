import { Effect } from "effect"

type Next<A, E> = Effect.Effect<A | Pending<A, E>, E>

/** Calls `ended` once, with the continuation. The function that it returns cancels, and `ended` is then not called. */
type Begin<A, E> = (ended: (next: Next<A, E>) => void) => () => void

type Use = (next: Effect.Effect<unknown, unknown>) => Effect.Effect<unknown, unknown>

/**
 * An answer that is not available yet. Its holder decides how to wait: in a fiber (`settled`), or without one until
 * there is something to do. Cheap enough for thousands of waiting requests: it holds the wait and a list of functions.
 */
export class Pending<A, E> {
  readonly #begin: Begin<unknown, unknown>
  readonly #uses: ReadonlyArray<Use>

  constructor(begin: Begin<A, E>, uses: ReadonlyArray<Use> = []) {
    this.#begin = begin as Begin<unknown, unknown>
    this.#uses = uses
  }

  /** Begins to wait; `ended` is called at most once. The returned function cancels the wait. */
  begin(ended: (next: Next<A, E>) => void): () => void {
    return this.#begin((next) => {
      const used = this.#uses.reduce<Effect.Effect<unknown, unknown>>((from, use) => use(from), next)
      ended(used as Next<A, E>)
    })
  }

  /** The same wait, with its result passed through `use`. */
  through<B, F>(use: (next: Next<A, E>) => Next<B, F>): Pending<B, F> {
    return new Pending<B, F>(this.#begin as Begin<B, F>, [...this.#uses, use as Use])
  }
}

/** Waits in the fiber. */
export const settled = <A, E>(found: A | Pending<A, E>): Effect.Effect<A, E> =>
  found instanceof Pending ? Effect.flatMap(ended(found), settled) : Effect.succeed(found)

const ended = <A, E>(pending: Pending<A, E>): Next<A, E> =>
  Effect.callback((resume) => {
    const cancel = pending.begin(resume)
    return Effect.sync(cancel)
  })

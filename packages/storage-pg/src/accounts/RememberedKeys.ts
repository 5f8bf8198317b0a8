/** Keys of which something is remembered; of more, the ones that were seen first are forgotten. */
const maxKeys = 10_000

/** What a process remembers of the keys that it has admitted. */
export class RememberedKeys<A> {
  readonly #known = new Map<string, A>()

  get(key: string): A | undefined {
    return this.#known.get(key)
  }

  set(key: string, known: A): void {
    this.#known.set(key, known)
    if (this.#known.size > maxKeys) this.#known.delete(this.#known.keys().next().value!)
  }

  forget(key: string): void {
    this.#known.delete(key)
  }
}

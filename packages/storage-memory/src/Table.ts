/** Rows by key with copy-on-write forks, so that a transaction costs only what it changes. */
export class Table<A> {
  #rows: Map<string, A>
  #shared: boolean
  readonly #before = new Map<string, A | undefined>()
  readonly #adjusted = new Set<string>()

  constructor(rows: Map<string, A> = new Map(), shared = false) {
    this.#rows = rows
    this.#shared = shared
  }

  /** A copy-on-write fork, which records its own changes; the original must not be written afterwards. */
  fork(): Table<A> {
    return new Table(this.#rows, true)
  }

  get size(): number {
    return this.#rows.size
  }

  /** The rows that `set` and `delete` changed, as they were before the first of these calls; undefined for new rows. */
  get before(): ReadonlyMap<string, A | undefined> {
    return this.#before
  }

  /** The keys that `adjust` replaced. */
  get adjusted(): ReadonlySet<string> {
    return this.#adjusted
  }

  get(key: string): A | undefined {
    return this.#rows.get(key)
  }

  has(key: string): boolean {
    return this.#rows.has(key)
  }

  values(): MapIterator<A> {
    return this.#rows.values()
  }

  entries(): MapIterator<[string, A]> {
    return this.#rows.entries()
  }

  set(key: string, row: A): void {
    this.#note(key)
    this.#own().set(key, row)
  }

  /** Replaces a row without changing the entity: its position was shifted, or its list was touched. */
  adjust(key: string, row: A): void {
    this.#adjusted.add(key)
    this.#own().set(key, row)
  }

  /** Returns whether there was such a row. */
  delete(key: string): boolean {
    if (!this.#rows.has(key)) return false
    this.#note(key)
    return this.#own().delete(key)
  }

  #note(key: string): void {
    if (!this.#before.has(key)) this.#before.set(key, this.#rows.get(key))
  }

  #own(): Map<string, A> {
    if (this.#shared) {
      this.#rows = new Map(this.#rows)
      this.#shared = false
    }
    return this.#rows
  }
}

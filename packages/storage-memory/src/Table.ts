/** Rows by key with copy-on-write forks, so that a transaction costs only what it changes. */
export class Table<A> {
  #rows: Map<string, A>
  #shared: boolean

  constructor(rows: Map<string, A> = new Map(), shared = false) {
    this.#rows = rows
    this.#shared = shared
  }

  /** A copy-on-write fork; the original must not be written afterwards. */
  fork(): Table<A> {
    return new Table(this.#rows, true)
  }

  get size(): number {
    return this.#rows.size
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

  set(key: string, row: A): void {
    this.#own().set(key, row)
  }

  /** True when there was such a row. */
  delete(key: string): boolean {
    return this.#rows.has(key) && this.#own().delete(key)
  }

  #own(): Map<string, A> {
    if (this.#shared) {
      this.#rows = new Map(this.#rows)
      this.#shared = false
    }
    return this.#rows
  }
}

/**
 * The largest share of the free memory that all reservations of one owner may take; with no other owner, that is three
 * eighths of the whole.
 */
const maxShareOfFree = 3 / 5

/** A part of a budget of memory; nothing at first. */
export interface MemoryReservation {
  /** Names another owner of the reservation, memory that it has already included. */
  readonly chargeTo: (owner: string) => void
  /** Changes its size, in bytes. False, without a change, when it does not fit. */
  readonly resize: (bytes: number) => boolean
  /**
   * Calls `onReserved` once, when the reservation has grown to that size; returns a function that stops waiting.
   * Reservations of one owner are served in the order in which they asked.
   */
  readonly whenAvailable: (bytes: number, onReserved: () => void) => () => void
  /** Gives all of it back; it cannot grow again. */
  readonly end: () => void
}

/** Grows its reservation if that fits now; false when it goes on waiting. */
type Waiter = () => boolean

/**
 * Memory that the requests of a process share. An owner gets a further reservation only while all of its own take at
 * most `maxShareOfFree` of what would then remain free, so that no owner takes everything. A single reservation always
 * fits, however large.
 */
export class MemoryBudget {
  readonly #limit: number
  readonly #owned = new Map<string, number>()
  readonly #waiting = new Map<string, Set<Waiter>>()
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes of all reservations. */
  get taken(): number {
    return this.#taken
  }

  /** Whether an owner that has reservations would get a further one of that size. */
  fitsBeside(owner: string, bytes: number): boolean {
    const owned = this.#owned.get(owner)
    return owned === undefined || this.#fits(bytes, this.#taken, owned)
  }

  /** For an owner, until `chargeTo` names another one. */
  reserve(first: string): MemoryReservation {
    let owner = first
    let own = 0
    let ended = false
    const fits = (bytes: number): boolean =>
      bytes <= own || this.#fits(bytes, this.#taken - own, (this.#owned.get(owner) ?? 0) - own)
    const chargeTo = (next: string): void => {
      this.#count(owner, -own)
      owner = next
      this.#count(owner, own)
    }
    const resize = (bytes: number): boolean => {
      if (ended || !fits(bytes)) return false
      const isLess = bytes < own
      this.#count(owner, bytes - own)
      own = bytes
      if (isLess) this.#serveWaiters()
      return true
    }
    const whenAvailable: MemoryReservation["whenAvailable"] = (bytes, onReserved) =>
      this.#wait(owner, () => {
        const fitted = resize(bytes)
        if (fitted) onReserved()
        return fitted || ended
      })
    const end = (): void => {
      resize(0)
      ended = true
    }
    return { chargeTo, resize, whenAvailable, end }
  }

  #wait(owner: string, waiter: Waiter): () => void {
    const own = this.#waiting.get(owner) ?? new Set()
    this.#waiting.set(owner, own.add(waiter))
    return () => {
      if (own.delete(waiter)) this.#serveWaiters()
    }
  }

  /** Each owner in turn, as far as the reservation that has waited longest fits. */
  #serveWaiters(): void {
    for (const [owner, own] of this.#waiting) {
      for (const waiter of own) {
        if (!waiter()) break
        own.delete(waiter)
      }
      if (own.size === 0) this.#waiting.delete(owner)
    }
  }

  /** `taken` by all other reservations, `owned` by those of the owner. */
  #fits(bytes: number, taken: number, owned: number): boolean {
    const free = this.#limit - taken - bytes
    return taken === 0 || (free >= 0 && (owned === 0 || owned + bytes <= maxShareOfFree * free))
  }

  #count(owner: string, bytes: number): void {
    const owned = (this.#owned.get(owner) ?? 0) + bytes
    this.#taken += bytes
    if (owned === 0) this.#owned.delete(owner)
    else this.#owned.set(owner, owned)
  }
}

import type { Socket } from "node:net"

/** Milliseconds. Longer than the server's own statement timeout: a server that takes longer will not answer at all. */
const responseTimeout = 5_300
/**
 * The same while the server is silent. Behind a pooler, a new connection is opened at once although the server is
 * frozen, so a request that has waited for one statement would wait as long for the next.
 */
export const silentTimeout = 1_000

/** Milliseconds between two replacements of read-only connections, since new ones may be read-only as well. */
const betweenReplaced = 100

/** Statements that wait for the server, over all connections of the process, and how long it may take to answer. */
export class InFlight {
  /** Those that wait for their answer. */
  statements = 0
  readonly #sockets = new Set<Socket>()
  readonly #timeout: number
  #isSilent = false
  #replaced = Number.NEGATIVE_INFINITY

  constructor(timeout = responseTimeout) {
    this.#timeout = timeout
  }

  get connections(): number {
    return this.#sockets.size
  }

  /** Counts the socket until it is closed. It has a `timeout` event when nothing came or went for too long. */
  add(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once("close", () => this.#sockets.delete(socket))
    socket.setTimeout(this.#answerWithin)
  }

  /** The server answered a statement. */
  serverAnswered(): void {
    if (this.#isSilent) this.#change(false)
  }

  /** A statement was given up, since the server was silent for too long. */
  statementTimedOut(): void {
    if (!this.#isSilent) this.#change(true)
  }

  /** No statement follows, and a server that is silent is not waited for as long as a request would. */
  close(): void {
    this.statementTimedOut()
  }

  /** Whether a connection may be replaced by a new one now, by the monotonic clock; if so, counts the replacement. */
  claimReplacement(now: number): boolean {
    if (now - this.#replaced < betweenReplaced) return false
    this.#replaced = now
    return true
  }

  get #answerWithin(): number {
    return this.#isSilent ? Math.min(silentTimeout, this.#timeout) : this.#timeout
  }

  #change(isSilent: boolean): void {
    this.#isSilent = isSilent
    for (const socket of this.#sockets) socket.setTimeout(this.#answerWithin)
  }
}

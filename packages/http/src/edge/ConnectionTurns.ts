import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"

/** The most chunks, or network packets, in which a body may arrive: each costs the same, however small it is. */
export const maxChunks = 100_000

/** Chunks or requests of one connection after which others have their turn. */
const perTurn = 500

/**
 * The size of the buffers into which small chunks are gathered, since each chunk by itself takes some hundred bytes of
 * memory.
 */
const gatheredBytes = 16 * 1024
const smallBytes = 1024

/**
 * Takes turns between connections that send many chunks or requests: one of them is read per event-loop turn. Node would read
 * up to 2 MiB of each at once, which can be hundreds of thousands of chunks.
 */
export class ConnectionTurns {
  readonly #arrived = new WeakMap<Socket, number>()
  #paused: Array<() => void> = []

  /**
   * Counts and gathers the chunks of a body as they arrive. Drops those beyond `maxChunks`, and calls `tooMany` once.
   */
  ofBody(request: IncomingMessage, tooMany: () => void): void {
    const { headers, socket } = request
    if (headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) <= smallBytes) return
    const push = request.push.bind(request)
    let chunks = 0
    let gathered = Buffer.alloc(0)
    let filled = 0
    const flush = () => filled === 0 || push(gathered.subarray(0, filled))
    const gather = (chunk: Buffer): boolean => {
      const isTaken = filled + chunk.length <= gathered.length || flush()
      if (filled + chunk.length > gathered.length) {
        gathered = Buffer.allocUnsafeSlow(gatheredBytes)
        filled = 0
      }
      filled += chunk.copy(gathered, filled)
      return isTaken
    }
    // Not while the buffer is full: that is read first.
    const resume = () => request.readableLength < request.readableHighWaterMark && socket.resume()
    request.push = (chunk: Buffer | null) => {
      if (chunk === null) {
        flush()
        return push(null)
      }
      this.#count(socket, resume)
      if (++chunks === maxChunks + 1) tooMany()
      if (chunks > maxChunks) return true
      if (chunk.length < smallBytes) return gather(chunk)
      flush()
      filled = 0
      gathered = Buffer.alloc(0)
      return push(chunk)
    }
  }

  ofRequests({ socket }: IncomingMessage): void {
    this.#count(socket, () => socket.resume())
  }

  #count(socket: Socket, resume: () => void): void {
    const arrived = (this.#arrived.get(socket) ?? 0) + 1
    this.#arrived.set(socket, arrived)
    if (arrived !== perTurn) return
    socket.on("resume", pauseAgain).pause()
    const next = () => {
      this.#arrived.delete(socket)
      socket.off("resume", pauseAgain)
      resume()
    }
    if (this.#paused.push(next) === 1) setImmediate(() => this.#next())
  }

  #next(): void {
    this.#paused.shift()!()
    if (this.#paused.length > 0) setImmediate(() => this.#next())
  }
}

/** Pauses again, since whatever reads a body resumes its connection. */
function pauseAgain(this: Socket): void {
  this.pause()
}

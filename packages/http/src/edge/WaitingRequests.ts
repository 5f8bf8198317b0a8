import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { handleOf } from "./SocketHandle.ts"

/** Pipelined requests on one connection; a connection with more is closed. */
const maxWaiting = 1_000

/** Memory of the pipelined requests on all connections; beyond it, a connection where two or more wait is closed. */
const maxWaitingBytes = 32 * 1024 * 1024

/** Node's objects for a request and its response. */
const objectBytes = 2_048

/** Bounds the memory of pipelined requests, which anonymous clients can send faster than they read the answers. */
export class WaitingRequests {
  #bytes = 0
  #isResting = false

  /** Counts one that waits, as the last of `count` on its connection; false if the connection has to be closed. */
  add(request: IncomingMessage, count: number): boolean {
    this.#bytes += heldBytes(request)
    return count <= (this.#bytes > maxWaitingBytes ? 1 : maxWaiting)
  }

  remove(request: IncomingMessage): void {
    this.#bytes -= heldBytes(request)
  }

  /**
   * Reads nothing from these connections until a connection that is being closed has released its requests. Node would
   * read from all of them in the same turn, and make of 64 KB two thousand requests.
   */
  rest(sockets: () => Iterable<Socket>): void {
    if (this.#isResting) return
    this.#isResting = true
    for (const socket of sockets()) handleOf(socket)?.readStop()
    const goOn = () => {
      this.#isResting = false
      for (const socket of sockets()) {
        const handle = handleOf(socket)
        if (handle?.reading === true) handle.readStart()
      }
    }
    // Connections are closed after the immediates of a turn.
    setImmediate(() => setImmediate(goOn))
  }
}

/** The memory that a request takes with its response and its headers. */
const heldBytes = ({ rawHeaders, url = "" }: IncomingMessage): number =>
  rawHeaders.reduce((bytes, text) => bytes + text.length + 16, objectBytes + url.length)

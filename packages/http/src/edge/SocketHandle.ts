import type { Socket } from "node:net"

/** A socket's own handle, below its stream: private to Node, which offers none of this elsewhere. */
export interface SocketHandle {
  /** Including bytes still buffered. */
  readonly bytesWritten: number
  readonly writeQueueSize: number
  /** Whether the stream wants to read. */
  readonly reading: boolean
  readonly readStart: () => void
  readonly readStop: () => void
}

/** Absent once the socket is closed. */
export const handleOf = (socket: Socket): SocketHandle | null | undefined =>
  (socket as Socket & { readonly _handle?: SocketHandle | null })._handle

import type { Socket } from "node:net"

/** How long a client may take over an answer (docs/decisions.md#caps), in milliseconds. */
export interface AnswerTimeouts {
  /** Nothing is read for so long. */
  readonly silentMillis: number
  /** Not all of it is read after so long. */
  readonly wholeMillis: number
  /** How often is looked. */
  readonly lookMillis: number
}

export const defaultAnswerTimeouts: AnswerTimeouts = { silentMillis: 30_000, wholeMillis: 300_000, lookMillis: 1_000 }

/** What a connection has sent, and what it has still to send, in bytes. */
export interface Progress {
  readonly sent: number
  readonly waiting: number
}

/** An answer on its way, as it was at the last look. Times are of any clock that only rises. */
export interface Delivery {
  readonly began: number
  /** When something was read last, or when there was nothing to read. */
  readonly moved: number
  readonly sent: number
  readonly seen: number
}

export const lookAgain = (before: Delivery | undefined, { sent, waiting }: Progress, now: number): Delivery => {
  const stands = before !== undefined && before.sent === sent && waiting > 0
  return { began: before?.began ?? now, moved: stands ? before.moved : now, sent, seen: now }
}

export const isGivenUp = ({ began, moved, seen }: Delivery, { silentMillis, wholeMillis }: AnswerTimeouts): boolean =>
  seen - moved >= silentMillis || seen - began >= wholeMillis

interface Handle {
  /** With what still waits. */
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

/**
 * Of what Node has handed over, its handle tells how much the system still has to take, as Node's own timeout asks it.
 * The stream above counts a chunk only when all of it is gone.
 */
export const progressOf = (socket: Socket): Progress => {
  const handle = (socket as Socket & { readonly _handle?: Handle | null })._handle
  return handle === undefined || handle === null
    ? { sent: socket.bytesWritten - socket.writableLength, waiting: socket.writableLength }
    : { sent: handle.bytesWritten - handle.writeQueueSize, waiting: handle.writeQueueSize }
}

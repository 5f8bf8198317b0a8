import type { Socket } from "node:net"
import { handleOf } from "./SocketHandle.ts"

/** Timeouts for sending an answer (docs/decisions.md#caps), in milliseconds. */
export interface AnswerTimeouts {
  /** Longest time in which the client reads nothing. */
  readonly silentMillis: number
  /** Longest time in which the client leaves something unread. */
  readonly wholeMillis: number
  /** Interval between checks. */
  readonly checkMillis: number
}

export const defaultAnswerTimeouts: AnswerTimeouts = { silentMillis: 30_000, wholeMillis: 300_000, checkMillis: 1_000 }

/** Bytes that a connection has sent and has yet to send. */
export interface SocketBytes {
  readonly sent: number
  readonly waiting: number
}

/** The progress of an answer as of the last check. Times are milliseconds of any monotonic clock. */
export interface AnswerProgress {
  /** Since when the client has had something left to read. A client that listens to a stream keeps catching up. */
  readonly began: number
  /** When the client last read something, or had nothing left to read. */
  readonly moved: number
  readonly sent: number
  readonly seen: number
}

export const progressed = (
  before: AnswerProgress | undefined,
  { sent, waiting }: SocketBytes,
  now: number
): AnswerProgress => {
  const stands = before !== undefined && before.sent === sent && waiting > 0
  return {
    began: before === undefined || waiting === 0 ? now : before.began,
    moved: stands ? before.moved : now,
    sent,
    seen: now
  }
}

/** Whether nothing was sent since the last check although the client has read everything. */
export const hasStopped = (before: AnswerProgress | undefined, { sent, waiting }: SocketBytes): boolean =>
  before !== undefined && before.sent === sent && waiting === 0

/** Whether the connection is closed because the client has read nothing, or not everything, for too long. */
export const isGivenUp = (
  { began, moved, seen }: AnswerProgress,
  { silentMillis, wholeMillis }: AnswerTimeouts
): boolean => seen - moved >= silentMillis || seen - began >= wholeMillis

/**
 * Node's handle reports how many bytes the system has yet to accept; Node's own timeout uses the same number. The
 * stream above it counts a chunk only once all of it is written.
 */
export const bytesOf = (socket: Socket): SocketBytes => {
  const handle = handleOf(socket)
  return handle === undefined || handle === null
    ? { sent: socket.bytesWritten - socket.writableLength, waiting: socket.writableLength }
    : { sent: handle.bytesWritten - handle.writeQueueSize, waiting: handle.writeQueueSize }
}

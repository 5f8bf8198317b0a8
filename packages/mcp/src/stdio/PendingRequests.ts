import type { JSONRPCMessage } from "@modelcontextprotocol/server"

/** Milliseconds to wait for pending requests after the end of input. */
const answerTimeout = 20_000

/** Requests of one connection in progress at a time; further ones are not read yet. */
export const maxInProgress = 500

type RequestId = string | number

/** Requests of one connection whose answers are not written yet. */
export class PendingRequests {
  readonly #ids = new Set<RequestId>()
  /** Those without an answer; excludes those whose answer is being written. */
  readonly #inProgress = new Set<RequestId>()
  #whenNone: (() => void) | undefined
  #whenBelowLimit: (() => void) | undefined

  received(message: JSONRPCMessage): void {
    if (!("method" in message)) return
    // A subscription is answered only when it ends.
    if ("id" in message && message.method !== "subscriptions/listen") {
      this.#ids.add(message.id)
      this.#inProgress.add(message.id)
    }
    const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined
    if (typeof cancelled === "string" || typeof cancelled === "number") this.#settle(cancelled)
  }

  answered(message: JSONRPCMessage): void {
    const id = answeredBy(message)
    if (id !== undefined) this.#finish(id)
  }

  sent(message: JSONRPCMessage): void {
    const id = answeredBy(message)
    if (id !== undefined) this.#settle(id)
  }

  /** Resolves when another request may begin. */
  async belowLimit(): Promise<void> {
    while (this.#inProgress.size >= maxInProgress)
      await new Promise<void>((resolve) => (this.#whenBelowLimit = resolve))
  }

  /** Resolves when all answers are written, or after `answerTimeout`. */
  async none(): Promise<void> {
    if (this.#ids.size === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, answerTimeout)
      this.#whenNone = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #finish(id: RequestId): void {
    this.#inProgress.delete(id)
    this.#whenBelowLimit?.()
  }

  #settle(id: RequestId): void {
    this.#finish(id)
    this.#ids.delete(id)
    if (this.#ids.size === 0) this.#whenNone?.()
  }
}

const answeredBy = (message: JSONRPCMessage): RequestId | undefined => ("method" in message ? undefined : message.id)

import type { JSONRPCMessage } from "@modelcontextprotocol/server"

/** Milliseconds to wait for pending requests after the end of input. */
const answerTimeout = 20_000

/** Unanswered requests of one connection. */
export class PendingRequests {
  readonly #ids = new Set<string | number>()
  #whenNone: (() => void) | undefined

  received(message: JSONRPCMessage): void {
    if (!("method" in message)) return
    // A subscription is answered only when it ends.
    if ("id" in message && message.method !== "subscriptions/listen") this.#ids.add(message.id)
    const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined
    if (typeof cancelled === "string" || typeof cancelled === "number") this.#settle(cancelled)
  }

  sent(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined) this.#settle(message.id)
  }

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

  #settle(id: string | number): void {
    this.#ids.delete(id)
    if (this.#ids.size === 0) this.#whenNone?.()
  }
}

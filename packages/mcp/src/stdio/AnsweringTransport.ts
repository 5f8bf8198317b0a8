import { Readable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { PendingRequests } from "./PendingRequests.ts"

/**
 * A stdio transport that closes only when every request read is answered. The SDK's own drops requests in flight when
 * the client closes its end, so that `printf '…' | lat-mcp` would get no answer. It also leaves what is JSON but no
 * message, a batch for instance, without an answer for which its client waits.
 */
export class AnsweringTransport extends StdioServerTransport {
  readonly #pending: PendingRequests
  readonly #closed: () => void
  readonly #listens: () => Promise<void>

  /** `listens` is awaited before the first subscription is answered; later messages wait for their turn. */
  constructor(input: AsyncIterable<Buffer>, closed: () => void, listens: () => Promise<void>) {
    const pending = new PendingRequests()
    super(Readable.from(withPatience(input, pending)))
    this.#pending = pending
    this.#closed = closed
    this.#listens = listens
  }

  override start(): Promise<void> {
    const [deliver, report] = [this.onmessage, this.onerror]
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK is no EventTarget
    this.onerror = (error) => {
      report?.(error)
      if (error.name.endsWith("ZodError")) void super.send(noMessage)
    }
    let turn = Promise.resolve()
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK is no EventTarget
    this.onmessage = (message) => {
      this.#pending.received(message)
      if ("method" in message && message.method === "subscriptions/listen") turn = turn.then(this.#listens)
      turn = turn.then(() => deliver?.(message))
    }
    return super.start()
  }

  override send(message: JSONRPCMessage): Promise<void> {
    return super.send(message).finally(() => this.#pending.sent(message))
  }

  override async close(): Promise<void> {
    await super.close()
    this.#closed()
  }
}

/** Of a line that is no message no id is known, which the type of the SDK does not have. */
const noMessage = {
  jsonrpc: "2.0",
  id: null,
  error: { code: -32_600, message: "A line must be one JSON-RPC message, and not a batch." }
} as unknown as JSONRPCMessage

async function* withPatience(input: AsyncIterable<Buffer>, pending: PendingRequests): AsyncGenerator<Buffer> {
  let last: number | undefined
  for await (const chunk of input) {
    last = chunk.at(-1)
    yield chunk
  }
  // The last line may lack its newline, for instance from `printf`.
  if (last !== undefined && last !== 0x0a) yield Buffer.from("\n")
  // The last input is read one tick later.
  await setImmediate()
  await pending.none()
}

import { once } from "node:events"
import { Readable, type Writable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { maxBodyBytes } from "@lists-and-things/web/RequestBody"
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { type LineRefusal, messageLines } from "./MessageLines.ts"
import { PendingRequests } from "./PendingRequests.ts"

/** Bytes of unread answers above which no further request is read. */
export const maxUnread = 64 * 2 ** 20

/**
 * A stdio transport that closes only when every request that it read is answered. The SDK's transport drops requests in
 * flight when the client closes its end, so that `printf '…' | lat-mcp` would get no answer. It also leaves an invalid
 * line without an answer, for which its client waits, ends at a line that is too long, and buffers any number of
 * answers for a client that reads none of them.
 */
export class AnsweringTransport extends StdioServerTransport {
  readonly #pending: PendingRequests
  readonly #closed: () => void
  readonly #listens: () => Promise<void>

  /** `listens` is awaited before the first subscription is answered; later messages wait behind it. */
  constructor(
    input: AsyncIterable<Buffer>,
    closed: () => void,
    listens: () => Promise<void>,
    output: Writable = process.stdout
  ) {
    const pending = new PendingRequests()
    super(
      Readable.from(
        withBackpressure(
          messageLines(input, (refusal) => this.#refuse(refusal)),
          pending,
          output
        )
      ),
      output,
      {
        maxBufferSize: maxBodyBytes + 1
      }
    )
    // The SDK adds two listeners for each answer that waits to be read.
    output.setMaxListeners(0)
    this.#pending = pending
    this.#closed = closed
    this.#listens = listens
  }

  override start(): Promise<void> {
    const deliver = this.onmessage
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
    this.#pending.answered(message)
    return super.send(message).finally(() => this.#pending.sent(message))
  }

  override async close(): Promise<void> {
    await super.close()
    this.#closed()
  }

  /** The SDK's type does not allow the null that JSON-RPC requires for an unknown id. */
  #refuse({ code, id, message }: LineRefusal): void {
    this.onerror?.(new Error(message))
    super.send({ jsonrpc: "2.0", id, error: { code, message } } as JSONRPCMessage).catch(() => {})
  }
}

/** Passes lines on within the limits on requests in progress and unread answers; at the end, awaits all answers. */
async function* withBackpressure(
  input: AsyncIterable<Buffer>,
  pending: PendingRequests,
  output: Writable
): AsyncGenerator<Buffer> {
  for await (const line of input) {
    yield line
    await pending.belowLimit()
    // A failure of the output ends the connection as well.
    if (output.writableLength > maxUnread) await once(output, "drain").catch(() => {})
  }
  // The transport reads the last line one tick later.
  await setImmediate()
  await pending.none()
}

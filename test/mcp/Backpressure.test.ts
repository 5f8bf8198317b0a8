import { PassThrough } from "node:stream"
import { AnsweringTransport, maxUnread } from "@lists-and-things/mcp/stdio/AnsweringTransport"
import { maxInProgress } from "@lists-and-things/mcp/stdio/PendingRequests"
import { isJSONRPCRequest, type JSONRPCRequest } from "@modelcontextprotocol/client"
import { describe, expect, it } from "@effect/vitest"

const mebibyte = 2 ** 20

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A client that sends `sent` requests as fast as they are taken, and what became of them. */
const flooded = async (sent: number, answer: (transport: AnsweringTransport, request: JSONRPCRequest) => void) => {
  const output = new PassThrough()
  let taken = 0
  async function* requests(): AsyncGenerator<Buffer> {
    while (taken < sent) yield Buffer.from(`{"jsonrpc":"2.0","id":${taken++},"method":"ping"}\n`)
  }
  const arrived: Array<JSONRPCRequest> = []
  const transport = new AnsweringTransport(
    requests(),
    () => {},
    () => Promise.resolve(),
    output
  )
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK is no EventTarget
  transport.onmessage = (message) => {
    if (!isJSONRPCRequest(message)) return
    arrived.push(message)
    answer(transport, message)
  }
  await transport.start()
  return { arrived, output, taken: () => taken, transport }
}

/** Waits until no further request has been read for many event-loop turns; returns the number read. */
const quiet = async (taken: () => number): Promise<number> => {
  let [before, turns] = [-1, 0]
  while (turns < 1000) {
    turns = taken() === before ? turns + 1 : 0
    before = taken()
    await turn()
  }
  return before
}

const linesRead = (stream: PassThrough, wanted: number): Promise<number> =>
  new Promise((resolve) => {
    let lines = 0
    stream.on("data", (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 0x0a) lines++
      if (lines === wanted) resolve(lines)
    })
  })

describe("a client that sends without pause", () => {
  it("and reads nothing is paused at 64 MiB of answers, and gets all of them once it reads", async () => {
    const filling = "x".repeat(mebibyte)
    const sent = 300
    const { output, taken, transport } = await flooded(sent, (transport, { id }) => {
      void transport.send({ jsonrpc: "2.0", id, result: { filling } })
    })
    // The transport reads a small number of requests ahead.
    const ahead = 32
    const max = maxUnread / mebibyte + ahead
    expect(await quiet(taken)).toBeLessThanOrEqual(max)
    expect(output.writableLength + output.readableLength).toBeLessThanOrEqual(max * (mebibyte + 100))
    expect(await linesRead(output, sent)).toBe(sent)
    await transport.close()
  })

  it("has a limited number of requests in progress, and the others after them", async () => {
    const sent = 2000
    const { arrived, output, taken, transport } = await flooded(sent, () => {})
    const ahead = 32
    expect(await quiet(taken)).toBeLessThanOrEqual(maxInProgress + ahead)
    expect(arrived.length).toBeGreaterThanOrEqual(maxInProgress)
    const all = linesRead(output, sent)
    for (let answered = 0; answered < sent;) {
      for (const { id } of arrived.slice(answered)) {
        answered++
        void transport.send({ jsonrpc: "2.0", id, result: {} })
      }
      await turn()
    }
    expect(await all).toBe(sent)
    await transport.close()
  })
})

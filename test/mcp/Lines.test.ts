import { type LineRefusal, messageLines } from "@lists-and-things/mcp/stdio/MessageLines"
import { maxInProgress, PendingRequests } from "@lists-and-things/mcp/stdio/PendingRequests"
import { maxBodyBytes } from "@lists-and-things/web/RequestBody"
import { Readable } from "node:stream"
import { describe, expect, it } from "@effect/vitest"

type Message = Parameters<PendingRequests["received"]>[0]

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" }) as const

describe("the lines of a client", () => {
  const read = async (...chunks: ReadonlyArray<string | Buffer>) => {
    const refused: Array<LineRefusal> = []
    const taken: Array<string> = []
    const input = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
    for await (const line of messageLines(input, (refusal) => refused.push(refusal))) taken.push(line.toString())
    return { taken, refused }
  }
  const line = (id: number) => JSON.stringify(ping(id))

  it("are messages however they are chunked, the last one even without a newline", async () => {
    const whole = `${line(1)}\n${line(2)}\n${line(3)}`
    const taken = [`${line(1)}\n`, `${line(2)}\n`, `${line(3)}\n`]
    expect(await read(whole)).toEqual({ taken, refused: [] })
    expect(await read(...whole)).toEqual({ taken, refused: [] })
    expect(await read(`${line(1)}\r\n \n\n${line(2)}\n`, `${line(3)}\n`)).toEqual({
      taken: [`${line(1)}\r\n`, ...taken.slice(1)],
      refused: []
    })
    expect(await read()).toEqual({ taken: [], refused: [] })
  })

  it("may have any text, which the called tool refuses by the name of its argument", async () => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800"}}`
    expect(await read(text)).toEqual({ taken: [`${text}\n`], refused: [] })
  })

  it("have no params if those are null", async () => {
    const { taken } = await read(`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`)
    expect(taken.map((text) => JSON.parse(text))).toEqual([ping(1)])
  })

  it("that are invalid messages are refused with their ids, and the next one is read", async () => {
    const refusedOf = async (text: string | Buffer) => {
      const { refused, taken } = await read(text, `\n${line(9)}`)
      expect(taken).toEqual([`${line(9)}\n`])
      expect(refused).toHaveLength(1)
      return refused[0]
    }
    const noMessage = { code: -32_600, message: "A line must be one JSON-RPC message, and not a batch." }
    expect(await refusedOf(`{"jsonrpc":"2.0","id":7}`)).toEqual({ ...noMessage, id: 7 })
    expect(await refusedOf(`{"id":"seven"}`)).toEqual({ ...noMessage, id: "seven" })
    for (const text of [`{"id":1.5}`, `{"id":null}`, `{"id":{}}`, `[${line(1)}]`, "5", "null", `"id"`])
      expect(await refusedOf(text)).toEqual({ ...noMessage, id: null })
    expect(await refusedOf("{")).toMatchObject({ code: -32_700, id: null })
    expect(await refusedOf(Buffer.from([0xff]))).toMatchObject({ code: -32_700, id: null })
  })

  it("may be as long as a body over HTTP, and no longer", async () => {
    const padded = (bytes: number) => line(1).padEnd(bytes)
    expect((await read(padded(maxBodyBytes), "\n", line(2))).taken).toHaveLength(2)
    const refused = [{ code: -32_600, message: `A line must be at most ${maxBodyBytes} bytes long.`, id: null }]
    expect(await read(padded(maxBodyBytes), " ", " \n", line(2))).toEqual({ taken: [`${line(2)}\n`], refused })
    expect(await read(line(2), "\n", padded(maxBodyBytes + 1))).toEqual({ taken: [`${line(2)}\n`], refused })
  })
})

describe("the requests of a client", () => {
  const answer = (id: number | string): Message => ({ jsonrpc: "2.0", id, result: {} })
  const cancel = (requestId: unknown) =>
    ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }) as Message
  /** What has happened once all that can happen by now has. */
  const stateOf = async (promise: Promise<void>) => {
    let state = "waits"
    void promise.then(() => (state = "over"))
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    return state
  }

  it("are pending until their answers are written", async () => {
    const pending = new PendingRequests()
    expect(await stateOf(pending.none())).toBe("over")
    pending.received(ping(1))
    pending.received({ ...ping(2), id: "2" })
    const none = pending.none()
    pending.answered(answer(1))
    pending.sent(answer(1))
    pending.answered(answer("2"))
    expect(await stateOf(none)).toBe("waits")
    pending.sent(answer("2"))
    expect(await stateOf(none)).toBe("over")
  })

  it("that are cancelled are no longer pending", async () => {
    const pending = new PendingRequests()
    pending.received(ping(1))
    pending.received({ ...ping(2), id: "b" })
    const none = pending.none()
    pending.received(cancel(2))
    pending.received(cancel(1))
    expect(await stateOf(none)).toBe("waits")
    pending.received({ ...cancel("b"), method: "notifications/progress" } as Message)
    expect(await stateOf(none)).toBe("waits")
    pending.received(cancel("b"))
    expect(await stateOf(none)).toBe("over")
  })

  it("do not include notifications, answers of the client, and subscriptions", async () => {
    const pending = new PendingRequests()
    pending.received({ jsonrpc: "2.0", method: "notifications/initialized" })
    pending.received(answer(3))
    pending.received({ ...ping(4), method: "subscriptions/listen" } as Message)
    expect(await stateOf(pending.none())).toBe("over")
  })

  it("are limited in number: one that is answered or cancelled makes room", async () => {
    const pending = new PendingRequests()
    for (let id = 1; id < maxInProgress; id++) pending.received(ping(id))
    expect(await stateOf(pending.belowLimit())).toBe("over")
    pending.received(ping(maxInProgress))
    const below = pending.belowLimit()
    pending.sent({ jsonrpc: "2.0", method: "notifications/message" })
    expect(await stateOf(below)).toBe("waits")
    pending.answered(answer(1))
    expect(await stateOf(below)).toBe("over")
    pending.received(ping(maxInProgress + 1))
    const next = pending.belowLimit()
    expect(await stateOf(next)).toBe("waits")
    pending.received(cancel(2))
    expect(await stateOf(next)).toBe("over")
  })
})

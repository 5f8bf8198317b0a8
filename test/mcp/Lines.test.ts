import { type LineRefusal, messageLines } from "@lists-and-things/mcp/stdio/MessageLines"
import { LineEnds } from "@lists-and-things/mcp/stdio/LongLine"
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
    const id = "id must be a string or an integer, not"
    const invalid = [
      [`{"jsonrpc":"2.0","id":7}`, 7, ": method is required, and must be a string."],
      [`{"jsonrpc":"2.0","id":7,"method":5}`, 7, ": method must be a string, not 5."],
      [`{"id":"seven"}`, "seven", `: jsonrpc is required, and must be "2.0".`],
      [`{"id":1,"jsonrpc":"1.0"}`, 1, `: jsonrpc must be "2.0", not "1.0".`],
      [`{"jsonrpc":"2.0","method":"ping","id":1.5}`, null, `: ${id} 1.5.`],
      [`{"jsonrpc":"2.0","method":"ping","id":null}`, null, `: ${id} null.`],
      [`{"jsonrpc":"2.0","method":"ping","id":{}}`, null, `: ${id} an object.`],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, 1, ": params must be an object, not an array of 1."],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}`, 1, ": params._meta must be an object, not 5."],
      [
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":1.5}}}`,
        1,
        ": params._meta.progressToken must be a string or an integer, not 1.5."
      ],
      ["5", null, ", not 5."],
      ["null", null, ", not null."],
      [`"id"`, null, `, not "id".`]
    ] as const
    const example = `For example {"jsonrpc":"2.0","id":1,"method":"tools/list"}.`
    for (const [text, id, problem] of invalid) {
      const message = `A line must be one JSON-RPC message${problem} ${example}`
      expect(await refusedOf(text)).toEqual({ code: -32_600, message, id })
    }
    const batch = { code: -32_600, message: "A line must be one JSON-RPC message, and not a batch.", id: null }
    expect(await refusedOf(`[${line(1)}]`)).toEqual(batch)
    const other = { code: -32_600, message: "A line must be one JSON-RPC message.", id: 1 }
    expect(await refusedOf(`{"jsonrpc":"2.0","id":1,"error":{}}`)).toEqual(other)
    expect(await refusedOf("{")).toMatchObject({ code: -32_700, id: null })
    expect(await refusedOf(Buffer.from([0xff]))).toMatchObject({ code: -32_700, id: null })
  })

  it("may be as long as a body over HTTP, and no longer", async () => {
    const padded = (bytes: number) => line(1).padEnd(bytes)
    expect((await read(padded(maxBodyBytes), "\n", line(2))).taken).toHaveLength(2)
    const refused = [{ code: -32_600, message: `A line must be at most ${maxBodyBytes} bytes long.`, id: 1 }]
    expect(await read(padded(maxBodyBytes), " ", " \n", line(2))).toEqual({ taken: [`${line(2)}\n`], refused })
    expect(await read(line(2), "\n", padded(maxBodyBytes + 1))).toEqual({ taken: [`${line(2)}\n`], refused })
  })

  it("are refused with their ids where they are too long to be parsed", () => {
    const idOf = (text: string, pieces: number) => {
      const ends = new LineEnds()
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; at += pieces) ends.add(bytes.subarray(at, at + pieces))
      return ends.requestId()
    }
    const params = `"params":${JSON.stringify({ text: `","id":3}`.repeat(1_000), id: 4 })}`
    const [version, method] = [`"jsonrpc":"2.0"`, `"method":"tools/call"`]
    const lines = [
      [`{${version},"id":5,${method},${params}}`, 5],
      [`{"id": "a\\"b", ${version}, ${method}, ${params}}`, 'a"b'],
      [`{${method},"id":-5,${params},${version}}`, -5],
      [`{${method},${params},${version},"id":5}\r`, 5],
      [`{${version},${method},${params},"id":"5"}`, "5"],
      [`{ ${method}, ${params}, "id": 0, ${version} }`, 0],
      [`{${version},${method},${params}}`, null],
      [`{${version},"id":5,"result":{${params}}}`, null],
      [`{"result":{${params}},${version},"id":5}`, null],
      [`{${method},${params},"id":1.5}`, null],
      [`{${method},${params},"id":5`, null],
      [`[{${method},${params},"id":5}]`, null],
      ["x".repeat(5_000), null]
    ] as const
    for (const [text, id] of lines)
      for (const pieces of [1, 100, 10_000, text.length]) expect([text, idOf(text, pieces)]).toEqual([text, id])
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

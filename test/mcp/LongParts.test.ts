import { runStepsSync } from "@lists-and-things/domain/scheduling/Yielding"
import { LongParts } from "@lists-and-things/mcp/http/LongParts"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Json } from "./Clients.ts"
import { type McpServer, startServer } from "./McpServer.ts"

const joined = (chunks: ReadonlyArray<Uint8Array>): string => Buffer.concat(chunks).toString()

describe("long parts of an answer", () => {
  it("are put in place of their placeholders as JSON, beside short ones", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(`a${'🦊\u0001"é'.repeat(40_000)}`, '":0}'.repeat(20_000), "\ud800".repeat(70_000))
    )
    fc.assert(
      fc.property(fc.array(fc.record({ text, isObject: fc.boolean() }), { maxLength: 5 }), (parts) => {
        const long = new LongParts()
        const given = parts.map((part) => (part.isObject ? long.object(JSON.stringify(part)) : long.text(part.text)))
        const answer = JSON.stringify({ id: 1, result: given })
        const whole = JSON.stringify({ id: 1, result: parts.map((part) => (part.isObject ? part : part.text)) })
        expect(joined(runStepsSync(long.whole(answer)))).toBe(whole)
        expect(long.isEmpty).toBe(parts.every(({ text }) => text.length < 10_000))
      }),
      { numRuns: 30, seed: 11 }
    )
  })

  it("are encoded piece by piece, none of them long", () => {
    const long = new LongParts()
    const text = '"é'.repeat(1_000_000)
    const work = long.whole(JSON.stringify([long.text(text), long.object(JSON.stringify({ text }))]))
    let [taken, step] = [0, work.next()]
    for (; step.done !== true; step = work.next()) taken++
    expect(taken).toBeGreaterThan(60)
    for (const chunk of step.value) expect(chunk.length).toBeLessThan(400_000)
  })
})

describe("long answers over HTTP", () => {
  let server: McpServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  const post = async (token: string, body: unknown): Promise<{ readonly bytes: string; readonly answer: Json }> => {
    const response = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify(body)
    })
    const text = await response.text()
    expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)))
    return { bytes: text, answer: JSON.parse(text) }
  }

  const read = (uri: string, id = 1) => ({ jsonrpc: "2.0", id, method: "resources/read", params: { uri } })
  const call = (name: string, args: object, id = 1) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args }
  })

  it("are complete: a list as a document, a prompt with a day, and the result of a tool", async () => {
    const person = await server.person()
    // Less than the prompt is cut at.
    const note = `line "é"\n`.repeat(1_000)
    const photos = Array.from({ length: 10 }, (_, at) => `https://example.com/${"p".repeat(8_000)}${at}`)
    const things = [
      { text: "First", note },
      { text: "Last", photos }
    ]
    await post(person.token, call("create_things", { list: "today", items: things }))
    const { list } = await server.rest(person, "/today")
    const { answer: document } = await post(person.token, read(`list://${list.id}`))
    const { text } = document.result.contents[0]
    expect(text.split(`line "é"`)).toHaveLength(1_001)
    expect(text).toMatch(/First[^]*Last/)
    const prompt = { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: "plan_my_day" } }
    const { answer: plan } = await post(person.token, prompt)
    expect(plan.result.messages[0].content.text).toContain(text.trim())
    const { answer: found } = await post(person.token, call("list_things", { detail: "full" }))
    expect(found.result.structuredContent).toStrictEqual(JSON.parse(found.result.content[0].text))
    expect(found.result.structuredContent.things[0].photos).toStrictEqual(photos)
  })

  it("of a batch end once they are long, and further messages are refused, to be sent by themselves", async () => {
    const person = await server.person()
    const note = "x".repeat(999_999)
    const things = Array.from({ length: 9 }, () => ({ text: "a", note }))
    await post(person.token, call("create_list", { title: "Long", things }))
    const [list] = (await server.rest(person, "/lists")).lists
    const batch = Array.from({ length: 12 }, (_, at) => read(`list://${list.id}`, at))
    const { answer, bytes } = await post(person.token, batch)
    expect(answer.map(({ id }: Json) => id)).toStrictEqual(batch.map(({ id }) => id))
    const refused = answer.filter(({ error }: Json) => error !== undefined)
    expect(answer.length - refused.length).toBeGreaterThan(1)
    expect(bytes.length).toBeLessThan(60_000_000)
    for (const { error } of refused) expect(error.message).toMatch(/so this one was not served. Send it by itself\.$/)
    expect(refused.length).toBeGreaterThan(5)
  })
})

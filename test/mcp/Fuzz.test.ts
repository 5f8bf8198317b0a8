import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { stdioSession } from "@lists-and-things/mcp/stdio/Stdio"
import { callTool } from "@lists-and-things/mcp/ToolCalls"
import { allTools } from "@lists-and-things/mcp/Toolbox"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, ManagedRuntime } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, beforeEach, expect, it } from "@effect/vitest"
import type { Json } from "./Clients.ts"
import { inMemory } from "./InMemory.ts"

const runtime = ManagedRuntime.make(inMemory)
const session = stdioSession({ apiKey: undefined, account: undefined, ownsData: true })
let listId = ""
let thingIds: ReadonlyArray<string> = []

const call = (name: string, args: unknown) =>
  runtime.runPromise(Effect.flatMap(session, (session) => callTool(allTools, session, name, args)))

beforeAll(async () => {
  await runtime.runPromise(Effect.flatMap(Accounts, (accounts) => accounts.create({ email: "fuzz@example.com" })))
})
beforeEach(async () => {
  const made: Json = await call("create_list", { title: "Fuzz", things: [{ text: "a" }, { text: "b" }] })
  listId = made.structuredContent.list.id
  const shown: Json = await call("get_list", { list_id: listId })
  thingIds = shown.structuredContent.things.map((thing: Json) => thing.id)
})
afterAll(() => runtime.dispose())

const nasty = fc.constantFrom<unknown>(
  null,
  "",
  " ",
  "\u0000",
  "\ud800",
  "today",
  "Fuzz",
  "2026-02-30",
  "2027-01-31T09:00:00",
  "9999-12-31T23:59:59Z",
  "0001-01-01",
  "infinity",
  "[]",
  '["x"]',
  '{"completed":true}',
  "%_\\",
  -1,
  0,
  1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  true,
  [],
  {},
  [null],
  "x".repeat(11_000)
)

const time = fc
  .date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString())
  .chain((text) => fc.constantFrom(text, text.slice(0, -1), text.slice(0, 10)))

/** A value that fits the schema, an edge case or an existing id. */
const valueOf = (schema: Json, name: string): fc.Arbitrary<unknown> => {
  const fitting = (): fc.Arbitrary<unknown> => {
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
    switch (schema.type) {
      case "boolean":
        return fc.boolean()
      case "integer":
        return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1000, 1000) })
      case "number":
        return fc.double({ min: schema.minimum ?? -200, max: schema.maximum ?? 200, noNaN: true })
      case "array":
        return fc.array(valueOf(schema.items ?? { type: "string" }, name), { maxLength: 4 })
      case "object":
        return recordOf(schema)
      default:
        if (["at", "end", "since", "from", "to", "date", "repeat_until"].includes(name)) return time
        return fc.oneof(
          fc.string({ unit: "binary", maxLength: 20 }),
          fc.constantFrom("arrive", "tomorrow", "Home", "#abc", "mon"),
          fc.integer({ min: 0, max: 1 }).map((at) => (name.startsWith("list") ? listId : (thingIds[at] ?? "")))
        )
    }
  }
  return fc.oneof({ weight: 15, arbitrary: fitting() }, { weight: 1, arbitrary: nasty })
}

const recordOf = (schema: Json): fc.Arbitrary<unknown> => {
  const required: ReadonlyArray<string> = schema.required ?? []
  const entries = Object.entries<Json>(schema.properties ?? {}).map(
    ([name, inner]) =>
      [
        name,
        fc.oneof(
          { weight: required.includes(name) ? 20 : 1, arbitrary: valueOf(inner, name) },
          { weight: 3, arbitrary: fc.constant(undefined) }
        )
      ] as const
  )
  return fc
    .record(Object.fromEntries(entries))
    .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)))
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })

it.each(allTools.map((tool) => [tool.name, tool] as const))(
  "%s answers whatever it is given: a result that fits its schema, or an error that explains itself",
  async (name, tool) => {
    const validate = ajv.compile(tool.outputSchema)
    let successes = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 20, arbitrary: recordOf(tool.inputSchema) }, nasty), async (args) => {
        const result = await call(name, args)
        const [first] = result.content
        const text = first?.type === "text" ? first.text : ""
        if (result.isError === true) {
          expect(text).not.toMatch(/failed inside the server/)
          expect(text.length).toBeGreaterThan(10)
          expect(text.length).toBeLessThan(2_000)
          return
        }
        successes++
        expect(JSON.parse(text)).toEqual(result.structuredContent)
        if (!validate(result.structuredContent)) throw new Error(ajv.errorsText(validate.errors))
      }),
      { numRuns: 300 }
    )
    expect(successes, "some arguments are good").toBeGreaterThan(0)
  }
)

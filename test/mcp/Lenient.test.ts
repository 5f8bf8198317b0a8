import { lenient } from "@lists-and-things/mcp/LenientArguments"
import { describe, expect, it } from "@effect/vitest"

const strings = { type: "array", items: { type: "string" } } as const
const things = { type: "array", items: { type: "object", properties: { tabs: { type: "integer" } } } } as const
const schema = {
  type: "object",
  properties: {
    tags: strings,
    photos: strings,
    things,
    set: { type: "object", properties: { completed: { type: "boolean" }, tags: strings } },
    completed: { type: "boolean" },
    tabs: { type: "integer" },
    latitude: { type: "number" },
    text: { type: "string" },
    thing_id: { type: "string" }
  },
  required: ["thing_id"]
} as const

const read = (args: object) => lenient(schema, args)

describe("what is sent as text", () => {
  it("true, false and numbers are read, with spaces around them", () => {
    expect(read({ completed: " TRUE ", tabs: " 2 ", latitude: "-48.25" })).toStrictEqual({
      completed: true,
      tabs: 2,
      latitude: -48.25
    })
    expect(read({ completed: "False" })).toStrictEqual({ completed: false })
  })

  it("and is none of these is left to the decoder, as is text where text is wanted", () => {
    const left = { completed: "yes", tabs: "1e3", latitude: "0x10", text: "5" }
    expect(read(left)).toStrictEqual(left)
    expect(read({ tabs: "1234567890123456", latitude: "1.1234567890123456" })).toStrictEqual({
      tabs: "1234567890123456",
      latitude: "1.1234567890123456"
    })
    expect(read({ completed: 1, tabs: true })).toStrictEqual({ completed: 1, tabs: true })
  })

  it("an object or an array is parsed, and what is in it is read in the same way", () => {
    expect(read({ set: ' {"completed": "true", "tags": "a,b"}' })).toStrictEqual({
      set: { completed: true, tags: ["a", "b"] }
    })
    expect(read({ things: ' [{"tabs": "1"}, {"tabs": 2}]' })).toStrictEqual({ things: [{ tabs: 1 }, { tabs: 2 }] })
    expect(read({ things: ' {"tabs": "1"}' })).toStrictEqual({ things: [{ tabs: 1 }] })
    expect(lenient(schema, '{"tabs": "1"}')).toStrictEqual({ tabs: 1 })
  })

  it("an array that is broken is no value of its own", () => {
    expect(read({ tags: ' ["a", "b"' })).toStrictEqual({ tags: ' ["a", "b"' })
    expect(read({ things: '[{"tabs": 1}' })).toStrictEqual({ things: '[{"tabs": 1}' })
    expect(read({ set: '{"completed": true' })).toStrictEqual({ set: '{"completed": true' })
  })
})

describe("a single value", () => {
  it("is an array of one where one is wanted, and of the same kind as its items", () => {
    expect(read({ photos: "https://example.com/a,b.png" })).toStrictEqual({ photos: ["https://example.com/a,b.png"] })
    expect(read({ things: { tabs: "1" } })).toStrictEqual({ things: [{ tabs: 1 }] })
    expect(read({ tags: 7 })).toStrictEqual({ tags: [7] })
    expect(read({ things: "Milk", tags: { a: 1 } })).toStrictEqual({ things: "Milk", tags: { a: 1 } })
  })

  it("of tags is split at commas, and at each further # where it begins with one", () => {
    expect(read({ tags: " a , b c,," })).toStrictEqual({ tags: ["a", "b c"] })
    expect(read({ tags: " #a #b c" })).toStrictEqual({ tags: ["#a", "#b c"] })
    expect(read({ tags: "a #b" })).toStrictEqual({ tags: ["a #b"] })
    expect(read({ tags: "", photos: "" })).toStrictEqual({ tags: [], photos: [] })
  })
})

describe("null", () => {
  it("is left out where that may be, also within an item", () => {
    expect(read({ thing_id: null, tags: null, text: null })).toStrictEqual({ thing_id: null })
    expect(read({ things: [{ tabs: null }], set: { completed: null } })).toStrictEqual({ things: [{}], set: {} })
  })

  it("and what is unknown are left to the decoder", () => {
    expect(read({ nonsense: null, toString: null, tags: [null] })).toStrictEqual({
      nonsense: null,
      toString: null,
      tags: [null]
    })
    expect(lenient(schema, null)).toBeNull()
    expect(lenient(strings, null)).toBeNull()
  })
})

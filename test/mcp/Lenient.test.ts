import { lenient } from "@lists-and-things/mcp/LenientArguments"
import { describe, expect, it } from "@effect/vitest"

const strings = { type: "array", items: { type: "string" } } as const
const things = { type: "array", items: { type: "object", properties: { tabs: { type: "integer" } } } } as const
const schema = {
  type: "object",
  properties: {
    tags: strings,
    ids: strings,
    days: strings,
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

describe("a value sent as text", () => {
  it("true, false and numbers are converted, with spaces around them", () => {
    expect(read({ completed: " TRUE ", tabs: " 2 ", latitude: "-48.25" })).toStrictEqual({
      completed: true,
      tabs: 2,
      latitude: -48.25
    })
    expect(read({ completed: "False" })).toStrictEqual({ completed: false })
  })

  it("other texts are left to the decoder, as is text where text is expected", () => {
    const left = { completed: "yes", tabs: "1e3", latitude: "0x10", text: "5" }
    expect(read(left)).toStrictEqual(left)
    expect(read({ tabs: "1234567890123456", latitude: "1.1234567890123456" })).toStrictEqual({
      tabs: "1234567890123456",
      latitude: "1.1234567890123456"
    })
    expect(read({ completed: 1, tabs: true })).toStrictEqual({ completed: 1, tabs: true })
  })

  it("an object or an array is parsed, and so are its members", () => {
    expect(read({ set: ' {"completed": "true", "tags": "a,b"}' })).toStrictEqual({
      set: { completed: true, tags: ["a", "b"] }
    })
    expect(read({ things: ' [{"tabs": "1"}, {"tabs": 2}]' })).toStrictEqual({ things: [{ tabs: 1 }, { tabs: 2 }] })
    expect(read({ things: ' {"tabs": "1"}' })).toStrictEqual({ things: [{ tabs: 1 }] })
    expect(lenient(schema, '{"tabs": "1"}')).toStrictEqual({ tabs: 1 })
    // The decoder names the field that has the forbidden character.
    expect(read({ set: String.raw`{"tags": ["\ud800", "\u0000"]}` })).toStrictEqual({ set: { tags: ["\ud800", "\0"] } })
  })

  it("malformed JSON of an array is not taken for a single value", () => {
    expect(read({ tags: ' ["a", "b"' })).toStrictEqual({ tags: ' ["a", "b"' })
    expect(read({ things: '[{"tabs": 1}' })).toStrictEqual({ things: '[{"tabs": 1}' })
    expect(read({ set: '{"completed": true' })).toStrictEqual({ set: '{"completed": true' })
    expect(read({ set: [] })).toStrictEqual({ set: [] })
  })
})

describe("a single value", () => {
  it("becomes an array of one where an array is expected and the value fits its items", () => {
    expect(read({ photos: "https://example.com/a,b.png" })).toStrictEqual({ photos: ["https://example.com/a,b.png"] })
    expect(read({ things: { tabs: "1" } })).toStrictEqual({ things: [{ tabs: 1 }] })
    expect(read({ tags: 7 })).toStrictEqual({ tags: [7] })
    expect(read({ things: "Milk", tags: { a: 1 } })).toStrictEqual({ things: "Milk", tags: { a: 1 } })
  })

  it("of tags, ids or weekdays is split at commas, and at each further # if it begins with one", () => {
    expect(read({ ids: "t1, t2", days: "monday,friday" })).toStrictEqual({
      ids: ["t1", "t2"],
      days: ["monday", "friday"]
    })
    expect(read({ tags: " a , b c,," })).toStrictEqual({ tags: ["a", "b c"] })
    expect(read({ tags: "2026,null" })).toStrictEqual({ tags: ["2026", "null"] })
    for (const tag of ["2026", "true", "null"]) expect(read({ tags: tag })).toStrictEqual({ tags: [tag] })
    expect(read({ tags: " #a #b c" })).toStrictEqual({ tags: ["#a", "#b c"] })
    expect(read({ tags: "a #b" })).toStrictEqual({ tags: ["a #b"] })
    expect(read({ tags: "", photos: "" })).toStrictEqual({ tags: [], photos: [] })
  })

  it("with more than 500 items is left to the decoder as the text that it is", () => {
    const many = Array.from({ length: 501 }, () => "a")
    for (const tags of [many.join(","), `#${many.join(" #")}`, ",".repeat(500)])
      expect(read({ tags })).toStrictEqual({ tags })
    expect(read({ ids: many.slice(1).join(",") })).toStrictEqual({ ids: many.slice(1) })
    expect(read({ ids: many })).toStrictEqual({ ids: many })
  })

  it("with more than 500 items in JSON has one more for the decoder, which refuses it for their number", () => {
    const many = Array.from({ length: 600 }, () => "a")
    expect(read({ tags: JSON.stringify(many) })).toStrictEqual({ tags: many.slice(0, 501) })
    expect(read({ ids: JSON.stringify(many.slice(0, 500)) })).toStrictEqual({ ids: many.slice(0, 500) })
  })
})

describe("null", () => {
  it("is left out if optional, also within an item", () => {
    expect(read({ thing_id: null, tags: null, text: null })).toStrictEqual({ thing_id: null })
    expect(read({ things: [{ tabs: null }], set: { completed: null } })).toStrictEqual({ things: [{}], set: {} })
  })

  it("in a required argument, and unknown arguments, are left to the decoder", () => {
    expect(read({ nonsense: null, toString: null, tags: [null] })).toStrictEqual({
      nonsense: null,
      toString: null,
      tags: [null]
    })
    expect(lenient(schema, null)).toBeNull()
    expect(lenient(strings, null)).toBeNull()
  })
})

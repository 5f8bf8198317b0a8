import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { BackupDocument } from "../../src/backup/BackupDocument.ts"
import { presentFields, undecided } from "../../src/json/PresentFields.ts"
import {
  BulkCreateInput,
  BulkDeleteInput,
  BulkUpdateInput,
  CreateThingInput,
  UpdateThingInput
} from "../../src/json/ThingInput.ts"

const schemas: Readonly<Record<string, Schema.ConstraintDecoder<unknown>>> = {
  BulkCreateInput,
  BulkDeleteInput,
  BulkUpdateInput,
  CreateThingInput,
  UpdateThingInput
}

/** Values that a field mostly accepts. */
const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text: fc.string({ unit: "grapheme", maxLength: 20 }),
  type: fc.constantFrom("todo", "note", "none", "chore"),
  url: fc.constantFrom("example.com", "https://example.com/a", " ", "javascript:alert(1)"),
  list_ref: fc.constantFrom(null, "", "0199f0c2"),
  tags: fc.array(fc.constantFrom("#a", "b ", "x".repeat(300)), { maxLength: 3 }),
  photos: fc.array(fc.constantFrom("https://example.com/a.png", "a.png"), { maxLength: 11 }),
  completed: fc.boolean(),
  tabs: fc.integer({ min: -1, max: 12 }),
  created: fc.constantFrom("2026-11-20", "soon"),
  occurrence: fc.constantFrom("2026-11-20T09:00", ""),
  list_id: fc.string({ maxLength: 5 }),
  list: fc.constantFrom("today", "x".repeat(600)),
  has_clones: fc.anything()
}

const field = fc
  .constantFrom(...Object.keys(values))
  .chain((name) => fc.tuple(fc.constant(name), fc.oneof({ weight: 9, arbitrary: values[name]! }, fc.anything())))
const strange = fc.tuple(fc.constantFrom("listRef", "listId", "text ", "__proto__"), fc.anything())
const fields = fc
  .array(fc.oneof({ weight: 30, arbitrary: field }, strange), { maxLength: 5 })
  .map((entries): unknown => Object.fromEntries(entries))
const thing = fc.oneof({ weight: 20, arbitrary: fields }, fc.anything())
const body = fc.oneof(
  thing,
  fc.record({ items: fc.array(thing, { maxLength: 3 }), skip_duplicates: fc.boolean() }, { requiredKeys: ["items"] }),
  fc.record(
    { ids: fc.array(fc.oneof(fc.string(), fc.anything()), { maxLength: 3 }), set: thing },
    { requiredKeys: ["ids"] }
  )
)

describe("decoding the fields that are present", () => {
  it.each(Object.entries(schemas))("gives the result of the schema, or leaves it to the schema: %s", (_, schema) => {
    const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
    const present = presentFields(schema.ast)!
    let decided = 0
    fc.assert(
      fc.property(body, (value) => {
        const whole = decode(value)
        const own = present(value)
        if (Result.isFailure(whole)) expect(own).toBe(undecided)
        else expect(own).toStrictEqual(whole.success)
        if (own !== undecided) decided++
      }),
      { seed: 14, numRuns: 500 }
    )
    expect(decided).toBeGreaterThan(0)
  })

  it.each([
    ["a new thing", CreateThingInput, { text: "Bread", list_ref: null, clone_of: "1", tags: ["#a"], id: 1 }],
    ["items and a target", BulkCreateInput, { items: [{ text: "Bread", url: "a.example" }], list_id: "1" }],
    ["ids and a change", BulkUpdateInput, { ids: ["1"], set: { list_ref: "", completed: true } }]
  ])("decides %s", (_, schema, value) => {
    expect(presentFields(schema.ast)!(value)).toStrictEqual(Schema.decodeUnknownSync(schema)(value))
  })

  it.each([
    ["a required field that is missing", BulkCreateInput, { list_id: "1" }],
    ["too many items", BulkCreateInput, { items: Array.from({ length: 501 }, () => ({ text: "x" })) }],
    ["a field by its name in the domain", CreateThingInput, { listRef: null }],
    ["an array", CreateThingInput, []]
  ])("leaves %s to the schema", (_, schema, value) => {
    expect(presentFields(schema.ast)!(value)).toBe(undecided)
  })

  it("does not apply to schemas of other kinds", () => {
    expect(presentFields(Schema.String.ast)).toBe(undefined)
    const renamed = Schema.Struct({ aB: Schema.String }).pipe(Schema.encodeKeys({ aB: "a_b" }))
    expect(presentFields(renamed.ast)).toBe(undefined)
    expect(presentFields(Schema.Array(Schema.String).ast)).toBe(undefined)
    expect(presentFields(BackupDocument.ast)).not.toBe(undefined)
  })
})

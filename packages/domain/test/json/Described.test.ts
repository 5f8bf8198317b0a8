import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema, SchemaAST } from "effect"
import { decodeInput } from "../../src/json/Decode.ts"
import { described, exampleAt, optional, wholeExample } from "../../src/json/Described.ts"
import { CreateListInput, ImportMarkdownInput, UpdateListInput } from "../../src/json/ListInput.ts"
import { SavePlaceInput } from "../../src/json/PlaceJson.ts"
import { SetReminderInput } from "../../src/json/ReminderJson.ts"
import * as Things from "../../src/json/ThingInput.ts"

const inputs: ReadonlyArray<readonly [string, Schema.ConstraintDecoder<unknown>]> = [
  ["CreateListInput", CreateListInput],
  ["ImportMarkdownInput", ImportMarkdownInput],
  ["UpdateListInput", UpdateListInput],
  ["CreateThingInput", Things.CreateThingInput],
  ["UpdateThingInput", Things.UpdateThingInput],
  ["BulkCreateInput", Things.BulkCreateInput],
  ["BulkUpdateInput", Things.BulkUpdateInput],
  ["BulkDeleteInput", Things.BulkDeleteInput],
  ["AppendMarkdownInput", Things.AppendMarkdownInput],
  ["SetReminderInput", SetReminderInput],
  ["SavePlaceInput", SavePlaceInput]
]

/** The names of an input's fields, without those that a write ignores. */
const fieldsOf = (schema: Schema.Constraint): ReadonlyArray<string> => {
  const encoded = SchemaAST.toEncoded(schema.ast)
  if (encoded._tag !== "Objects") throw new Error("not an object")
  return encoded.propertySignatures
    .filter(({ type }) => type.context?.annotations?.["readOnly"] !== true)
    .map(({ name }) => String(name))
}

describe("a field that is declared with an example", () => {
  it.effect.each(inputs)("accepts its example: %s", ([, schema]) =>
    Effect.gen(function* () {
      const whole = wholeExample(schema.ast) ?? {}
      yield* decodeInput(schema)(whole)
      for (const field of fieldsOf(schema)) {
        const example = exampleAt(schema.ast, [field])
        expect(example?.name).toBe(field)
        yield* decodeInput(schema)({ ...whole, [field]: example?.value })
      }
    })
  )

  it("gives its example to the fields inside it that have none", () => {
    const schema = Schema.Struct({
      by: described(Schema.Struct({ id: Schema.String, tags: Schema.Array(Schema.String) }), "Whom.", {
        id: "a",
        tags: []
      }),
      note: optional(Schema.String, "What.", "n")
    })
    expect(exampleAt(schema.ast, ["by", "tags", 3])).toStrictEqual({ name: "by", value: { id: "a", tags: [] } })
    expect(exampleAt(schema.ast, ["other"])).toBeUndefined()
    expect(wholeExample(schema.ast)).toStrictEqual({ by: { id: "a", tags: [] } })
  })
})

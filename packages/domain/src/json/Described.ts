import { Schema, SchemaAST } from "effect"

/**
 * A field with what it means and a value that it takes, declared together. Documents show both, and a refusal of the
 * field its example.
 */
export const described = <S extends Schema.Top>(
  schema: S,
  description: string,
  ...examples: ReadonlyArray<S["Encoded"]>
): S["Rebuild"] =>
  Schema.annotateEncoded<S>({ description, ...(examples.length > 0 && { examples: [...examples] }) })(schema)

/** The same, for a field that may be left out. */
export const optional = <S extends Schema.Top>(
  schema: S,
  description: string,
  ...examples: ReadonlyArray<S["Encoded"]>
): Schema.optionalKey<S["Rebuild"]> => Schema.optionalKey(described(schema, description, ...examples))

/** A rule of a value, in words that follow "must be". */
export const rule = <A>(holds: (value: A) => boolean, expected: string, toJsonSchema: () => object = () => ({})) =>
  Schema.makeFilter(holds, { expected, toJsonSchema: () => ({ ...toJsonSchema() }) })

/** A time as every answer gives it: ISO 8601, UTC, milliseconds, `Z` (docs/decisions.md#times). */
export const TimeJson = Schema.String.annotate({ format: "date-time" })

/** How many there are of something. */
export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Ids of the examples, in every document and message the same. */
export const exampleIds = {
  account: "0199f0c1-02d7-7f1a-8e63-5b9d7c2f4a10",
  list: "0199f0c2-7a51-7c3e-9d1b-2f6a8c4e5b70",
  thing: "0199f0c3-11d4-7a90-8b52-6f0e3d9a7c18",
  reminder: "0199f0c4-5c2b-7d61-a3f8-91b7e0d24c66",
  place: "0199f0c5-3e9a-7b42-8c17-4d5e6f708192",
  webhook: "0199f0c6-3b1e-7d42-a6c8-1e5f7a9b3d60",
  delivery: "0199f0c7-41aa-7be3-8d17-5c9e2f4a6b80",
  operation: "019aa0c3-1a2b-7c3d-8e4f-5a6b7c8d9e0f"
} as const

/** The declared example; else one that follows from the type. */
const exampleOf = (schema: SchemaAST.AST): unknown => examplesOf(schema)[0] ?? typical(schema)

const typical = (schema: SchemaAST.AST): unknown => {
  switch (schema._tag) {
    case "Boolean":
      return true
    case "Literal":
      return schema.literal
    case "Union":
      return schema.types.map(typical).find((value) => value !== undefined)
    default:
      return undefined
  }
}

/** An annotation is kept with the last rule of a value, where it has one. */
const examplesOf = ({ annotations, checks }: SchemaAST.AST): ReadonlyArray<unknown> =>
  [...(checks ?? []), { annotations }].map((each) => each.annotations?.["examples"]).find(Array.isArray) ?? []

/** The example declared for a field, or for the nearest field around it, with that field's name. */
export const exampleAt = (
  schema: SchemaAST.AST,
  path: ReadonlyArray<PropertyKey>
): { readonly name: string; readonly value: unknown } | undefined => {
  let found: { readonly name: string; readonly value: unknown } | undefined
  let within: SchemaAST.AST | undefined = schema
  for (const key of path) {
    within = within && memberOf(within, key)
    const value = within === undefined ? undefined : exampleOf(encodedAs(within))
    if (value !== undefined && typeof key === "string") found = { name: key, value }
  }
  return found
}

/** An object with an example of each required field, or of the first field where none is required. */
export const wholeExample = (schema: SchemaAST.AST): object | undefined => {
  const encoded = encodedAs(schema)
  if (encoded._tag !== "Objects") return undefined
  const shown = encoded.propertySignatures.flatMap(({ name, type }) => {
    const value = exampleOf(encodedAs(type))
    return value === undefined
      ? []
      : [{ name: String(name), value, isRequired: !SchemaAST.isOptional(encodedAs(type)) }]
  })
  const required = shown.filter(({ isRequired }) => isRequired)
  const fields = required.length > 0 ? required : shown.slice(0, 1)
  return fields.length === 0 ? undefined : Object.fromEntries(fields.map(({ name, value }) => [name, value]))
}

/** As it is on the wire; what it holds may still have two forms. */
const encodedAs = (schema: SchemaAST.AST): SchemaAST.AST => schema.encoding?.at(-1)?.to ?? schema

const memberOf = (schema: SchemaAST.AST, key: PropertyKey): SchemaAST.AST | undefined => {
  const encoded = encodedAs(schema)
  switch (encoded._tag) {
    case "Objects":
      return encoded.propertySignatures.find(({ name }) => name === key)?.type
    case "Arrays":
      return encoded.rest[0]
    case "Union":
      return encoded.types.map((type) => memberOf(type, key)).find((member) => member !== undefined)
    default:
      return undefined
  }
}

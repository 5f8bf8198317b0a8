import { Schema, type SchemaAST } from "effect"

/** A JSON Schema (2020-12) of an object, as `tools/list` shows it. */
export interface ObjectSchema extends JsonSchema {
  readonly type: "object"
  readonly properties: { readonly [name: string]: JsonSchema }
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties: boolean
}

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/**
 * The schema of the wire format, inlined: no `$ref`, and closed objects, since the decoder refuses unknown keys as
 * well.
 */
export const objectSchemaOf = (schema: Schema.Constraint): ObjectSchema => {
  const document = Schema.toJsonSchemaDocument(schema, {
    onExcessProperty: "error",
    referencePolicy: () => undefined,
    includeAnnotationKey: (key) => key === hint
  })
  const tidied = schema.ast._tag === "Objects" && isEmpty(schema.ast) ? none : (tidy(document.schema) as JsonSchema)
  if (tidied["type"] !== "object" || Object.keys(document.definitions).length > 0) {
    throw new Error("The schema of a tool must be one plain object without references.")
  }
  return { properties: {}, ...tidied } as ObjectSchema
}

/**
 * Abridges the schema of a result: drops `required`, enumerations and minimums, and keeps only the field names of inner
 * objects, which are left open. Results are still encoded by the exact schema; the omitted details do not help a model
 * and cost every client tokens.
 */
export const loosened = ({ type, properties, additionalProperties }: ObjectSchema): ObjectSchema => ({
  type,
  properties: mapValues(properties, loose),
  additionalProperties
})

const loose = (schema: JsonSchema): JsonSchema => {
  const {
    required: _required,
    enum: _values,
    additionalProperties: _closed,
    minimum: _least,
    properties,
    items,
    anyOf,
    ...rest
  } = schema
  const [of, or, ...others] = Array.isArray(anyOf) ? (anyOf as ReadonlyArray<JsonSchema>).map(loose) : []
  if (of !== undefined && or?.["type"] === "null" && others.length === 0)
    return { ...rest, ...of, type: [of["type"], "null"] }
  return {
    ...rest,
    ...(of === undefined ? {} : { anyOf: [of, or, ...others] }),
    ...(properties === undefined ? {} : { properties: mapValues(properties as Record<string, JsonSchema>, anything) }),
    ...(items === undefined ? {} : { items: loose(items as JsonSchema) })
  }
}

const anything = (): JsonSchema => ({})

const mapValues = <A>(record: Readonly<Record<string, JsonSchema>>, map: (schema: JsonSchema) => A) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))

/** In Effect a struct without fields accepts any value; for a tool it means no arguments. */
const isEmpty = (ast: SchemaAST.Objects): boolean =>
  ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0

const none: JsonSchema = { type: "object", properties: {}, additionalProperties: false }

/** The annotation that becomes the description of an argument; set only where the name does not say enough. */
const hint = "hint"

const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).filter(([key, inner]) => !isNoise(key, inner))
  const tidied = entries.map(([key, inner]) => {
    if (key === hint) return ["description", inner] as const
    return [key, key === "properties" ? mapValues(inner as Record<string, JsonSchema>, tidy) : tidy(inner)] as const
  })
  return merged(typed(Object.fromEntries(tidied)))
}

/**
 * Drops keywords that do not help a model: descriptions and examples for readers of the REST documents, safe-integer
 * bounds, time formats, and the caps and patterns of texts, which the decoder still checks.
 */
const isNoise = (key: string, value: unknown): boolean =>
  key === "description" ||
  key === "examples" ||
  ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) ||
  (key === "maxLength" && typeof value === "number") ||
  (key === "pattern" && typeof value === "string") ||
  (key === "format" && value === "date-time") ||
  (key === "additionalProperties" && typeof value === "object" && Object.keys(value ?? {}).length === 0)

const textOrNumber = JSON.stringify([{ type: "string" }, { type: "number" }])

/**
 * Declares what may be a text or a number as a text: converters that drop `anyOf`, such as LangChain's, would leave it
 * without the type that Gemini needs. The decoder still takes numbers.
 */
const typed = (schema: JsonSchema): JsonSchema => {
  const { anyOf, ...rest } = schema
  return JSON.stringify(anyOf) === textOrNumber ? { type: "string", ...rest } : schema
}

/** Merges the parts of `allOf` into the schema if no keyword has two different values. */
const merged = (schema: JsonSchema): JsonSchema => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  const entries = [rest, ...(allOf as ReadonlyArray<JsonSchema>)].flatMap((part) => Object.entries(part))
  const whole = Object.fromEntries(entries)
  return entries.every(([key, value]) => JSON.stringify(whole[key]) === JSON.stringify(value)) ? whole : schema
}

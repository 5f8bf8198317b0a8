import { inFigures } from "@lists-and-things/domain/text/Wording"

/** The parts of the OpenAPI document that the pages show. */

export interface SchemaDoc {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly items?: SchemaDoc
  readonly properties?: Readonly<Record<string, SchemaDoc>>
  readonly required?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<SchemaDoc>
  readonly oneOf?: ReadonlyArray<SchemaDoc>
  readonly allOf?: ReadonlyArray<SchemaDoc>
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: unknown
  readonly readOnly?: boolean
}

export interface ParameterDoc {
  readonly $ref?: string
  readonly name?: string
  readonly in?: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: SchemaDoc
}

export interface BodyDoc {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: SchemaDoc; readonly example?: unknown }>>
}

export interface OperationDoc {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<ParameterDoc>
  readonly requestBody?: BodyDoc
  readonly responses: Readonly<Record<string, BodyDoc>>
  readonly "x-required-scope": string
}

export interface Contract {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDoc>>>>
  readonly "x-dry-run": { readonly schema: SchemaDoc }
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaDoc>>
    readonly parameters: Readonly<Record<string, ParameterDoc>>
  }
}

export interface Operation extends OperationDoc {
  readonly method: string
  readonly path: string
}

/** In order of declaration. */
export const operationsOf = (contract: Contract): ReadonlyArray<Operation> =>
  Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path }))
  )

export const resolveParameter = (contract: Contract, parameter: ParameterDoc): ParameterDoc =>
  parameter.$ref === undefined ? parameter : (contract.components.parameters[lastOf(parameter.$ref)] ?? parameter)

const lastOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

/** A schema in a few words: `string`, `List[]`, `"todo" | "dash"`, `integer or null`. */
export const typeOf = (schema: SchemaDoc | undefined): string => {
  if (schema === undefined) return "any"
  if (schema.$ref !== undefined) return lastOf(schema.$ref)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const union = schema.anyOf ?? schema.oneOf
  if (union !== undefined) return [...new Set(union.map(typeOf))].join(" or ")
  if (schema.allOf !== undefined && schema.type === undefined)
    return [...new Set(schema.allOf.map(typeOf))].join(" and ")
  if (Array.isArray(schema.type)) return schema.type.join(" or ")
  if (schema.type === "array") return arrayOf(typeOf(schema.items), lengthOf(schema))
  return typeof schema.type === "string" ? schema.type : "any"
}

const arrayOf = (type: string, length: number | undefined): string =>
  length !== undefined
    ? `[${Array.from({ length }, () => type).join(", ")}]`
    : / or | \| /.test(type)
      ? `(${type})[]`
      : `${type}[]`

/** The fixed length of an array; undefined if it varies. */
const lengthOf = ({ minItems, maxItems }: SchemaDoc): number | undefined =>
  minItems === maxItems ? minItems : undefined

/** A field of an object, or of an object within it. */
export interface FieldDoc {
  /** Its path within the object: `by.type`, `by_list[].created`, `changes[type "thing"].data.text`. */
  readonly path: string
  /** Type, whether it is required, and limits, in words. */
  readonly details: string
  readonly description: string
}

/** The fields of an object, each followed by those within it; read-only fields are left out. */
export const fieldsOf = (schema: SchemaDoc, within = ""): ReadonlyArray<FieldDoc> => {
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties ?? {})
    .filter(([, field]) => field.readOnly !== true)
    .flatMap(([name, field]) => {
      const path = `${within}${name}`
      const details = [typeOf(field), required.has(name) ? "required" : "", limitsOf(field)]
      const own = {
        path,
        details: details.filter((part) => part !== "").join(", "),
        description: field.description ?? ""
      }
      return [own, ...fieldsWithin(field, path)]
    })
}

const fieldsWithin = (schema: SchemaDoc, path: string): ReadonlyArray<FieldDoc> => {
  if (schema.$ref !== undefined) return []
  if (schema.properties !== undefined) return fieldsOf(schema, `${path}.`)
  if (schema.items !== undefined) return itemFields(schema.items, path)
  return (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []).flatMap((each) => fieldsWithin(each, path))
}

/** The fields of the items of an array; for items of several kinds, those of each kind. */
const itemFields = (items: SchemaDoc, path: string): ReadonlyArray<FieldDoc> => {
  const kinds = (items.anyOf ?? items.oneOf ?? []).filter((kind) => kind.properties !== undefined)
  if (kinds.length < 2) return fieldsWithin(items, `${path}[]`)
  return kinds.flatMap((kind) => fieldsOf(kind, `${path}[${kindOf(kind)}].`))
}

/** Identifies a kind of object by a field that has only one value. */
const kindOf = ({ properties = {} }: SchemaDoc): string => {
  const [name, field] = Object.entries(properties).find(([, each]) => valueOf(each) !== undefined) ?? []
  return field === undefined ? "" : `${name} ${JSON.stringify(valueOf(field))}`
}

const valueOf = (schema: SchemaDoc): unknown => schema.const ?? (schema.enum?.length === 1 ? schema.enum[0] : undefined)

const atMost = (value: number | undefined, unit: string): string | undefined =>
  value === undefined ? undefined : `at most ${inFigures(value)} ${unit}`

/** The limits of a schema in words; empty when it has none. */
export const limitsOf = (schema: SchemaDoc | undefined): string => {
  if (schema === undefined) return ""
  const own = [
    schema.format,
    schema.minimum === undefined ? undefined : `from ${schema.minimum}`,
    schema.maximum === undefined ? undefined : `to ${schema.maximum}`,
    atMost(schema.maxLength, "characters"),
    atMost(schema.maxItems, "items"),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`
  ].filter((part) => part !== undefined)
  const inner = (schema.allOf ?? []).map(limitsOf).filter((part) => part !== "")
  return [...new Set([...own, ...inner])].join(", ")
}

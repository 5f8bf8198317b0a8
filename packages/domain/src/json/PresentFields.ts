import { Result, Schema, SchemaAST } from "effect"

/** The result of `presentFields` for a value that the schema itself must decode, since it may be invalid. */
export const undecided = Symbol("undecided")

type Decoding = (value: unknown) => unknown

/** Their decoding halves, which annotations of a schema leave as they are. */
const renamings = new WeakSet<SchemaAST.Link["transformation"]["decode"]>()

/** `Schema.encodeKeys`, which `presentFields` knows as a renaming of the fields and nothing else. */
export const encodeKeys =
  <
    S extends Schema.Constraint & { readonly fields: Schema.Struct.Fields },
    const M extends { readonly [K in keyof S["fields"]]?: PropertyKey }
  >(
    mapping: M
  ) =>
  (self: S): Schema.encodeKeys<S, M> => {
    const renamed = Schema.encodeKeys<S, M>(mapping)(self)
    renamings.add(renamed.ast.encoding!.at(-1)!.transformation.decode)
    return renamed
  }

/**
 * A faster decoder for objects with few of many optional fields: it visits the fields that are present, where `Schema`
 * visits every declared field, twice if some are renamed. Returns what the schema would return, or `undecided` for
 * whatever the schema might refuse, so that every refusal is worded by the schema. Undefined for schemas that it does
 * not support.
 */
export const presentFields = (ast: SchemaAST.AST): Decoding | undefined => {
  if (SchemaAST.isObjects(ast)) return objectsOf(ast)
  return SchemaAST.isArrays(ast) ? arraysOf(ast) : undefined
}

interface Field {
  readonly name: string
  readonly decode: Decoding
}

const objectsOf = (ast: SchemaAST.Objects): Decoding | undefined => {
  const fields = isPlain(ast) ? fieldsOf(ast) : undefined
  if (fields === undefined) return undefined
  const required = ast.propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type)).map(({ name }) => name)
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undecided
    const decoded: Record<PropertyKey, unknown> = {}
    for (const key of Object.keys(value)) {
      const field = fields.get(key)
      if (field === undefined) return undecided
      const own = field.decode((value as Record<string, unknown>)[key])
      if (own === undecided) return undecided
      decoded[field.name] = own
    }
    return required.every((name) => Object.hasOwn(decoded, name)) ? decoded : undecided
  }
}

/** The fields by their names on the wire. */
const fieldsOf = ({ encoding, propertySignatures }: SchemaAST.Objects): ReadonlyMap<string, Field> | undefined => {
  const links = encoding ?? []
  const [wire] = links
  if (links.length > 1 || (wire !== undefined && !isRenaming(wire))) return undefined
  const written = wire === undefined ? propertySignatures : (wire.to as SchemaAST.Objects).propertySignatures
  const names = propertySignatures.map(({ name }) => name)
  if (names.some((name) => typeof name !== "string") || written.length !== names.length) return undefined
  return new Map(
    propertySignatures.map(({ name, type }, at) => [
      String(written[at]!.name),
      { name: String(name), decode: ofValue(type) }
    ])
  )
}

/** A renaming keeps the order of the fields. */
const isRenaming = ({ to, transformation }: SchemaAST.Link): boolean =>
  renamings.has(transformation.decode) && SchemaAST.isObjects(to) && to.encoding === undefined && isPlain(to)

/** Without rules of the whole object, and without names that are not declared. */
const isPlain = ({ checks, encodingChecks, indexSignatures }: SchemaAST.Objects): boolean =>
  checks === undefined && encodingChecks === undefined && indexSignatures.length === 0

const arraysOf = (ast: SchemaAST.Arrays): Decoding | undefined => {
  const [item] = ast.rest
  if (item === undefined || ast.rest.length > 1 || ast.elements.length > 0) return undefined
  if (ast.encoding !== undefined || ast.encodingChecks !== undefined) return undefined
  const decode = presentFields(item)
  if (decode === undefined) return undefined
  const isAllowed = Schema.is(ofChecks(ast))
  return (value) => {
    if (!Array.isArray(value) || !isAllowed(value)) return undecided
    const decoded: Array<unknown> = []
    for (const each of value) {
      const own = decode(each)
      if (own === undecided) return undecided
      decoded.push(own)
    }
    return decoded
  }
}

/** The rules of an array as a whole, such as the number of its items. */
const ofChecks = ({ checks }: SchemaAST.Arrays): Schema.Constraint => {
  const any = Schema.Array(Schema.Unknown)
  return checks === undefined ? any : any.check(...checks)
}

/** Created on first use, since many fields are never sent. */
const ofValue = (ast: SchemaAST.AST): Decoding => {
  let decode: Decoding | undefined
  return (value) => (decode ??= presentFields(ast) ?? ofSchema(ast))(value)
}

const ofSchema = (ast: SchemaAST.AST): Decoding => {
  const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast), { onExcessProperty: "error" })
  return (value) => Result.getOrElse(decode(value), () => undecided)
}

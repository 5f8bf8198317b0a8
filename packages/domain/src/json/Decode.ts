import { Effect, Result, Schema, SchemaAST, type SchemaIssue } from "effect"
import { InvalidInput } from "../model/Errors.ts"
import { nearest } from "../text/Nearest.ts"
import { exampleAt, wholeExample } from "./Described.ts"
import { pathText } from "./PathText.ts"
import { presentFields, undecided } from "./PresentFields.ts"
import { shownValue } from "./ShownValue.ts"
import { type Advice, adviceFor, type Terms } from "./FieldSuggestions.ts"

/**
 * Decodes client input strictly: an unknown key is an error that suggests the nearest known one, and the first problem
 * is named by its path, such as `items[37].text`, with what was sent, cut to a bound, and a value that would have
 * worked (docs/decisions.md#errors).
 */
export const decodeInput = <A>(
  schema: Schema.ConstraintDecoder<A>,
  as: Partial<Worded> = {}
): ((value: unknown) => Effect.Effect<A, InvalidInput>) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  const decodePresent = presentFields(schema.ast)
  const worded = { ...inBody, ...as }
  return (value) => {
    const present = decodePresent?.(value) ?? undecided
    if (present !== undecided) return Effect.succeed(present as A)
    const result = decode(value)
    return Result.isSuccess(result)
      ? Effect.succeed(result.success as A)
      : Effect.fail(describeIssue(result.failure.issue, { ...worded, schema: schema.ast, value }))
  }
}

/** The wording of messages about what is decoded. */
interface Worded {
  /** The name of the value as a whole, for when that is wrong. */
  readonly at: string
  /** Advice uses the terms of this host. */
  readonly terms: Terms
  /** What is known at the top besides the schema's fields. */
  readonly besides?: ReadonlyArray<string>
  /** A field with its value, as it is written there. */
  readonly written: (name: string, value: unknown) => string
}

const inBody: Worded = {
  at: "The body",
  terms: "REST",
  written: (name, value) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`
}

/** Of a query string. */
export const inQuery: Worded = {
  ...inBody,
  at: "The query",
  written: (name, value) => `${name}=${encodeURIComponent(String(value))}`
}

/** A broken rule with its example as a query string, where the fields of the request are parameters. */
export const asInQuery = (error: InvalidInput): InvalidInput => {
  const { example, field, reason, sent } = error
  if (example === undefined) return error
  const fields = Object.entries(JSON.parse(`{${example}}`) as object)
  return new InvalidInput({
    field,
    reason,
    ...(sent !== undefined && { sent }),
    example: fields.map(([name, value]) => inQuery.written(name, value)).join("&")
  })
}

/** What was decoded, by which schema. */
interface Decoded extends Worded {
  readonly schema: SchemaAST.AST
  readonly value: unknown
}

/** The first problem of a decoding as a domain error. */
export const describeIssue = (issue: SchemaIssue.Issue, of: Decoded): InvalidInput => {
  const found = firstLeaf(issue, [], of)
  const path = pathText(found.path)
  const sent = found.isKey === true ? undefined : valueAt(of.value, found.path)
  const example = exampleText(of, found.suggested ?? found.path)
  return new InvalidInput({
    field: path === "" ? of.at : path,
    reason: lostPlus(of, sent) ? `${found.reason}, with + as %2B` : found.reason,
    ...(sent !== undefined && { sent: shownValue(sent) }),
    ...(example !== undefined && { example })
  })
}

/** Whether a value of a query string is a time that lost the plus of its offset: there it stands for a blank. */
const lostPlus = ({ at }: Decoded, sent: unknown): boolean =>
  at === inQuery.at && typeof sent === "string" && /^\d{4}-.*\d \d\d:?\d\d$/.test(sent)

const valueAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (within, key) =>
      typeof within === "object" && within !== null && Object.hasOwn(within, key)
        ? (within as Record<PropertyKey, unknown>)[key]
        : undefined,
    value
  )

const exampleText = ({ schema, written }: Decoded, path: ReadonlyArray<PropertyKey>): string | undefined => {
  const declared = exampleAt(schema, path)
  if (declared !== undefined) return written(declared.name, declared.value)
  const whole = path.length === 0 ? wholeExample(schema) : undefined
  return whole && JSON.stringify(whole)
}

interface Found {
  readonly path: ReadonlyArray<PropertyKey>
  readonly reason: string
  /** Whether the value has the wrong type. */
  readonly ofType?: true
  /** Whether the key is what is wrong. */
  readonly isKey?: true
  /** What is suggested in the place of a wrong key. */
  readonly suggested?: ReadonlyArray<PropertyKey>
}

const firstLeaf = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>, as: Worded): Found => {
  switch (issue._tag) {
    case "Pointer":
      return firstLeaf(issue.issue, [...path, ...issue.path], as)
    case "Composite":
      return firstLeaf(issue.issues[0], path, as)
    case "Encoding":
      return firstLeaf(issue.issue, path, as)
    case "Filter": {
      const expected = issue.filter.annotations?.expected
      if (typeof expected === "string") return { path, reason: `must be ${expected}` }
      return firstLeaf(issue.issue, path, as)
    }
    case "AnyOf": {
      const tried = issue.issues.map((each) => firstLeaf(each, path, as))
      // For a value of the right type, the message states the broken rule, not the types.
      const closest = tried.find((each) => each.path.length > path.length) ?? tried.find((each) => !each.ofType)
      return closest ?? { path, reason: `must be ${expectedBy(issue.ast)}`, ofType: true }
    }
    case "UnexpectedKey":
      return unknownKey(issue.ast, path, as)
    case "MissingKey":
      return { path, reason: "is required" }
    case "InvalidType":
      return { path, reason: `must be ${expectedBy(issue.ast)}`, ofType: true }
    default:
      return { path, reason: messageOf(issue) ?? "is not a valid value" }
  }
}

const messageOf = (issue: SchemaIssue.Issue): string | undefined => {
  const message = "annotations" in issue ? issue.annotations?.["message"] : undefined
  return typeof message === "string" ? message : undefined
}

const unknownKey = (ast: SchemaAST.AST, path: ReadonlyArray<PropertyKey>, { besides = [], terms }: Worded): Found => {
  const key = String(path.at(-1) ?? "")
  // A read-only key would be accepted and ignored, so it is never suggested.
  const written = ast._tag === "Objects" ? ast.propertySignatures.filter(({ type }) => !isReadOnly(type)) : []
  const known = [...written.map((each) => String(each.name)), ...(path.length === 1 ? besides : [])]
  const advice = adviceFor(key, known, terms) ?? placeOf(key, written)
  const near = advice === undefined ? nearest(key, known) : advice.field
  const hint =
    advice?.text ?? (near === undefined ? `known are ${known.slice(0, 40).join(", ")}` : `did you mean ${near}?`)
  return {
    path,
    reason: `is not a known field: ${hint}`,
    isKey: true,
    suggested: near === undefined ? [] : [...path.slice(0, -1), near]
  }
}

/** The field within which a key is known. */
const placeOf = (key: string, written: ReadonlyArray<SchemaAST.PropertySignature>): Advice | undefined => {
  const place = written.find(({ type }) => keysIn(type).includes(key))
  if (place === undefined) return undefined
  const field = String(place.name)
  return { text: `it belongs in ${place.type._tag === "Arrays" ? `each of ${field}` : field}`, field }
}

/** As they are written. */
const keysIn = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const written = SchemaAST.toEncoded(ast)
  if (written._tag === "Arrays") return written.rest.flatMap(keysIn)
  return written._tag === "Objects" ? written.propertySignatures.map(({ name }) => String(name)) : []
}

const isReadOnly = (ast: SchemaAST.AST): boolean => ast.context?.annotations?.["readOnly"] === true

/** What a schema expects, worded to follow "must be". */
const expectedBy = (ast: SchemaAST.AST): string => {
  const expected = ast.annotations?.["expected"]
  if (typeof expected === "string") return expected
  switch (ast._tag) {
    case "String":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Arrays":
      return "an array"
    case "Objects":
      return "a JSON object"
    case "Null":
      return "null"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Union":
      return ast.types.every((type) => type._tag === "Literal")
        ? `one of ${ast.types.map(expectedBy).join(", ")}`
        : ast.types.map(expectedBy).join(" or ")
    default:
      return "a valid value"
  }
}

import { Effect, Result, Schema, type SchemaAST, type SchemaIssue } from "effect"
import { InvalidInput } from "../model/Errors.ts"
import { nearest } from "../text/Nearest.ts"
import { pathText } from "./PathText.ts"
import { remedyFor, type Surface } from "./TriedFields.ts"

/**
 * Decodes client input strictly: an unknown key is an error that suggests the nearest known one, and the first problem
 * is named by its path, such as `items[37].text`. Error messages never repeat the value, since it can be as long as the
 * body (docs/decisions.md#errors). `at` names the value when it is wrong as a whole; remedies use the terms of the
 * `surface`.
 */
export const decodeInput = <A>(
  schema: Schema.ConstraintDecoder<A>,
  at = "The body",
  surface: Surface = "REST"
): ((value: unknown) => Effect.Effect<A, InvalidInput>) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (value) => {
    const result = decode(value)
    return Result.isSuccess(result)
      ? Effect.succeed(result.success as A)
      : Effect.fail(describeIssue(result.failure.issue, at, surface))
  }
}

/** The first problem of a decoding as a domain error. */
export const describeIssue = (issue: SchemaIssue.Issue, at: string, surface: Surface = "REST"): InvalidInput => {
  const found = firstLeaf(issue, [], surface)
  const path = pathText(found.path)
  return new InvalidInput({ field: path === "" ? at : path, reason: found.reason })
}

interface Found {
  readonly path: ReadonlyArray<PropertyKey>
  readonly reason: string
  /** Whether the value has the wrong type. */
  readonly ofType?: true
}

const firstLeaf = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>, surface: Surface): Found => {
  switch (issue._tag) {
    case "Pointer":
      return firstLeaf(issue.issue, [...path, ...issue.path], surface)
    case "Composite":
      return firstLeaf(issue.issues[0], path, surface)
    case "Encoding":
      return firstLeaf(issue.issue, path, surface)
    case "Filter": {
      const expected = issue.filter.annotations?.expected
      if (typeof expected === "string") return { path, reason: `must be ${expected}` }
      return firstLeaf(issue.issue, path, surface)
    }
    case "AnyOf": {
      const tried = issue.issues.map((each) => firstLeaf(each, path, surface))
      // For a value of the right type, the message states the broken rule, not the types.
      const closest = tried.find((each) => each.path.length > path.length) ?? tried.find((each) => !each.ofType)
      return closest ?? { path, reason: `must be ${expectedBy(issue.ast)}`, ofType: true }
    }
    case "UnexpectedKey":
      return { path, reason: unknownKey(issue.ast, path.at(-1), surface) }
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

const unknownKey = (ast: SchemaAST.AST, key: PropertyKey | undefined, surface: Surface): string => {
  // A read-only key would be accepted and ignored, so it is never suggested.
  const written = ast._tag === "Objects" ? ast.propertySignatures.filter(({ type }) => !isReadOnly(type)) : []
  const known = written.map((each) => String(each.name))
  const remedy = remedyFor(String(key ?? ""), known, surface)
  if (remedy !== undefined) return `is not a known field: ${remedy}`
  const near = nearest(String(key ?? ""), known)
  const hint = near === undefined ? `known are ${known.slice(0, 40).join(", ")}` : `did you mean ${near}?`
  return `is not a known field: ${hint}`
}

const isReadOnly = (ast: SchemaAST.AST): boolean => ast.annotations?.["readOnly"] === true

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

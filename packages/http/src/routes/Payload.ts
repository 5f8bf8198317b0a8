import { Effect, type Schema, type SchemaAST } from "effect"
import type { HttpServerRequest } from "effect/http"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { decodeInput, inQuery } from "@lists-and-things/domain/json/Decode"
import { exampleAt, wholeExample } from "@lists-and-things/domain/json/Described"
import { withoutSecrets } from "@lists-and-things/domain/json/ShownValue"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { truncate } from "@lists-and-things/domain/text/Characters"
import { nearest } from "@lists-and-things/domain/text/Nearest"
import { isMarkdown, markdownType, maxBodyBytes, notJsonOrMarkdown } from "@lists-and-things/web/RequestBody"
import type { HttpError } from "@lists-and-things/web/ErrorAnswers"
import { fieldsBeside, markdownField } from "../api/MarkdownBody.ts"
import { nodeRequest, readJson, readMarkdown, readUnasked } from "../edge/RequestBody.ts"

interface Input {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly query?: Readonly<Record<string, unknown>>
}

/** A body as parsed JSON, and as decoded for its operation. */
interface Payload {
  readonly body: unknown
  readonly decoded: unknown
}

type Reading = (input: Input) => Effect.Effect<Payload, HttpError>
type Decoder = Schema.ConstraintDecoder<unknown>

/** The function with which an operation reads its body; undefined if it takes none. */
export const payloadOf = (endpoint: HttpApiEndpoint.Top): Reading | undefined => {
  const [declared] = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  if (declared === undefined) return undefined
  const schema = declared as unknown as Decoder
  return endpoint.payload.has(markdownType) ? documentReading(schema) : jsonReading(schema)
}

/**
 * Refuses a body with content for an operation that takes none: a `dry_run` in the body of a deletion must not delete
 * anything. `known` are the query parameters of the operation.
 */
export const refusingBody =
  (known: ReadonlyArray<string>) =>
  ({ request }: Input): Effect.Effect<void, HttpError> =>
    Effect.flatMap(readUnasked(request), (body) => {
      if (body === undefined || body === null) return Effect.void
      if (typeof body !== "object" || Array.isArray(body))
        return Effect.fail(new InvalidInput({ field: "The body", reason: "must be left out" }))
      const [name] = Object.keys(body)
      return name === undefined ? Effect.void : Effect.fail(unknownName(name, known, ofNoBody))
    })

const ofNoBody = (near: string | undefined): string =>
  `is not a known field: this operation takes no body${near === undefined ? "" : `, and ${near} is a query parameter`}`

/** The refusal of a name that a write does not take; `reasonOf` is given the nearest of the `known` query parameters. */
export const unknownName = (
  name: string,
  known: ReadonlyArray<string>,
  reasonOf: (near: string | undefined) => string
): InvalidInput => {
  const near = nearest(name, known)
  return new InvalidInput({
    field: truncate(withoutSecrets(name), 80),
    reason: reasonOf(near),
    ...(near === "dry_run" && { example: "dry_run=true" })
  })
}

const jsonReading = (schema: Decoder): Reading => {
  const example = JSON.stringify(wholeExample(schema.ast))
  const decoded = decoding(decodeInput(schema))
  return ({ request }) => Effect.flatMap(Effect.mapError(readJson(request), withExample(example)), decoded)
}

const decoding =
  (decode: (body: unknown) => Effect.Effect<unknown, InvalidInput>) =>
  (body: unknown): Effect.Effect<Payload, InvalidInput> =>
    Effect.map(decode(body), (decoded) => ({ body, decoded }))

/** Adds an example of a whole body to the refusal of something else. */
const withExample =
  (example: string) =>
  <E extends HttpError>(error: E): E | InvalidInput =>
    error._tag === "InvalidInput" && error.field === "The body"
      ? new InvalidInput({ field: error.field, reason: error.reason, example })
      : error

/** For an operation that takes a document: in a JSON body, or as the body itself with the other fields in the query. */
const documentReading = (schema: Decoder): Reading => {
  const inJson = JSON.stringify(wholeExample(schema.ast))
  const alone = documentExample(schema.ast)
  const beside = fieldsBeside(schema.ast).map(({ name }) => name)
  const decodeJson = decoding(decodeInput(schema))
  const decodeDocument = decoding(decodeInput(schema, asDocument))
  return ({ query = {}, request }) => {
    const given = Object.entries(query).filter(([name, value]) => value !== undefined && beside.includes(name))
    if (isMarkdown(nodeRequest(request).headers))
      return Effect.flatMap(Effect.mapError(readMarkdown(request), withExample(alone)), (text) =>
        decodeDocument({ ...Object.fromEntries(given), [markdownField]: text })
      )
    const json = Effect.mapError(readJson(request, maxBodyBytes, notJsonOrMarkdown), withExample(inJson))
    const [first] = given
    return first === undefined
      ? Effect.flatMap(json, decodeJson)
      : Effect.andThen(json, Effect.fail(notBesideJson(schema.ast, first[0])))
  }
}

/** Wording of messages: fields of the query are shown as written there, and a document as it is. */
const asDocument = {
  ...inQuery,
  written: (name: string, value: unknown) =>
    name === markdownField ? String(value).trimEnd() : inQuery.written(name, value)
}

const documentExample = (schema: SchemaAST.AST): string =>
  String(exampleAt(schema, [markdownField])?.value ?? "").trimEnd()

const notBesideJson = (schema: SchemaAST.AST, name: string): InvalidInput => {
  const example = exampleAt(schema, [name])?.value
  return new InvalidInput({
    field: name,
    reason: `belongs in the JSON body: it is a query parameter only beside a body of ${markdownType}`,
    ...(example !== undefined && { example: `${JSON.stringify(name)}: ${JSON.stringify(example)}` })
  })
}

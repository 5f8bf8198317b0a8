import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { annotationOf, Changing, Conditional, OperationExample, RequiredScopes, TaggedBy } from "../api/Operation.ts"
import { answerDropped } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { exampleIds } from "@lists-and-things/domain/json/Described"
import { DryRunJson } from "@lists-and-things/domain/json/OperationJson"
import { markdownType, notJsonOrMarkdown } from "@lists-and-things/web/RequestBody"
import { Schema, SchemaAST } from "effect"
import * as Examples from "../api/Examples.ts"
import { Api, basePath } from "../api/Api.ts"
import { markdownField } from "../api/MarkdownBody.ts"
import { idempotencyKeyForm, parameterDoc, type ParameterDoc } from "../api/Parameters.ts"
import { errorExample } from "./ErrorExamples.ts"

type Json = Record<string, unknown>
type Operation = OpenApi.OpenAPISpecOperation

const description = `Lists of things: todos and plain lines, with tags, notes, photos and reminders.

Every request carries an API key. Each operation names the scope that the key needs. Bodies are JSON, or markdown where an operation says so. Every error is \`{ "error": string }\`. Times are ISO 8601 in UTC. A write can carry an \`Idempotency-Key\`, so that repeating it takes effect once.

Some requests reach no operation: 404 for an unknown path, 405 with \`Allow\` for a wrong method, 408 for a request that arrives too slowly, 417 for an \`Expect\` other than \`100-continue\`, 431 for headers above 16 KiB, or more than 1,000 of them.`

/** The interface description, from the declarations that serve requests. `siteUrl` has no trailing slash. */
export const openApiDocument = (siteUrl: string): Json => {
  const spec = plainlyNamed(OpenApi.fromApi(Api))
  const endpoints = endpointsById()
  const paths = Object.entries(spec.paths).map(([path, item]) => [
    path.slice(basePath.length),
    Object.fromEntries(
      Object.entries(item).map(([method, of]) => [method, documented(of as Operation, method, { endpoints, siteUrl })])
    )
  ])
  return {
    openapi: spec.openapi,
    info: { ...spec.info, description },
    servers: [{ url: `${siteUrl}${basePath}` }],
    security: [{ bearer: [] }],
    tags: spec.tags,
    paths: Object.fromEntries(paths) as Json,
    "x-dry-run": dryRun,
    components: {
      ...spec.components,
      schemas: { ...spec.components.schemas, Error: errorSchema },
      headers: responseHeaders,
      parameters: { IdempotencyKey: idempotencyKey, IfMatch: ifMatch, IfNoneMatch: ifNoneMatch }
    }
  }
}

/**
 * Merges the names of encoded and decoded forms, which the generator tells apart: clients see the encoded form only.
 */
const plainlyNamed = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec =>
  JSON.parse(
    plainly(spec).replaceAll('InputEncoded"', 'Input"').replaceAll('"scheme":"Bearer"', '"scheme":"bearer"')
  ) as OpenApi.OpenAPISpec

/**
 * The JSON of a schema, without the bounds that every integer has. A tuple becomes an array of that length, since
 * generators without `prefixItems` require `items`, and others take both together for a longer tuple.
 */
const plainly = (value: object): string =>
  JSON.stringify(value, (key, inner: unknown) =>
    isEveryInteger(key, inner) ? undefined : isTuple(inner) ? arrayOfItsLength(inner) : inner
  )

interface Tuple {
  readonly prefixItems: ReadonlyArray<unknown>
}

const isTuple = (value: unknown): value is Tuple =>
  typeof value === "object" && value !== null && "prefixItems" in value

const arrayOfItsLength = ({ prefixItems, ...array }: Tuple): object => ({ ...array, items: anyOf(prefixItems) })

const anyOf = (schemas: ReadonlyArray<unknown>): unknown => {
  const [first, ...others] = new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()
  return others.length === 0 ? first : { anyOf: [first, ...others] }
}

const isEveryInteger = (key: string, value: unknown): boolean =>
  (key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER

/** An operation's id is its endpoint's name, without the group. */
const endpointsById = (): ReadonlyMap<string, HttpApiEndpoint.Top> => {
  const found = new Map<string, HttpApiEndpoint.Top>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => void found.set(endpoint.identifier, endpoint)
  })
  return found
}

interface Described {
  readonly endpoints: ReadonlyMap<string, HttpApiEndpoint.Top>
  readonly siteUrl: string
}

const documented = (operation: Operation, method: string, { endpoints, siteUrl }: Described): Json => {
  const id = operation.operationId.slice(operation.operationId.lastIndexOf(".") + 1)
  const annotations = endpoints.get(id)!.annotations
  const scopes = annotationOf(annotations, RequiredScopes)!
  const example = annotationOf(annotations, OperationExample)!(siteUrl)
  const changes = annotationOf(annotations, Changing)!
  const isTagged = annotationOf(annotations, TaggedBy) !== undefined
  const takesMarkdown = endpoints.get(id)!.payload.has(markdownType)
  const { description: text = "", parameters, requestBody, responses, ...rest } = operation
  return {
    ...rest,
    operationId: id,
    description: `${text}\n\nRequires ${scopes.length > 1 ? "the scopes" : "the scope"} ${scopes.map((scope) => `\`${scope}\``).join(" and ")}.`,
    "x-required-scope": scopes.join(" "),
    ...(parameters.some(({ name }) => name === "dry_run") ? { "x-dry-run": true } : {}),
    parameters: [...parameters.map(parameterOf(endpoints.get(id)!)), ...headerParameters(method, annotations)],
    ...(requestBody === undefined ? {} : { requestBody: withExample(requestBody as unknown as Json, example.request) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          answer(Number(status), response as unknown as Json, example.response, {
            isRead: method === "get",
            changes,
            isTagged,
            takesMarkdown
          })
        ])
      ),
      ...(method === "get" && isTagged ? { "304": notModified } : {})
    }
  }
}

const headerParameters = (method: string, annotations: HttpApiEndpoint.Top["annotations"]): ReadonlyArray<Json> => {
  const isRead = method === "get"
  const names = [
    ...(isRead ? [] : ["IdempotencyKey"]),
    ...(annotationOf(annotations, Conditional) === undefined ? [] : ["IfMatch"]),
    ...(isRead && annotationOf(annotations, TaggedBy) !== undefined ? ["IfNoneMatch"] : [])
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

/** A parameter as it is declared: clients see another type than the text in the query string. */
const parameterOf =
  (endpoint: HttpApiEndpoint.Top) =>
  (of: OpenApi.OpenAPISpecParameter): Json => ({ ...of, ...declaredIn(endpoint, of) })

const declaredIn = (endpoint: HttpApiEndpoint.Top, of: OpenApi.OpenAPISpecParameter): ParameterDoc => {
  const ast = (of.in === "path" ? endpoint.params : endpoint.query)?.ast
  const field = ast?._tag === "Objects" ? ast.propertySignatures.find(({ name }) => name === of.name) : undefined
  const doc = field && parameterDoc(SchemaAST.toEncoded(field.type))
  if (doc === undefined) throw new Error(`The parameter ${of.name} of ${endpoint.identifier} is not described.`)
  return doc
}

interface Answered {
  readonly isRead: boolean
  readonly changes: boolean
  readonly isTagged: boolean
  readonly takesMarkdown: boolean
}

const errorOf = (status: number, { isRead, takesMarkdown }: Answered): string | undefined => {
  if (status === 415 && takesMarkdown) return notJsonOrMarkdown().message
  return status === 410 && !isRead ? answerDropped(exampleIds.operation) : errorExample(status)
}

const answer = (status: number, response: Json, example: unknown, answered: Answered): Json => {
  const { changes, isTagged } = answered
  const headers = headersOf(status)
  const tag = isTagged || status === 412 ? { ETag: { $ref: "#/components/headers/ETag" } } : {}
  if (status < 400) {
    const operation = changes
      ? {
          "X-Operation-Id": { $ref: "#/components/headers/OperationId" },
          "X-Notice": { $ref: "#/components/headers/Notice" }
        }
      : {}
    return {
      ...withExample({ ...response, description: "Success." }, example),
      headers: { ...headers, ...operation, ...tag }
    }
  }
  return {
    description: response["description"],
    headers: status === 412 ? { ...headers, ...tag } : headers,
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        example: { error: errorOf(status, answered) }
      }
    }
  }
}

const withExample = (body: Json, example: unknown): Json => ({
  ...body,
  content: Object.fromEntries(
    Object.entries(body["content"] as Record<string, Json>).map(([type, content]) => [
      type,
      { ...content, example: type === markdownType && isDocument(example) ? example[markdownField] : example }
    ])
  )
})

const isDocument = (example: unknown): example is Json =>
  typeof example === "object" && example !== null && markdownField in example

const headersOf = (status: number): Json => ({
  "X-Request-Id": { $ref: "#/components/headers/RequestId" },
  ...(status === 401 || status === 403
    ? { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } }
    : {
        "X-RateLimit-Limit": { $ref: "#/components/headers/RateLimitLimit" },
        "X-RateLimit-Remaining": { $ref: "#/components/headers/RateLimitRemaining" },
        "X-RateLimit-Reset": { $ref: "#/components/headers/RateLimitReset" }
      }),
  ...(status === 429 || status === 503 ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : {})
})

/**
 * The answer of a write with `dry_run`. It is not one of the responses, since generated clients would then have to tell
 * the two forms apart in every answer.
 */
const dryRun: Json = {
  status: 200,
  schema: JSON.parse(plainly(Schema.toJsonSchemaDocument(DryRunJson, { onExcessProperty: "error" }).schema)) as Json,
  example: Examples.dryRun()
}

/** The 304 of a read whose answer has a tag. */
const notModified: Json = {
  description: "The current entity tag is among those of If-None-Match; there is no body.",
  headers: { ...headersOf(304), ETag: { $ref: "#/components/headers/ETag" } }
}

const header = (text: string, schema: Json, example: unknown): Json => ({ description: text, schema, example })

const responseHeaders: Json = {
  RequestId: header(
    "The id of this request in the server's log.",
    { type: "string" },
    "0f7c1a52-6c1c-4f0e-9d0f-3f7d8f6f2b11"
  ),
  OperationId: header(
    "The id of the operation that this write recorded; absent if nothing was changed. A repeated write has that of the first.",
    { type: "string" },
    exampleIds.operation
  ),
  Notice: header(
    "A sentence about a result that the caller may not expect: what a bulk call left out and why, a reminder in the past, an occurrence that is not due. Usually absent.",
    { type: "string" },
    "Skipped items[1] (blank), items[3] (a duplicate)."
  ),
  ETag: header(
    "The entity tag that a `GET` without query parameters has now; absent if the entity does not exist and when a write is repeated.",
    { type: "string" },
    '"Zq3vFw0mJm1y7c2n9k5r2A"'
  ),
  RateLimitLimit: header("How many requests per hour this key has.", { type: "integer" }, 1000),
  RateLimitRemaining: header("How many requests are left in this window.", { type: "integer", minimum: 0 }, 999),
  RateLimitReset: header("When the window resets, in Unix seconds.", { type: "integer" }, 1_795_255_200),
  Challenge: header(
    "The authentication scheme, and what is wrong with the key (RFC 6750).",
    { type: "string" },
    'Bearer error="insufficient_scope", scope="write:lists"'
  ),
  RetryAfter: header("Seconds to wait.", { type: "integer", minimum: 1 }, 60)
}

const idempotencyKey: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A unique key for this write, of visible ASCII characters without blanks. Repeated with the same key within 24 hours, the write takes effect once and has the same response.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: idempotencyKeyForm.source },
  example: "order-2026-11-20-1"
}

const ifMatch: Json = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "Entity tags, separated by commas. The write is made only if the entity has one of them now, or with `*` if it exists. Weak tags never match.",
  schema: { type: "string" },
  example: '"Zq3vFw0mJm1y7c2n9k5r2A"'
}

const ifNoneMatch: Json = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "Entity tags, separated by commas. If the response would have one of them, it is a 304 without a body.",
  schema: { type: "string" },
  example: '"Zq3vFw0mJm1y7c2n9k5r2A"'
}

const errorSchema: Json = {
  type: "object",
  properties: { error: { type: "string", description: "One sentence that says what is wrong and what is expected." } },
  required: ["error"],
  additionalProperties: false
}

import { Ajv2020 } from "ajv/dist/2020.js"
import { expect } from "@effect/vitest"
import { openApiDocument } from "@lists-and-things/http/docs/OpenApiDocument"

interface Operation {
  readonly operationId: string
  readonly "x-dry-run"?: true
  readonly responses: Record<
    string,
    { readonly content?: Record<string, { readonly schema: object }>; readonly headers?: object }
  >
}

export const document = openApiDocument("http://lists.test") as {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: object
  readonly "x-dry-run": { readonly status: number; readonly schema: object }
}

const ajv = new Ajv2020({ strict: false, formats: { "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ } })
ajv.addSchema({ $id: "api", components: document.components })

/** Concrete segments win over `{id}`, as they do in the router. */
const operationAt = (method: string, path: string): Operation | undefined => {
  const found = Object.entries(document.paths)
    .filter(([template]) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
    .filter(([, item]) => item[method.toLowerCase()] !== undefined)
    .toSorted(([a], [b]) => a.split("{").length - b.split("{").length)[0]
  return found?.[1][method.toLowerCase()]
}

/** A dry run has the headers of another answer. */
const dryRunOf = ({ responses }: Operation): Operation["responses"][string] => ({
  ...(responses["200"] ?? responses["201"]),
  content: { "application/json": { schema: document["x-dry-run"].schema } }
})

const validators = new Map<string, ReturnType<typeof ajv.compile>>()

/** Absent where nothing was changed, where what would be tagged is not there, and on repeated writes. */
const optional = ["X-Operation-Id", "X-Notice", "ETag"]

/** Expects an answer to be as the interface description says: its status, headers and body. */
export const expectDescribed = (
  method: string,
  path: string,
  status: number,
  headers: Headers,
  body: unknown
): void => {
  const isError = status >= 400
  if (isError) expect(Object.keys(body as object), `${method} ${path} ${status}`).toStrictEqual(["error"])
  const operation = operationAt(method, path.split("?")[0]!)
  if (operation === undefined) return
  const isDryRun = typeof body === "object" && body !== null && "dry_run" in body
  if (isDryRun) expect([operation["x-dry-run"], document["x-dry-run"].status]).toStrictEqual([true, status])
  const response = isDryRun ? dryRunOf(operation) : operation.responses[String(status)]
  expect(
    response,
    `${operation.operationId} describes no ${status}: ${String(JSON.stringify(body)).slice(0, 200)}`
  ).toBeDefined()
  const described = Object.keys(response!.headers ?? {})
  for (const header of optional.filter((name) => !described.includes(name)))
    expect(headers.get(header), `${operation.operationId} ${status} ${header}`).toBeNull()
  for (const header of described.filter((name) => !optional.includes(name))) {
    // No limit can be reported while the keys cannot be read.
    if (status !== 503) expect(headers.get(header), `${operation.operationId} ${status} ${header}`).not.toBeNull()
  }
  const [type, content] = Object.entries(response!.content ?? {})[0] ?? [null]
  expect(headers.get("content-type")).toBe(type)
  if (type === null || content === undefined || !type.startsWith("application/json")) return
  const key = `${operation.operationId} ${isDryRun ? "dry run" : status}`
  const schema = JSON.parse(JSON.stringify(content.schema).replaceAll('"#/', '"api#/')) as object
  const validate = validators.get(key) ?? ajv.compile(schema)
  validators.set(key, validate)
  expect(validate(body) ? [] : validate.errors, key).toStrictEqual([])
}

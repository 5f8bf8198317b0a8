import { document } from "./AnswerSchemas.ts"
import { type OperationCase, operations } from "./Operations.ts"

const every = "EveryOperation"

/** The test of `EveryOperation.test.ts` that gives this operation this status; undefined where none does. */
const testOf = (id: string, of: OperationCase, status: number): string | undefined => {
  const isWrite = of.method !== "GET"
  const is: Readonly<Record<number, boolean>> = {
    [of.success]: true,
    304: ["listLists", "getList", "listThings", "getThing", "listTags"].includes(id),
    412: ["updateList", "deleteList", "updateThing", "deleteThing", "setReminder", "removeReminder"].includes(id),
    400: of.bad !== undefined || isWrite,
    401: true,
    403: true,
    404: of.unknown !== undefined,
    410: isWrite,
    413: isWrite,
    415: isWrite,
    422: isWrite,
    429: true,
    500: id !== "previewReminder",
    503: true
  }
  return is[status] === true ? every : undefined
}

/** The tests of the operations' rules, beyond their statuses. */
const contractTests: Readonly<Record<string, string>> = {
  lists: "Lists",
  things: "Things",
  bulk: "BulkThings",
  reminders: "Reminders",
  search: "Search",
  history: "History",
  webhooks: "Webhooks"
}

const contractTestOf = (id: string, tag: string): string =>
  contractTests[
    ["createThings", "updateThings", "deleteThings", "appendMarkdown"].includes(id) ? "bulk" : tag.toLowerCase()
  ]!

const intro = `# Which test covers which status

Generated from the cases in \`test/http/Operations.ts\` and from the interface description. \`test/http/Coverage.test.ts\`
checks that it is current, and \`LAT_WRITE_COVERAGE=1\` regenerates it.

- \`EveryOperation.test.ts\` provokes every status in the columns marked with \`x\` for every operation: success (with the
  limits counted), 400, 401 (six kinds of wrong keys), 403 (before anything else about the request), 404 (unknown and
  foreign ids alike, before 400), 410, 413, 415, 422, 429, 500 and 503 (a storage that fails, that cannot be reached, and
  keys that cannot be read).
- \`DryRuns.ts\` tries every write with \`dry_run\` (200), \`Preconditions.test.ts\` tries 304 and 412, over PostgreSQL too (\`Postgres.test.ts\`).
- Every answer in every test over HTTP is validated against the schema, the headers and the content type that the
  interface description declares for its status (\`AnswerSchemas.ts\`).
- The file in the last column tests the rules of the contract, among them further refusals.
- \`-\` means that the description lists the status but no request can cause it: nothing in the request can be
  malformed, or the operation does not use the storage.`

const edge = `
## What is not an operation

| what | statuses | test |
| --- | --- | --- |
| unknown address, wrong method, OPTIONS, HEAD, bad percent-encoding | 404, 405, 204, 200 | packages/http/test/Edge.test.ts |
| the same with a key: counted | 404, 405 | test/http/Access.test.ts |
| bodies: JSON types, charsets, encodings, 10 MiB announced, counted and with 100-continue | 200, 400, 413, 415 | packages/http/test/Edge.test.ts |
| bodies of markdown: charsets, types, text, the query beside them | 201, 400, 403, 413, 415, 422 | test/http/MarkdownBodies.test.ts |
| Unicode, nesting, duplicate keys in JSON text | 400 | packages/domain/test/json/JsonText.test.ts |
| what Node refuses by itself: two hosts, ambiguous framing, long headers, unknown expectations, upgrades | 400, 417, 431 | packages/http/test/Edge.test.ts |
| something unforeseen | 500 | packages/http/test/Edge.test.ts |
| revoked keys, the exact limit, Idempotency-Key in parallel | 401, 429, 201, 422 | test/http/Access.test.ts |
| \`/api/v1/openapi.json\`, \`/docs\`, \`/llms.txt\`, \`/healthz\`, \`/readyz\` | 200, 503 | test/http/Access.test.ts, packages/http/test/OpenApi.test.ts |
| a program with a client generated from the interface description | 200, 201 | test/http/ClientSample.test.ts |
| generated requests over every operation | all but 5xx | test/http/Fuzz.test.ts |
| SIGTERM with requests in flight, idle and stuck connections | | packages/http/test/Listener.test.ts, test/http/Process.test.ts |
`

/** The table of every endpoint and the test that covers each of its statuses. */
export const coverage = (): string => {
  const statuses = [304, 400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 429, 500, 503]
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const { operationId: id } = operation
      const of = operations[id]!
      const cell = (status: number) =>
        operation.responses[String(status)] === undefined ? "" : testOf(id, of, status) === undefined ? "-" : "x"
      const tag = (operation as unknown as { readonly tags: ReadonlyArray<string> }).tags[0] ?? ""
      return `| ${method.toUpperCase()} ${path} | ${of.success} | ${statuses.map(cell).join(" | ")} | ${contractTestOf(id, tag)}.test.ts |`
    })
  )
  const head = `| endpoint | success | ${statuses.join(" | ")} | rules |\n| --- | --- | ${statuses.map(() => "---").join(" | ")} | --- |`
  return `${intro}\n\n${head}\n${rows.join("\n")}\n${edge}`
}

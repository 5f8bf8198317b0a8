import { latOnPage } from "@lists-and-things/domain/text/CommandLine"
import { operationEvent, reminderDue } from "../api/WebhookExamples.ts"
import {
  type Contract,
  fieldsOf,
  limitsOf,
  type Operation,
  operationsOf,
  resolveParameter,
  type SchemaDoc,
  typeOf
} from "./Contract.ts"

/** The contract as plain text, for people and language models. */
export const llmsText = (document: Record<string, unknown>, siteUrl: string): string => {
  const contract = document as unknown as Contract
  const objects = { ...contract.components.schemas, DryRun: contract["x-dry-run"].schema }
  const base = contract.servers[0]?.url ?? siteUrl
  return (
    [
      `# ${contract.info.title} API ${contract.info.version}`,
      contract.info.description,
      `Base address: ${base}\nOpenAPI 3.1: ${base}/openapi.json\nTool server (MCP): ${siteUrl}/mcp`,
      rules(),
      `## A first request\n\ncurl -X POST '${base}/things' -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -H 'Idempotency-Key: any-unique-text' -d '{"list":"today","text":"Oat milk"}'`,
      ...contract.tags.map((tag) =>
        [
          `## ${tag.name}`,
          tag.description ?? "",
          ...operationsOf(contract)
            .filter((operation) => operation.tags.includes(tag.name))
            .map((operation) => operationText(contract, operation))
        ].join("\n\n")
      ),
      webhookRequests(),
      "## Objects",
      "Paths of fields: `by.type` is within the object `by`, `by_list[].created` within each item of the array `by_list`.",
      ...Object.entries(objects).map(([name, schema]) => `### ${name}\n\n${fieldsText(schema)}`)
    ].join("\n\n") + "\n"
  )
}

const rules = (): string => `## Rules

- Authorization: Bearer <API_KEY>. A person creates a key on the page /account, or with the command ${latOnPage("key create")} on the server's machine. 401: the key is missing or invalid. 403: the key lacks the operation's scope. Bodies: Content-Type: application/json, or text/markdown where an operation says so.
- Scopes: read:lists, write:lists, read:things (things, reminders, tags), write:things (things and reminders), search.
- A key has 1000 requests per hour, unless it was given another limit. X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset (Unix seconds) are on every response except 401 and 403. After a 429, wait the number of seconds in Retry-After.
- Errors are { "error": string }. 400: something is missing or malformed, and nothing was changed. 404: you have no such list or thing. 413: the body is over 10 MiB. 415: the body is neither JSON nor another type that the operation takes. 503: try again after the number of seconds in Retry-After. 507: the disk is full; reads still work.
- An unknown field in a body is a 400 that names the nearest known one; read-only fields are ignored. An unknown query parameter is a 400 on a write, and ignored on a read.
- Resolve a name to an id with GET /search or GET /lists; get day lists through GET /today; use the bulk operations instead of loops.
- Every write is real: there is no sandbox, and deletes are permanent, except that POST /operations/{id}/undo can undo an operation while it is kept, by default 30 days. X-Operation-Id on the response to a write is the id of its operation. dry_run=true on a write changes nothing and returns what it would do: 200 with the object DryRun.
- X-Notice on the response to a write is a sentence about a result that you may not expect: what a bulk call left out and why, a reminder in the past, that nothing was done.
- GET /operations lists who changed what. GET /changes is a feed of changes, for use instead of polling.
- GET /things/{id} and GET /lists/{id} have an ETag. Send it in If-Match to make a write conditional (412), or in If-None-Match to make a read conditional (304).
- POST /webhooks creates a webhook, which tells another system of due reminders and of changes. It needs all five scopes.
- 409: the current state does not allow an undo, or a replay to a webhook that is off. 410: what was asked for is no longer kept, such as the response of a repeated write.
- Idempotency-Key on a write makes it safe to repeat for 24 hours.`

/** What a receiver must know; webhooks of all formats are signed alike. */
const webhookRequests = (): string => `## What a webhook is sent

Each event is a POST. \`webhook-id\` is the same in every attempt: ignore an id that you have seen. \`webhook-timestamp\` is in Unix seconds. \`webhook-signature\` is \`v1,\` and the base64 of the HMAC-SHA256 of \`<webhook-id>.<webhook-timestamp>.<body>\`; its key is what base64 decodes from the secret after \`whsec_\`. A replaced secret still signs for 24 hours; there are then several signatures, separated by spaces. Refuse a request without a valid signature, or with a timestamp more than five minutes old.

Answer 2xx within 15 seconds; after any other answer the event is retried for about three days, and 410 switches the webhook off. The body depends on the format: \`standard\` is JSON as below, \`ntfy\` is plain text with the headers \`Title\`, \`Tags\` and \`Click\`, \`slack\` is { "text": string }.

reminder.due, sent at the time of a reminder and of each alert (\`alert\`: null, "first" or "second"), such as ${reminderDue()}

operation, sent for each change, with at most 100 entities in 20,000 bytes, such as ${operationEvent()}`

const operationText = (contract: Contract, operation: Operation): string => {
  const parameters = operation.parameters
    .map((parameter) => resolveParameter(contract, parameter))
    .filter((parameter) => parameter.in !== "header")
    .map(
      (parameter) =>
        `- ${parameter.name} (${parameter.in}, ${typeOf(parameter.schema)}${parameter.required === true ? ", required" : ""}): ${parameter.description ?? ""}${parenthesized(limitsOf(parameter.schema))}`
    )
  const [status = "200", success] = Object.entries(operation.responses)[0] ?? []
  const [request, ...others] = Object.entries(operation.requestBody?.content ?? {})
  const response = Object.values(success?.content ?? {})[0]
  const errors = Object.keys(operation.responses).filter((each) => Number(each) >= 400)
  return [
    `### ${operation.method} ${operation.path}`,
    `${operation.summary ?? ""}. ${operation.description ?? ""}`,
    ...(parameters.length === 0 ? [] : [parameters.join("\n")]),
    ...(request === undefined
      ? []
      : [`Body: ${typeOf(request[1].schema)}, such as ${JSON.stringify(request[1].example)}`]),
    ...others.map(([type, { example }]) => `Or Content-Type: ${type}, such as ${JSON.stringify(example)}`),
    `${status}: ${typeOf(response?.schema)}, such as ${JSON.stringify(response?.example)}`,
    `Errors: ${errors.join(", ")}`
  ].join("\n\n")
}

const parenthesized = (text: string): string => (text === "" ? "" : ` (${text})`)

const fieldsText = (schema: SchemaDoc): string => {
  const fields = fieldsOf(schema)
  if (fields.length === 0) return typeOf(schema)
  return fields
    .map(({ description, details, path }) => `- ${path}: ${details}${description === "" ? "" : `. ${description}`}`)
    .join("\n")
}

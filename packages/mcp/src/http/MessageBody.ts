import { isJsonContentType, PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server"
import { parseJsonBytes } from "@lists-and-things/domain/json/JsonText"
import type { InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { inFigures } from "@lists-and-things/domain/text/Wording"
import { refused, type Refused } from "@lists-and-things/web/ErrorAnswers"
import { BodyBytes, checkJson, checkLength, incomplete, notJson } from "@lists-and-things/web/RequestBody"
import { Effect } from "effect"
import { withoutNullParams } from "../AbsentParams.ts"
import { fieldsOf, isRecord } from "../LenientArguments.ts"

/** Characters of each text of a message that the SDK repeats in its answer. */
const maxRepeated = 1_000

/**
 * Values of a message, or a batch, besides arguments, which tools check themselves. The SDK reports each that is wrong:
 * 100,000 would take more than a second.
 */
const maxValues = 10_000

/**
 * Reads and parses the JSON body of an account's request, within the REST API's limits on size and depth. Strings are
 * checked by the tools. Unlike the REST API, it requires `Content-Type`, as the protocol does. Batches are accepted
 * only in older versions of the protocol.
 */
export const readMessage = (request: Request, owner: AccountId): Effect.Effect<unknown, Refused | InvalidInput> => {
  const headers = Object.fromEntries(request.headers)
  return checkLength(headers).pipe(
    Effect.andThen(checkJson(headers)),
    Effect.andThen(isJsonContentType(headers["content-type"]) ? readBytes(request, owner) : Effect.fail(notJson())),
    Effect.flatMap((bytes) => parseJsonBytes(bytes, { anyString: true })),
    Effect.filterOrFail((body) => !(Array.isArray(body) && isWithoutBatches(headers)), oneMessage),
    Effect.tap((body) => {
      const long = (Array.isArray(body) ? body : [body]).map(longText).find((name) => name !== undefined)
      return long === undefined ? Effect.void : Effect.fail(tooLongText(long))
    }),
    Effect.filterOrFail((body) => valuesIn(body) <= maxValues, tooManyValues),
    Effect.filterOrFail(hasDistinctIds, equalIds),
    Effect.map(withoutNullParams),
    Effect.map(withoutCancellations)
  )
}

/**
 * Removes the cancellations from a batch unless it holds nothing else. They name messages of the same batch, which are
 * served all the same, as the protocol allows; the SDK would not answer those, and wait for their answers for ever.
 */
const withoutCancellations = (body: unknown): unknown => {
  if (!Array.isArray(body)) return body
  const rest = body.filter((message) => !(isRecord(message) && message["method"] === "notifications/cancelled"))
  return rest.length === 0 ? body : rest
}

/**
 * Protocol versions are dates; that of 2025-06-18 removed batches. A request without the header has an earlier version.
 */
const isWithoutBatches = (headers: Readonly<Record<string, string>>): boolean =>
  (headers["mcp-protocol-version"] ?? "") >= "2025-06-18"

const oneMessage = () => refused(400, "The body must be one message: this version of the protocol has no batches.")

/** The name of a text that is too long: the id, or one of those that are compared with headers. */
const longText = (message: unknown): string | undefined => {
  const { id, method, params } = fieldsOf(message)
  const { _meta, name, taskId, uri } = fieldsOf(params)
  const version = fieldsOf(_meta)[PROTOCOL_VERSION_META_KEY]
  const repeated = { id, method, name, uri, taskId, [PROTOCOL_VERSION_META_KEY]: version }
  return Object.entries(repeated).find(([, text]) => typeof text === "string" && text.length > maxRepeated)?.[0]
}

const tooLongText = (name: string) =>
  refused(400, `The ${name} must have at most ${inFigures(maxRepeated)} characters.`)

/** The number of values, without those in a field `arguments`. */
const valuesIn = (json: unknown): number => {
  if (typeof json !== "object" || json === null) return 1
  return Object.entries(json).reduce((sum, [key, value]) => (key === "arguments" ? sum : sum + valuesIn(value)), 1)
}

const tooManyValues = () => refused(400, `A message may have at most ${inFigures(maxValues)} values besides arguments.`)

/** Of two requests in a batch with the same id, the SDK would run or answer only one. */
const hasDistinctIds = (body: unknown): boolean => {
  const ids = (Array.isArray(body) ? body : [])
    .map(fieldsOf)
    .flatMap(({ id, method }) => (method === undefined ? [] : (id ?? [])))
  return new Set(ids).size === ids.length
}

const equalIds = () => refused(400, "The requests of a batch must have different ids.")

const readBytes = (request: Request, owner: AccountId): Effect.Effect<Uint8Array, Refused> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: async () => {
        const body = new BodyBytes(undefined, owner)
        try {
          for await (const chunk of request.body ?? []) {
            const refusal = body.add(chunk)
            if (refusal !== undefined) return refusal
          }
          return body.whole()
        } finally {
          body.release()
        }
      },
      catch: incomplete
    }),
    (read) => (read instanceof Uint8Array ? Effect.succeed(read) : Effect.fail(read))
  )

import { isJsonContentType } from "@modelcontextprotocol/server"
import { parseJsonBytes } from "@lists-and-things/domain/json/JsonText"
import type { InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { refused, type Refused } from "@lists-and-things/web/ErrorAnswers"
import { BodyBytes, checkJson, checkLength, notJson } from "@lists-and-things/web/RequestBody"
import { Effect } from "effect"
import { withoutNullParams } from "../AbsentParams.ts"
import { isRecord } from "../LenientArguments.ts"

/**
 * Parses the JSON of an account's request within the cap and the REST API's limits of depth and size. Tools check
 * strings. Other than in the REST API, `Content-Type` is required, since the protocol requires it. A batch is of the
 * older protocol alone.
 */
export const readMessage = (request: Request, owner: AccountId): Effect.Effect<unknown, Refused | InvalidInput> => {
  const headers = Object.fromEntries(request.headers)
  return checkLength(headers).pipe(
    Effect.andThen(checkJson(headers)),
    Effect.andThen(isJsonContentType(headers["content-type"]) ? readBytes(request, owner) : Effect.fail(notJson())),
    Effect.flatMap((bytes) => parseJsonBytes(bytes, { anyString: true })),
    Effect.filterOrFail((body) => !(Array.isArray(body) && isWithoutBatches(headers)), oneMessage),
    Effect.map(withoutNullParams),
    Effect.map(withoutCancellations)
  )
}

/**
 * A batch without its cancellations, where anything else is in it. They are for messages of this batch, which are served
 * all the same, as the protocol allows; the SDK would not answer what they name, and wait for that answer for ever.
 */
const withoutCancellations = (body: unknown): unknown => {
  if (!Array.isArray(body)) return body
  const rest = body.filter((message) => !(isRecord(message) && message["method"] === "notifications/cancelled"))
  return rest.length === 0 ? body : rest
}

/** Versions of the protocol are dates; this one ended batches. Without the header it is one before. */
const isWithoutBatches = (headers: Readonly<Record<string, string>>): boolean =>
  (headers["mcp-protocol-version"] ?? "") >= "2025-06-18"

const oneMessage = () => refused(400, "The body must be one message: this version of the protocol has no batches.")

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
      catch: () => refused(400, "The body ended before all of it was received.", { close: true })
    }),
    (read) => (read instanceof Uint8Array ? Effect.succeed(read) : Effect.fail(read))
  )

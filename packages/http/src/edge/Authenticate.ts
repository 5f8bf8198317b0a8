import { Cause, Effect, Layer, Predicate, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiError from "effect/http-api/HttpApiError"
import { type Admitted, ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { describeIssue, inQuery } from "@lists-and-things/domain/json/Decode"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { makeUnknownIds } from "@lists-and-things/domain/targets/UnknownId"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { annotationOf, Authentication, PathResource, ReadsAtOnce, RequiredScopes, TaggedBy } from "../api/Operation.ts"
import { whenReady } from "./PendingAnswer.ts"
import { respondTo, respondToDefect } from "./ErrorResponses.ts"
import { rateLimitHeaders } from "@lists-and-things/web/HttpHeaders"
import { checkLength } from "@lists-and-things/web/RequestBody"
import { RequestId } from "./RequestContext.ts"
import { nodeRequest } from "./RequestBody.ts"

/**
 * Runs before every operation and keeps the order of checks (docs/decisions.md#errors): 401, count the request, 403,
 * 429, 404 for the path's resource, then the operation's own errors.
 */
export const layer = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const apiKeys = yield* ApiKeys
    const exists = yield* existence
    return Authentication.of({
      bearer: (operation, { credential, endpoint }) => {
        const scopes = annotationOf(endpoint.annotations, RequiredScopes)!
        const resource = annotationOf(endpoint.annotations, PathResource)
        const token = Redacted.value(credential) || undefined
        const answer = operation.pipe(
          whenLengthAllows,
          Effect.catchCause((cause) => respondToFailure(cause, endpoint))
        )
        const finish = (admitted: Admitted, response: HttpServerResponse.HttpServerResponse) => {
          const limited = withRateLimit(rateLimitHeaders(admitted))
          const checked =
            response.status === 400 && resource !== undefined
              ? exists(resource, admitted.caller, response)
              : Effect.succeed(response)
          return Effect.map(checked, (found) => limited(whenReady(found, Effect.map(limited))))
        }
        const admitFirst = Effect.matchEffect(apiKeys.admit(token, ...scopes), {
          onFailure: respondTo,
          onSuccess: (admitted) =>
            Effect.flatMap(Effect.provideService(answer, Caller, admitted.caller), (response) =>
              finish(admitted, response)
            )
        })
        if (!annotationOf(endpoint.annotations, ReadsAtOnce)) return admitFirst
        const admitOnReading = Effect.suspend(() => {
          const arriving = apiKeys.arriving(token, ...scopes)
          return Effect.flatMap(Effect.provideService(answer, Caller, arriving), (response) =>
            Effect.matchEffect(arriving.admitted, {
              onFailure: respondTo,
              onSuccess: (admitted) => finish(admitted, response)
            })
          )
        })
        if (annotationOf(endpoint.annotations, TaggedBy) !== "account") return admitOnReading
        // What the client has may be current: this shows before anything is read.
        return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
          headers["if-none-match"] === undefined ? admitOnReading : admitFirst
        )
      }
    })
  })
)

/** A key that is revoked while its request waits, or that lacks a scope, is not told its limit. */
const withRateLimit =
  (headers: Readonly<Record<string, string>>) =>
  (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
    response.status === 401 || response.status === 403 ? response : HttpServerResponse.setHeaders(response, headers)

const whenLengthAllows = <E, R>(operation: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Effect.matchEffect(checkLength(nodeRequest(request).headers), { onFailure: respondTo, onSuccess: () => operation })
  )

/** A path or query parameter that the declarations refuse is a client error; all else is a defect. */
const respondToFailure = (cause: Cause.Cause<unknown>, endpoint: HttpApiEndpoint.Top) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const refusal = decodingErrorOf(cause)
  if (refusal === undefined) return Effect.flatMap(RequestId, (id) => respondToDefect(cause, id))
  return Effect.flatMap(HttpServerRequest.ParsedSearchParams, (given) => {
    const isQuery = refusal.kind === "Query"
    const schema = (isQuery ? endpoint.query : endpoint.params)!.ast
    const problem = describeIssue(refusal.cause.issue, {
      ...inQuery,
      ...(isQuery ? { value: given } : { at: "The path", value: undefined }),
      schema
    })
    const isRepeated = isQuery && Array.isArray(given[problem.field])
    const { example, field } = problem
    return respondTo(
      isRepeated
        ? new InvalidInput({ field, reason: "must be given only once", ...(example !== undefined && { example }) })
        : problem
    )
  })
}

/** Unwraps the errors that security middleware wraps. */
const decodingErrorOf = (cause: Cause.Cause<unknown>): HttpApiError.HttpApiSchemaError | undefined => {
  const failed = Cause.squash(cause)
  const error = Predicate.hasProperty(failed, "error") ? failed.error : failed
  return HttpApiError.HttpApiSchemaError.is(error) && (error.kind === "Query" || error.kind === "Params")
    ? error
    : undefined
}

type Resource = PathResource["Service"]

/** Turns a refusal into 404 where the path's resource does not exist. */
const existence = Effect.gen(function* () {
  const lists = yield* ListStore
  const things = yield* ThingStore
  const unknownIds = yield* makeUnknownIds
  const check = Effect.fnUntraced(function* (resource: Resource, owner: AccountId, id: string) {
    const found = yield* resource === "list" ? lists.get(owner, id) : things.get(owner, id)
    if (found === undefined) yield* unknownIds.notFound(owner, resource, id)
  })
  return (resource: Resource, caller: Caller["Service"], refusal: HttpServerResponse.HttpServerResponse) =>
    Effect.flatMap(HttpRouter.RouteContext, ({ params }) =>
      Effect.matchEffect(check(resource, caller.account.id, params["id"] ?? ""), {
        onFailure: respondTo,
        onSuccess: () => Effect.succeed(refusal)
      })
    )
})

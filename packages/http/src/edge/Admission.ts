import { Context, Effect, Layer, Result, Schema, type SchemaAST, type SchemaIssue } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { keyIdOf } from "@lists-and-things/domain/caller/ApiToken"
import type { Admitted, DeferredCaller } from "@lists-and-things/domain/caller/DeferredCaller"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { describeIssue, inQuery } from "@lists-and-things/domain/json/Decode"
import { checkWriteBudget } from "@lists-and-things/domain/size/AnswerBudget"
import { makeRequireExisting } from "@lists-and-things/domain/preconditions/Existence"
import { annotationOf, PathResource, ReadsWithAdmission, RequiredScopes, TaggedBy } from "../api/Operation.ts"
import { AnswerCache, type CacheKey, cacheKeyOf } from "./AnswerCache.ts"
import { notModifiedIfCurrent } from "./EntityTagHeaders.ts"
import { respondTo } from "./ErrorResponses.ts"
import { bearerToken } from "@lists-and-things/web/HttpHeaders"
import { isTooLong, tooLarge } from "@lists-and-things/web/RequestBody"
import { nodeRequest } from "./RequestBody.ts"
import type { Incoming, Serving } from "./Routes.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Path and query of a request, decoded as its operation declares. */
export interface Input {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly params: unknown
  readonly query: unknown
  readonly caller: DeferredCaller
}

/**
 * Runs before every operation, in the order of checks of docs/decisions.md#errors: 401, count the request, 403, 429,
 * 404 for the path's resource, then the operation's own errors. With a precondition or an `Idempotency-Key`, malformed
 * input is refused before the resource is looked up, which the write itself does.
 */
export class Admission extends Context.Service<
  Admission,
  {
    readonly before: (
      endpoint: HttpApiEndpoint.Top,
      operation: (input: Input) => Effect.Effect<Response, never, Caller>
    ) => Serving
  }
>()("@lists-and-things/http/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const apiKeys = yield* ApiKeys
      const requireExisting = yield* makeRequireExisting
      const answers = new AnswerCache()
      return Admission.of({
        before: (endpoint, operation) => {
          const { isKept, isWrite, readsWithAdmission, resource, scopes } = declaredBy(endpoint)
          const decode = inputOf(endpoint)

          const answered = (incoming: Incoming, caller: DeferredCaller) =>
            Effect.suspend(() => {
              if (isTooLong(nodeRequest(incoming.request).headers)) return respondTo(tooLarge())
              const input = decode(incoming)
              return Result.isSuccess(input) ? operation({ ...input.success, caller }) : respondTo(input.failure)
            })

          /** Turns a refusal into 404 where the path's resource does not exist. */
          const finish = (incoming: Incoming, { caller }: Admitted, response: Response) =>
            response.status === 400 && resource !== undefined && !(isWrite && isConditionalOrKeyed(incoming))
              ? Effect.matchEffect(requireExisting(caller.account.id, resource, incoming.params["id"] ?? ""), {
                  onFailure: respondTo,
                  onSuccess: () => Effect.succeed(response)
                })
              : Effect.succeed(response)

          const fresh = (incoming: Incoming, caller: DeferredCaller) =>
            readsWithAdmission(incoming)
              ? answered(incoming, caller)
              : afterAdmission(caller, ({ caller: { account } }) =>
                  isWrite
                    ? Effect.matchEffect(checkWriteBudget(account.id), {
                        onFailure: respondTo,
                        onSuccess: () => answered(incoming, caller)
                      })
                    : answered(incoming, caller)
                )

          const again = (incoming: Incoming, caller: DeferredCaller, cacheKey: CacheKey) =>
            answers.mayHave(cacheKey)
              ? afterAdmission(caller, ({ caller: admitted }) =>
                  Effect.flatMap(answers.find(cacheKey, admitted), (found) =>
                    found === undefined
                      ? answers.keeping(cacheKey, caller, answered(incoming, caller))
                      : Effect.succeed(notModifiedIfCurrent(incoming.request.headers, found))
                  )
                )
              : answers.keeping(cacheKey, caller, fresh(incoming, caller))

          return (incoming) => {
            const token = tokenOf(incoming)
            const caller = apiKeys.deferAdmission(token, ...scopes)
            const keyId = token === undefined ? undefined : keyIdOf(token)
            if (isWrite && keyId !== undefined) answers.written(keyId)
            const answer =
              isKept && keyId !== undefined
                ? again(incoming, caller, cacheKeyOf(keyId, incoming.request.url))
                : fresh(incoming, caller)
            const finished = Effect.flatMap(answer, (response) => {
              const { decision } = caller
              return decision !== undefined && Result.isSuccess(decision)
                ? finish(incoming, decision.success, response)
                : afterAdmission(caller, (admitted) => finish(incoming, admitted, response))
            })
            return { caller, answer: finished }
          }
        }
      })
    })
  )
}

/** What the declaration of an endpoint determines about how its requests are served. */
const declaredBy = ({ annotations, method }: HttpApiEndpoint.Top) => {
  const isRead = annotationOf(annotations, ReadsWithAdmission) === true
  const isTagged = annotationOf(annotations, TaggedBy) === "account"
  return {
    scopes: annotationOf(annotations, RequiredScopes)!,
    resource: annotationOf(annotations, PathResource),
    isWrite: method !== "GET",
    /** Whether `AnswerCache` keeps its answers. */
    isKept: method === "GET" && (isRead || isTagged),
    /**
     * With one tag for the whole account, whether the client is up to date is known before anything is read. A dry run
     * is a transaction of the account, which is known after the admission.
     */
    readsWithAdmission: ({ query, request }: Incoming): boolean =>
      isRead && query["dry_run"] === undefined && !(isTagged && request.headers["if-none-match"] !== undefined)
  }
}

const isConditionalOrKeyed = ({ request: { headers } }: Incoming): boolean =>
  headers["if-match"] !== undefined || headers["idempotency-key"] !== undefined

const tokenOf = ({ request }: Incoming): string | undefined => bearerToken(request.headers["authorization"])

const afterAdmission = <R>(
  caller: DeferredCaller,
  answer: (admitted: Admitted) => Effect.Effect<Response, never, R>
): Effect.Effect<Response, never, R> => Effect.matchEffect(caller.admitted, { onFailure: respondTo, onSuccess: answer })

/** Decodes path and query as the endpoint declares them. */
const inputOf = (
  endpoint: HttpApiEndpoint.Top
): ((incoming: Incoming) => Result.Result<Omit<Input, "caller">, InvalidInput>) => {
  const params = part(endpoint.params, (issue, schema) =>
    describeIssue(issue, { ...inQuery, at: "The path", value: undefined, schema })
  )
  const query = part(endpoint.query, (issue, schema, given) => {
    const problem = describeIssue(issue, { ...inQuery, value: given, schema })
    if (!Array.isArray(given[problem.field])) return problem
    const { example, field } = problem
    return new InvalidInput({ field, reason: "must be given only once", ...(example !== undefined && { example }) })
  })
  return ({ request, ...given }) =>
    Result.flatMap(params(given.params), (params) =>
      Result.map(query(given.query), (query) => ({ request, params, query }))
    )
}

type Given = Incoming["params"] | Incoming["query"]

const part = (
  declared: Schema.Constraint | undefined,
  describe: (issue: SchemaIssue.Issue, schema: SchemaAST.AST, given: Readonly<Record<string, unknown>>) => InvalidInput
): ((given: Given) => Result.Result<unknown, InvalidInput>) => {
  if (declared === undefined) return Result.succeed
  const decode = Schema.decodeUnknownResult(
    Schema.toCodecArrayFromSingle(declared as Schema.Top) as unknown as Schema.ConstraintDecoder<unknown>
  )
  return (given) => Result.mapError(decode(given), ({ issue }) => describe(issue, declared.ast, given))
}

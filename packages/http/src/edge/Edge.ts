import { Cause, Context, Effect, References } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import {
  AnswerBudget,
  type AnswerLease,
  CurrentLease,
  MaxAnswerBytes
} from "@lists-and-things/domain/size/AnswerBudget"
import { bearerToken, rateLimitHeaders } from "@lists-and-things/web/HttpHeaders"
import { ClientAddress } from "@lists-and-things/web/ClientAddress"
import { methodNotAllowed, refused } from "@lists-and-things/web/ErrorAnswers"
import { respondTo, respondToDefect } from "./ErrorResponses.ts"
import { forBrowser } from "../pages/ErrorPages.ts"
import { closing, mustClose } from "./Lingering.ts"
import { admitted, leaseOf } from "./AnswerLeases.ts"
import { inChunks } from "./Chunks.ts"
import { NodeRequest } from "./NodeRequest.ts"
import { pendingOf, whenReady } from "./PendingAnswer.ts"
import { RequestId, requestIdOf } from "./RequestContext.ts"
import { Routes } from "./Routes.ts"
import { traced } from "./TracedRequest.ts"

/** Paths under which every authenticated request counts, even without a matching route. */
const apiPrefix = "/api/v1/"

/**
 * The outermost layer of the application: every request gets an answer, and every failure is `{ "error": string }` in
 * JSON. Assigns request ids and sets the headers that all answers share.
 */
export const make = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const routes = yield* Routes
  const apiKeys = yield* ApiKeys
  const clientAddress = yield* ClientAddress
  const budget = new AnswerBudget(yield* MaxAnswerBytes)
  const routed = router.asHttpEffect()
  const isTraced = yield* References.TracerEnabled

  const operationOf = (request: HttpServerRequest.HttpServerRequest) => {
    const answer = routes.answerTo(request)
    return answer === undefined ? undefined : Effect.interruptible(answer)
  }

  const unrouted = (request: HttpServerRequest.HttpServerRequest) => {
    const answer = answerUnrouted(request, routes.methodsOf(request.url))
    return request.url.startsWith(apiPrefix) ? counted(apiKeys, request, answer) : answer
  }

  const answered = <E, R>(
    request: HttpServerRequest.HttpServerRequest,
    requestId: string,
    answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) => {
    const lease = leaseOf(request, budget)
    return answer.pipe(
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
        return isUnrouted(cause) ? unrouted(request) : respondToDefect(cause, requestId)
      }),
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
        return respondToDefect(cause, requestId)
      }),
      Effect.map((response) => {
        if (pendingOf(response) !== undefined) return response
        const whole = inChunks(
          HttpServerResponse.setHeaders(forBrowser(request, admitted(request, lease, response)), {
            ...onEveryAnswer,
            "x-request-id": requestId
          })
        )
        return mustClose(request, whole) ? closing(request, whole) : whole
      }),
      Effect.updateContext((context: Context.Context<R | HttpServerRequest.HttpServerRequest>) =>
        withAll(context, requestId, lease, {
          requestId,
          method: request.method,
          path: printable(request.url),
          client: clientAddress.of(request)
        })
      )
    )
  }

  const later =
    (request: HttpServerRequest.HttpServerRequest, requestId: string) =>
    (answer: Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
      Effect.provideService(answered(request, requestId, answer), HttpServerRequest.HttpServerRequest, request)

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const requestId = requestIdOf(request)
    if (request instanceof NodeRequest) request.id = requestId
    const answer = isDecodable(request.url) ? (operationOf(request) ?? routed) : Effect.fail(badPath(request))
    const whole = answered(request, requestId, answer)
    return Effect.map(isTraced ? traced(request, routes, whole) : whole, (response) =>
      pendingOf(response) === undefined ? response : whenReady(response, later(request, inOnePiece(requestId)))
    )
  })
})

/** All in one step: with each step the fiber reads its settings anew. */
const withAll = <R>(
  context: Context.Context<R>,
  requestId: string,
  lease: AnswerLease,
  annotations: Readonly<Record<string, unknown>>
): Context.Context<R> =>
  context.pipe(
    Context.add(RequestId, requestId),
    Context.add(CurrentLease, lease),
    Context.add(References.CurrentLogAnnotations, {
      ...Context.get(context, References.CurrentLogAnnotations),
      ...annotations
    })
  )

/** A new id is a tree of its parts, ten times as large. */
const inOnePiece = (id: string): string => Buffer.from(id, "latin1").toString("latin1")

/** Keeps browsers from sniffing a type other than the declared one. */
const onEveryAnswer = { "x-content-type-options": "nosniff" }

const isUnrouted = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.findErrorOption(cause)
  return (
    error._tag === "Some" &&
    HttpServerError.isHttpServerError(error.value) &&
    error.value.reason._tag === "RouteNotFound"
  )
}

const badPath = (request: HttpServerRequest.HttpServerRequest) =>
  new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })

const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

const isDecodable = (url: string): boolean => {
  if (!url.includes("%")) return true
  try {
    decodeURIComponent(pathOf(url))
    return true
  } catch {
    return false
  }
}

const answerUnrouted = (request: HttpServerRequest.HttpServerRequest, methods: ReadonlyArray<string>) => {
  if (!isDecodable(request.url)) return respondTo(refused(400, "The path must be valid percent-encoded UTF-8."))
  if (methods.length === 0) return respondTo(refused(404, "There is nothing at this address."))
  if (request.method === "OPTIONS")
    return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { allow: methods.join(", ") } }))
  return respondTo(methodNotAllowed(methods))
}

/** A request without a matching route still counts against its key, if the key is valid. */
const counted = (
  apiKeys: ApiKeys["Service"],
  request: HttpServerRequest.HttpServerRequest,
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>
) =>
  Effect.matchEffect(apiKeys.admit(bearerToken(request.headers["authorization"])), {
    onFailure: (error) => (error._tag === "Unauthorized" ? answer : respondTo(error)),
    onSuccess: (admitted) => Effect.map(answer, HttpServerResponse.setHeaders(rateLimitHeaders(admitted)))
  })

/** A path for the log: shortened, without query and control characters. */
const printable = (url: string): string =>
  pathOf(url)
    .slice(0, 200)
    .replaceAll(/[^\u0020-\u007e]/g, "?")

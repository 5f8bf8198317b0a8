import { Cause, Context, Effect, References, Result, type Scope } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import type { DeferredCaller } from "@lists-and-things/domain/caller/DeferredCaller"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { type AnswerReservation, CurrentReservation, MaxAnswerBytes } from "@lists-and-things/domain/size/AnswerBudget"
import { MemoryBudget } from "@lists-and-things/domain/size/MemoryBudget"
import { bearerToken, rateLimitHeaders, type RateLimitState } from "@lists-and-things/web/HttpHeaders"
import { ClientAddress } from "@lists-and-things/web/ClientAddress"
import { methodNotAllowed, refused } from "@lists-and-things/web/ErrorAnswers"
import { basePath } from "../api/Api.ts"
import { respondTo, respondToDefect } from "./ErrorResponses.ts"
import { withErrorPage } from "../pages/ErrorPages.ts"
import { mustClose, withLingeringClose } from "./Lingering.ts"
import { admitted, reservationOf } from "./AnswerReservations.ts"
import { encodedInSteps, inChunks } from "./AnswerChunks.ts"
import { NodeRequest } from "./NodeRequest.ts"
import { pendingOf, whenReady } from "./PendingAnswer.ts"
import { RequestId, requestIdOf } from "./RequestContext.ts"
import { isDecodable, pathOf, Routes } from "./Routes.ts"
import { traced } from "./TracedRequest.ts"

/** Paths under which every authenticated request counts, even without an operation. */
const apiPrefix = `${basePath}/`

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The answer to a request, to be run in a fiber of its own. */
export interface Exchange {
  readonly context: Context.Context<never>
  /** The answer as it is to be written. */
  readonly answer: Effect.Effect<Response>
}

/** How requests are answered: operations of the API, and all others. */
export interface Edge {
  /** Undefined if the request is for no operation. */
  readonly operation: (request: NodeRequest) => Exchange | undefined
  /** Continues an operation that waited. */
  readonly again: (request: NodeRequest, answer: Effect.Effect<Response>) => Exchange
  /** Answers all other requests: pages, sign-in, tools, and unknown addresses. */
  readonly routed: Effect.Effect<Response, never, Request | Scope.Scope>
}

/**
 * The outermost layer of the application: every request gets an answer, and every failure is `{ "error": string }` in
 * JSON. Assigns request ids. `services` is the initial context of requests.
 */
export const make = (services: Context.Context<never>) =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const routes = yield* Routes
    const apiKeys = yield* ApiKeys
    const clientAddress = yield* ClientAddress
    const budget = new MemoryBudget(yield* MaxAnswerBytes)
    const all = router.asHttpEffect()
    const isTraced = yield* References.TracerEnabled

    /** Provided in one step, since the fiber reads its settings again with each change of its context. */
    const contextOf = <R>(
      context: Context.Context<R>,
      request: Request,
      requestId: string,
      reservation: AnswerReservation
    ) =>
      context.pipe(
        Context.add(RequestId, requestId),
        Context.add(CurrentReservation, reservation),
        Context.add(References.CurrentLogAnnotations, {
          ...Context.get(context, References.CurrentLogAnnotations),
          requestId,
          method: request.method,
          path: printable(request.url),
          client: clientAddress.of(request)
        })
      )

    const identified = (request: Request): string => {
      const requestId = requestIdOf(request)
      if (request instanceof NodeRequest) request.id = requestId
      return requestId
    }

    const exchange = (
      request: NodeRequest,
      requestId: string,
      answer: Effect.Effect<Response, never, Request | Caller>,
      caller?: DeferredCaller
    ): Exchange => {
      const reservation = reservationOf(request, budget)
      const own = Context.add(services, HttpServerRequest.HttpServerRequest, request)
      const context = contextOf(own, request, requestId, reservation)
      const answered = Effect.map(
        Effect.catchCause(answer, (cause) => respondToFailure(cause, requestId)),
        (response) => {
          request.limits = limitsOf(request, response, caller)
          const admission = caller?.decision
          if (admission !== undefined && Result.isSuccess(admission))
            reservation.chargeTo(admission.success.caller.account.id)
          return finished(request, reservation, response)
        }
      )
      return {
        context: caller === undefined ? context : Context.add(context, Caller, caller),
        answer: (isTraced && caller !== undefined ? traced(request, routes, answered) : answered) as Exchange["answer"]
      }
    }

    const orUnrouted = <E, R>(request: Request, answer: Effect.Effect<Response, E, R>) =>
      Effect.catchCause(answer, (cause) =>
        isUnrouted(cause) ? answerUnrouted(request, routes.methodsOf(request.url)) : Effect.failCause(cause)
      )

    const answered = <E, R>(request: Request, requestId: string, answer: Effect.Effect<Response, E, R>) => {
      const reservation = reservationOf(request, budget)
      return answer.pipe(
        Effect.catchCause((cause) => respondToFailure(cause as Cause.Cause<never>, requestId)),
        Effect.flatMap(encodedInSteps),
        Effect.map((response) => finished(request, reservation, response)),
        Effect.updateContext((context: Context.Context<R | Request>) =>
          contextOf(context, request, requestId, reservation)
        )
      )
    }

    const later =
      (request: Request, requestId: string) =>
      (answer: Effect.Effect<Response>): Effect.Effect<Response> =>
        Effect.provideService(answered(request, requestId, answer), HttpServerRequest.HttpServerRequest, request)

    const routed = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const requestId = identified(request)
      const answer = orUnrouted(request, isDecodable(request.url) ? all : Effect.fail(badPath(request)))
      const whole = answered(request, requestId, isOfApi(request) ? counted(apiKeys, request, answer) : answer)
      return Effect.map(isTraced ? traced(request, routes, whole) : whole, (response) =>
        pendingOf(response) === undefined ? response : whenReady(response, later(request, flattened(requestId)))
      )
    })

    return {
      operation: (request) => {
        const served = routes.answerTo(request)
        return served && exchange(request, identified(request), served.answer, served.caller)
      },
      again: (request, answer) => exchange(request, request.id!, answer),
      routed
    } satisfies Edge as Edge
  })

/** The answer as it is to be written. A pending one is not changed: it comes here again when it is there. */
const finished = (request: Request, reservation: AnswerReservation, response: Response): Response => {
  if (pendingOf(response) !== undefined) return response
  const whole = inChunks(withErrorPage(request, admitted(request, reservation, response)))
  return mustClose(request, whole) ? withLingeringClose(request, whole) : whole
}

/** The rate limit to report; none to a key that was revoked while its request waited, or that lacks a scope. */
const limitsOf = (
  { limits }: NodeRequest,
  { status }: Response,
  caller: DeferredCaller | undefined
): RateLimitState | undefined => {
  if (status === 401 || status === 403) return undefined
  const decision = caller?.decision
  return decision !== undefined && Result.isSuccess(decision) ? decision.success : limits
}

/** Any other error is a defect. */
const respondToFailure = (cause: Cause.Cause<never>, requestId: string): Effect.Effect<Response> =>
  Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : respondToDefect(cause, requestId)

/** Flattens a concatenated string, which V8 keeps as a tree ten times as large; for requests that wait. */
export const flattened = (id: string): string => Buffer.from(id, "latin1").toString("latin1")

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

const isOfApi = (request: Request): boolean => `${pathOf(request.url)}/`.startsWith(apiPrefix)

const nothingHere = (request: Request): string =>
  isOfApi(request)
    ? "There is no operation at this address: GET /llms.txt lists all of them."
    : "There is nothing at this address."

const answerUnrouted = (request: Request, methods: ReadonlyArray<string>) => {
  if (methods.length === 0 || !isDecodable(request.url)) return respondTo(refused(404, nothingHere(request)))
  if (request.method === "OPTIONS")
    return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { allow: methods.join(", ") } }))
  return respondTo(methodNotAllowed(methods))
}

/**
 * Counts a request for no operation, such as for the API description, against its key if that is valid. The request
 * needs no storage, and is answered even without it.
 */
const counted = <E, R>(apiKeys: ApiKeys["Service"], request: Request, answer: Effect.Effect<Response, E, R>) =>
  Effect.matchEffect(apiKeys.admit(bearerToken(request.headers["authorization"])), {
    onFailure: (error): Effect.Effect<Response, E, R | Request> =>
      error._tag === "RateLimited" ? respondTo(error) : answer,
    onSuccess: (admitted) => Effect.map(answer, HttpServerResponse.setHeaders(rateLimitHeaders(admitted)))
  })

/** A path for the log: shortened, without query and control characters. */
const printable = (url: string): string => {
  const path = pathOf(url).slice(0, 200)
  return /^[\u0020-\u007e]*$/.test(path) ? path : path.replaceAll(/[^\u0020-\u007e]/g, "?")
}

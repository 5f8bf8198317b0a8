import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { Context, Effect, Result, Semaphore } from "effect"
import type { ListChanges } from "@lists-and-things/domain/history/ListChanges"
import type { DeferredCaller } from "@lists-and-things/domain/caller/DeferredCaller"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import { type Forbidden, type StorageUnavailable, type Unauthorized } from "@lists-and-things/domain/model/Errors"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { checkWriteBudget } from "@lists-and-things/domain/size/AnswerBudget"
import { fieldsOf } from "../LenientArguments.ts"
import { messageProblem } from "../MessageProblem.ts"
import { type Admission, Authenticator, type Session } from "../Authenticator.ts"
import { refused } from "@lists-and-things/web/ErrorAnswers"
import { bearerToken, rateLimitHeaders } from "@lists-and-things/web/HttpHeaders"
import { BaseUrl, resourceMetadataUrlOf } from "@lists-and-things/web/BaseUrl"
import { insufficientScope, refuse, unauthorized, wrongMethod } from "./HttpAnswers.ts"
import { corsHeaders, makeGuard, preflight } from "./HttpGuard.ts"
import { type Listen, makeListening } from "./Listening.ts"
import { LongParts } from "./LongParts.ts"
import { readMessage } from "./MessageBody.ts"
import type { HandlerServices, WebHandler } from "./Route.ts"
import { scopesOfPrompt } from "../Prompts.ts"
import { resourceScopes } from "../Resources.ts"
import { serverFactory } from "../Server.ts"
import type { Tool, ToolServices } from "../Tool.ts"

export interface HttpOptions {
  readonly tools: ReadonlyArray<Tool>
  /** Further host names of the server, besides site_url's and this machine's. */
  readonly hosts?: ReadonlyArray<string>
}

/** A stateless handler of `/mcp`, on web-standard requests. */
export const makeWebHandler = Effect.fnUntraced(function* ({ tools, hosts = [] }: HttpOptions) {
  const services = yield* Effect.context<HandlerServices>()
  const site = Context.get(services, BaseUrl)
  const authenticator = Context.get(services, Authenticator)
  const metadata = resourceMetadataUrlOf(site.url)
  const guard = makeGuard(site.url, hosts)
  const serve = makeServe(tools, services)

  const post = async (request: Request, received: Context.Context<never>): Promise<Response> => {
    const run = Effect.runPromiseWith(Context.merge(services, received))
    const token = bearerToken(request.headers.get("authorization") ?? undefined)
    if (token === undefined) return unauthorized(metadata, request.headers.has("authorization"))
    const caller = await run(identified(authenticator, metadata, token))
    if (caller instanceof Response) return caller
    const budget = await run(Effect.result(checkWriteBudget(caller.account.id)))
    if (Result.isFailure(budget)) return run(refuse(budget.failure))
    const read = await run(Effect.result(readMessage(request, caller.account.id)))
    const body = Result.getOrUndefined(read)
    const counted = counting(tools, body)
    const entry = await run(enter(authenticator, metadata, { token, caller }, counted))
    if (entry instanceof Response) return entry
    if (Result.isFailure(read)) return run(refuse(read.failure))
    const problem = Array.isArray(body) ? undefined : messageProblem(body)
    if (problem !== undefined) return run(refuse(refused(400, `The body ${problem}.`), counted.id))
    const listening = counted.isListening ? { id: counted.id, identify: authenticator.identify(token) } : undefined
    const long = new LongParts()
    const session = {
      ...entry.session,
      received,
      long,
      ...(Array.isArray(body) && { inTurn: limitedConcurrency(long) })
    }
    const response = await withLongParts(await serve(request, body, session, listening), long)
    const headers = entry.deferred === undefined ? entry.headers : await run(arrived(metadata, entry.deferred, counted))
    return headers instanceof Response ? headers : withHeaders(response, headers)
  }

  const handler: WebHandler = async (request, received) => {
    const refusal = guard(request)
    if (refusal !== undefined) return Effect.runPromise(refuse(refusal))
    if (request.method === "OPTIONS") return preflight(request)
    const response = request.method === "POST" ? await post(request, received) : await Effect.runPromise(wrongMethod)
    return withHeaders(response, corsHeaders(request))
  }
  return handler
})

const withHeaders = (response: Response, headers: Readonly<Record<string, string>>): Response => {
  if (Object.keys(headers).length === 0) return response
  const merged = new Headers(headers)
  response.headers.forEach((value, name) => merged.set(name, value))
  return new Response(response.body, { status: response.status, headers: merged })
}

/** How a request counts against the rate limit, and what its call needs. */
interface Counting {
  readonly counts: boolean
  readonly scopes: ReadonlyArray<Scope>
  readonly readsWithAdmission: boolean
  readonly isListening: boolean
  readonly id: string | number | null
}

const listenMethod = "subscriptions/listen"

const countedMethods: ReadonlySet<unknown> = new Set([
  "tools/call",
  "resources/list",
  "resources/read",
  "prompts/get",
  listenMethod
])

/**
 * Only for single messages. A JSON-RPC batch, which an old version allows, does not count itself: its messages are
 * counted one by one as they are served.
 */
const counting = (tools: ReadonlyArray<Tool>, body: unknown): Counting => {
  const { id, method, params } = fieldsOf(body)
  const { name } = fieldsOf(params)
  const tool = method === "tools/call" ? tools.find((each) => each.name === name) : undefined
  const isListening = method === listenMethod
  const reads = isListening || method === "resources/read"
  return {
    counts: countedMethods.has(method),
    scopes: reads ? resourceScopes : method === "prompts/get" ? scopesOfPrompt(name) : (tool?.scopes ?? []),
    readsWithAdmission: tool?.readsWithAdmission === true,
    isListening,
    id: typeof id === "string" || typeof id === "number" ? id : null
  }
}

interface Entered {
  readonly session: Session
  readonly headers: Readonly<Record<string, string>>
  /** The caller whose admission is decided together with the tool's first read. */
  readonly deferred?: DeferredCaller
}

/** Resolves the token before the body is read; the body then decides how the request counts. */
const identified = (
  authenticator: Authenticator["Service"],
  metadata: string,
  token: string
): Effect.Effect<Caller["Service"] | Response> => refusing(authenticator.identify(token), metadata)

const refusing = <A>(
  effect: Effect.Effect<A, Unauthorized | StorageUnavailable>,
  metadata: string
): Effect.Effect<A | Response> =>
  Effect.catchTags(effect, {
    Unauthorized: () => Effect.succeed(unauthorized(metadata, true)),
    StorageUnavailable: (error) => refuse(error)
  })

interface Credential {
  readonly token: string
  readonly caller: Caller["Service"]
}

/**
 * Admits or refuses a request: it is counted, then refused with 403 (sign-in tokens only) or 429; 401 if the key was
 * just revoked.
 */
const enter = Effect.fnUntraced(
  function* (
    authenticator: Authenticator["Service"],
    metadata: string,
    { caller, token }: Credential,
    request: Counting
  ) {
    const kind = authenticator.kindOf(token)
    const admit: Session["admit"] = (required) =>
      Effect.map(authenticator.admit(token, required), ({ caller }) => caller)
    if (!request.counts) return entered({ kind, identify: Effect.succeed(caller), admit }, undefined)
    const deferred = request.readsWithAdmission ? authenticator.deferAdmission(token, request.scopes) : undefined
    if (deferred !== undefined)
      return { ...entered({ ...countedSession(kind, caller), deferAdmission: () => deferred }, undefined), deferred }
    return yield* authenticator.admit(token, request.scopes).pipe(
      Effect.map(({ caller, rate }) => entered(countedSession(kind, caller), rate)),
      Effect.catchTag("Forbidden", (error) =>
        Effect.succeed(
          kind === "token"
            ? insufficientScope(metadata, { required: request.scopes, has: caller.scopes }, request.id)
            : entered(forbiddenSession(caller, error), undefined)
        )
      ),
      Effect.catchTag("RateLimited", (error) => refuse(error, request.id))
    )
  },
  (effect, _authenticator, metadata) => refusing(effect, metadata)
)

/**
 * The rate limit headers of a request that was admitted while it was served, or its refusal. None for a missing scope,
 * which the tool's result reports.
 */
const arrived = (
  metadata: string,
  { admitted }: DeferredCaller,
  { id }: Counting
): Effect.Effect<Readonly<Record<string, string>> | Response> =>
  refusing(
    admitted.pipe(
      Effect.map((admission): Readonly<Record<string, string>> | Response => rateLimitHeaders(admission)),
      Effect.catchTags({ Forbidden: () => Effect.succeed({}), RateLimited: (error) => refuse(error, id) })
    ),
    metadata
  )

const entered = (session: Session, rate: Admission["rate"]): Entered => ({
  session,
  headers: rate === undefined ? {} : rateLimitHeaders(rate)
})

/** The session of a request that is already counted. */
const countedSession = (kind: Session["kind"], caller: Caller["Service"]): Session => ({
  kind,
  identify: Effect.succeed(caller),
  admit: () => Effect.succeed(caller)
})

const forbiddenSession = (caller: Caller["Service"], error: Forbidden): Session => ({
  ...countedSession("key", caller),
  admit: () => Effect.fail(error)
})

/**
 * Serves a message according to its protocol version. Answers are plain JSON, except the stream of
 * `subscriptions/listen`.
 */
const makeServe = (tools: ReadonlyArray<Tool>, services: Context.Context<ToolServices | ListChanges>) => {
  const sessions = new WeakMap<Request, Session>()
  const factory = serverFactory(tools, services, ({ requestInfo }: McpRequestContext) => sessions.get(requestInfo!)!)
  const modern = createMcpHandler(factory, { legacy: "reject" })

  const listen = makeListening(factory, services)

  return async (
    request: Request,
    body: unknown,
    session: Session,
    listening?: Pick<Listen, "id" | "identify">
  ): Promise<Response> => {
    sessions.set(request, session)
    if (!(await isLegacyRequest(request, body)))
      return listening === undefined
        ? modern.fetch(request, { parsedBody: body })
        : listen({ request, body, session, ...listening })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    const server = await factory({ era: "legacy", requestInfo: request })
    await server.connect(transport)
    const close = () => void server.close()
    request.signal.addEventListener("abort", close, { once: true })
    try {
      const response = await transport.handleRequest(acceptingBoth(request), { parsedBody: body })
      return Array.isArray(body) ? await asBatch(response) : response
    } finally {
      request.signal.removeEventListener("abort", close)
      close()
    }
  }
}

/**
 * Makes the answer to a batch an array even if it holds one message (JSON-RPC 2.0, section 6), which the SDK unwraps.
 */
const asBatch = async (response: Response): Promise<Response> => {
  if (response.status !== 200) return response
  const answers = await response.text()
  return new Response(answers.startsWith("[") ? answers : `[${answers}]`, { headers: response.headers })
}

/** Messages of one batch that are served concurrently. */
const maxConcurrent = 4

/** Limits the concurrency within a batch, and refuses its remaining messages once the answers have become long. */
const limitedConcurrency = (long: LongParts): NonNullable<Session["inTurn"]> => {
  const turns = Semaphore.makeUnsafe(maxConcurrent)
  return (message) => turns.withPermits(1)(Effect.suspend(() => (long.isFull ? Effect.die(batchTooLong()) : message)))
}

const batchTooLong = () =>
  new ProtocolError(
    ProtocolErrorCode.InternalError,
    "The answers to the other messages are long, so this one was not served. Send it by itself."
  )

/** Inserts the long parts into an answer, and sets its Content-Length. */
const withLongParts = async (response: Response, long: LongParts): Promise<Response> => {
  if (long.isEmpty) return response
  const written = await response.text()
  const chunks = await Effect.runPromise(runSteps(() => long.whole(written)))
  const headers = new Headers(response.headers)
  headers.set("content-length", String(chunks.reduce((sum, chunk) => sum + chunk.length, 0)))
  return new Response(ReadableStream.from(chunks), { status: response.status, headers })
}

const bothTypes = "application/json, text/event-stream"

/**
 * Adds the second media type that the SDK requires for the older protocol, for a client that accepts only JSON; its
 * answers are JSON in any case.
 */
const acceptingBoth = (request: Request): Request => {
  const ranges = (request.headers.get("accept") ?? "*/*").split(",").map((range) => range.split(";", 1)[0]!.trim())
  if (!ranges.some((range) => jsonRanges.has(range.toLowerCase()))) return request
  const headers = new Headers(request.headers)
  headers.set("accept", bothTypes)
  return new Request(request.url, { method: request.method, headers, signal: request.signal })
}

const jsonRanges: ReadonlySet<string> = new Set(["*/*", "application/*", "application/json"])

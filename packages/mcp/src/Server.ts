import {
  type ListToolsResult,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  type Server
} from "@modelcontextprotocol/server"
import { Cause, Context, Effect, Exit } from "effect"
import { productVersion } from "@lists-and-things/domain/model/ProductVersion"
import { Caller, type Refusal } from "@lists-and-things/domain/model/Caller"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import { ExplainingServer } from "./ExplainingServer.ts"
import { instructions } from "./Instructions.ts"
import { getPrompt, prompts, scopesOfPrompt } from "./Prompts.ts"
import { protocolError, readResource, recentLists, resourceScopes, resourceTemplates } from "./Resources.ts"
import type { Session } from "./Authenticator.ts"
import type { Tool, ToolServices } from "./Tool.ts"
import { listed, offered } from "./Toolbox.ts"
import { callTool } from "./ToolCalls.ts"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"

/** Cache hints: `ttlMs` is in milliseconds, and all listings are private to the owner. */
const listing = { ttlMs: 60_000, cacheScope: "private" } as const
const reading = { ttlMs: 0, cacheScope: "private" } as const

/**
 * Announces updates of resources over a stdio connection. Over HTTP, `makeListening` serves `subscriptions/listen`
 * instead.
 */
interface Announcing {
  readonly attach: (
    server: Server,
    era: McpRequestContext["era"],
    check: (uri: string, signal: AbortSignal) => Promise<unknown>
  ) => void
  readonly begin: () => Promise<void>
}

/** Over HTTP, the older protocol has no stream on which updates could be announced. */
const resourceCapabilities = ({ era }: McpRequestContext, announcing: Announcing | undefined) =>
  era === "modern" || announcing !== undefined ? { subscribe: true, listChanged: true } : {}

/** Creates a server per connection or HTTP request, the same for every version of the protocol. */
export const serverFactory = (
  tools: ReadonlyArray<Tool>,
  services: Context.Context<ToolServices>,
  sessionOf: (context: McpRequestContext) => Session,
  announcing?: Announcing
) => {
  return async (context: McpRequestContext): Promise<Server> => {
    const session = sessionOf(context)
    const run = makeRun(session.received === undefined ? services : Context.merge(services, session.received), session)
    const server = new ExplainingServer(
      { name: "lists-and-things", title: "Lists and Things", version: productVersion },
      {
        capabilities: { tools: {}, resources: resourceCapabilities(context, announcing), prompts: {} },
        instructions: await run(instructionsFor(tools, session)),
        cacheHints: {
          "server/discover": listing,
          "tools/list": listing,
          "prompts/list": listing,
          "resources/list": reading,
          "resources/templates/list": listing,
          "resources/read": reading
        }
      }
    )
    server.setRequestHandler("tools/list", ({ params }, ctx) => {
      refuseCursor(params)
      return run(listTools(tools, session), ctx.mcpReq.signal)
    })
    server.setRequestHandler("tools/call", ({ params }, ctx) =>
      run(callTool(tools, session, params.name, params.arguments), ctx.mcpReq.signal)
    )
    server.setRequestHandler("resources/templates/list", ({ params }) => {
      refuseCursor(params)
      return { resourceTemplates }
    })
    server.setRequestHandler("resources/list", async ({ params }, ctx) => {
      refuseCursor(params)
      if (context.era === "legacy") await announcing?.begin()
      return run(admitted(session, [], recentLists), ctx.mcpReq.signal)
    })
    const read = (uri: string, signal: AbortSignal) =>
      run(admitted(session, resourceScopes, readResource(uri, session.long)), signal)
    server.setRequestHandler("resources/read", ({ params }, ctx) => read(params.uri, ctx.mcpReq.signal))
    announcing?.attach(server, context.era, read)
    server.setRequestHandler("prompts/list", ({ params }) => {
      refuseCursor(params)
      return { prompts }
    })
    server.setRequestHandler("prompts/get", ({ params }, ctx) =>
      run(admitted(session, scopesOfPrompt(params.name), promptFor(tools, session, params)), ctx.mcpReq.signal)
    )
    return server
  }
}

/** Listings have no pages, so every cursor is invalid. An empty one counts as absent, since some clients send it. */
const refuseCursor = (params: { readonly cursor?: string | undefined } | undefined): void => {
  if ((params?.cursor ?? "") === "") return
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: the list is whole, leave cursor out.")
}

type Run = <A, E>(effect: Effect.Effect<A, E, ToolServices>, signal?: AbortSignal) => Promise<A>

/**
 * Runs an effect until it completes or is aborted. Throws only protocol errors, which the SDK answers; logs defects.
 */
const makeRun =
  (services: Context.Context<ToolServices>, { inTurn = (effect) => effect }: Pick<Session, "inTurn"> = {}): Run =>
  async (effect, signal) => {
    const exit = await Effect.runPromiseExitWith(services)(inTurn(effect), signal === undefined ? {} : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause)
    if (error instanceof ProtocolError) throw error
    if (!Cause.hasInterruptsOnly(exit.cause))
      await Effect.runPromiseWith(services)(Effect.logError("A request of a client failed", exit.cause))
    throw new ProtocolError(ProtocolErrorCode.InternalError, "Something went wrong on the server; its log has it.")
  }

const instructionsFor = (tools: ReadonlyArray<Tool>, session: Session) =>
  Effect.gen(function* () {
    const { account, scopes } = yield* session.identify
    return instructions(account, yield* currentTime, offered(tools, session.kind, scopes))
  }).pipe(Effect.mapError(protocolError))

const listTools = Effect.fnUntraced(function* (tools: ReadonlyArray<Tool>, session: Session) {
  const { scopes } = yield* Effect.mapError(session.identify, protocolError)
  return { tools: offered(tools, session.kind, scopes).map(listed) } as unknown as ListToolsResult
})

const promptFor = (
  tools: ReadonlyArray<Tool>,
  session: Session,
  { name, arguments: args = {} }: { readonly name: string; readonly arguments?: Record<string, string> | undefined }
) => Effect.flatMap(Caller, ({ scopes }) => getPrompt(name, args, offered(tools, session.kind, scopes), session.long))

const admitted = <A, E extends { readonly _tag: string; readonly message: string } | Error, R>(
  session: Session,
  required: ReadonlyArray<Scope>,
  effect: Effect.Effect<A, E, R | Caller>
) =>
  session.admit(required).pipe(
    Effect.flatMap((caller) => Effect.provideService(effect, Caller, caller)),
    Effect.mapError((error) => protocolError(error as Refusal))
  )

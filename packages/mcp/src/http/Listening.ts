import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server"
import { type Context, Effect, type Fiber, Result } from "effect"
import type { ListChanges } from "@lists-and-things/domain/history/ListChanges"
import type { Session } from "../Authenticator.ts"
import { beginResources, followResources } from "../ResourceUpdates.ts"
import { resourceScopes } from "../Resources.ts"
import { refuse } from "./HttpAnswers.ts"

/** An admitted request of `subscriptions/listen`. */
export interface Listen {
  readonly request: Request
  readonly body: unknown
  readonly id: string | number | null
  readonly session: Session
  /** Resolves the credential again on each run, so that a revocation is noticed. */
  readonly identify: Session["identify"]
}

/**
 * Answers `subscriptions/listen` with a stream. Each stream has a handler of its own, so that it gets only the events
 * of its account. It ends when the client disconnects, the credential is revoked or the process stops.
 */
export const makeListening = (factory: McpServerFactory, services: Context.Context<ListChanges>) => {
  const run = Effect.runPromiseWith(services)
  const fork = Effect.runForkWith(services)
  return async ({ body, id, identify, request, session }: Listen): Promise<Response> => {
    const begun = await run(Effect.result(beginResources(session.admit(resourceScopes))))
    if (Result.isFailure(begun)) return run(refuse(begun.failure, id))
    const handler = createMcpHandler(factory, {
      legacy: "reject",
      bus: {
        publish: () => {},
        subscribe: (publish) => {
          const following: Fiber.Fiber<void> = fork(
            Effect.ensuring(
              followResources(identify, begun.success, publish),
              Effect.promise(() => handler.close())
            )
          )
          return () => following.interruptUnsafe()
        }
      }
    })
    return handler.fetch(request, { parsedBody: body })
  }
}

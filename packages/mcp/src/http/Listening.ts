import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server"
import { type Context, Effect, type Fiber, Result } from "effect"
import type { ListChanges } from "@lists-and-things/domain/history/ListChanges"
import type { Session } from "../Authenticator.ts"
import { beginResources, followResources } from "../ResourceUpdates.ts"
import { resourceScopes } from "../Resources.ts"
import { refuse } from "./HttpAnswers.ts"

/** A request of `subscriptions/listen`, admitted. */
export interface Listen {
  readonly request: Request
  readonly body: unknown
  readonly id: string | number | null
  readonly session: Session
  /** Reads the credential anew each time. */
  readonly identify: Session["identify"]
}

/**
 * Answers `subscriptions/listen` with a stream, each from a handler of its own, so that it hears of its own account
 * alone. The stream ends with the client, the credential or the process.
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

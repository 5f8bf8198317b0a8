import type { McpRequestContext, Server } from "@modelcontextprotocol/server"
import { type Context, Effect, Schedule } from "effect"
import type { ListChanges } from "@lists-and-things/domain/history/ListChanges"
import type { Session } from "../Authenticator.ts"
import { beginResources, followResources, type Publish } from "../ResourceUpdates.ts"

/** Throws the error that reading a resource would be answered with, if it cannot be read. */
type CheckResource = (uri: string, signal: AbortSignal) => Promise<unknown>

/**
 * Announces updates of resources over one connection. Reads nothing before the client listens, subscribes or lists the
 * resources.
 */
export class Announcer {
  readonly #session: Session
  readonly #services: Context.Context<ListChanges>
  /** The URIs to which a client of the older protocol subscribed. */
  readonly #subscribed = new Set<string>()
  #publish: Publish = () => {}
  #begun: Promise<void> | undefined
  #stop: () => void = () => {}

  constructor(session: Session, services: Context.Context<ListChanges>) {
    this.#session = session
    this.#services = services
  }

  /** Starts announcing: what is written after it resolves is announced. Further calls do nothing. */
  begin(): Promise<void> {
    this.#begun ??= this.#follow()
    return this.#begun
  }

  /**
   * Announces through `server`. In the newest protocol the SDK keeps the subscriptions; in the older one they are kept
   * here, and a resource is subscribed to unless `check` throws.
   */
  attach(server: Server, era: McpRequestContext["era"], check: CheckResource): void {
    this.#publish = (event) => {
      if (event.kind !== "resource_updated") return ignoreFailure(server.sendResourceListChanged())
      if (era === "modern" || this.#subscribed.has(event.uri))
        ignoreFailure(server.sendResourceUpdated({ uri: event.uri }))
    }
    if (era === "modern") return
    server.setRequestHandler("resources/subscribe", async ({ params }, ctx) => {
      await this.begin()
      await check(params.uri, ctx.mcpReq.signal)
      this.#subscribed.add(params.uri)
      return {}
    })
    server.setRequestHandler("resources/unsubscribe", ({ params }) => {
      this.#subscribed.delete(params.uri)
      return {}
    })
  }

  close(): void {
    this.#stop()
  }

  async #follow(): Promise<void> {
    const { identify } = this.#session
    const since = await Effect.runPromiseWith(this.#services)(
      beginResources(identify).pipe(
        Effect.retry({ while: ({ _tag }) => _tag === "StorageUnavailable", schedule: Schedule.spaced(1000) }),
        Effect.catch(() => Effect.succeed(undefined))
      )
    )
    if (since === undefined) return
    const following = Effect.runForkWith(this.#services)(
      followResources(identify, since, (event) => this.#publish(event))
    )
    this.#stop = () => following.interruptUnsafe()
  }
}

/** Ignores failures, since the connection may be gone. */
const ignoreFailure = (sending: Promise<void>): void => {
  sending.catch(() => {})
}

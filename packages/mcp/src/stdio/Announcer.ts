import type { McpRequestContext, Server } from "@modelcontextprotocol/server"
import { type Context, Effect, Schedule } from "effect"
import type { ListChanges } from "@lists-and-things/domain/history/ListChanges"
import type { Session } from "../Authenticator.ts"
import { beginResources, followResources, type Publish } from "../ResourceUpdates.ts"

/** Throws the error that reading a resource would be answered with, if it cannot be read. */
type CheckResource = (uri: string, signal: AbortSignal) => Promise<unknown>

/**
 * Announces updates of resources over one connection. Nothing is read for it before the client listens, subscribes or
 * has seen the list of resources.
 */
export class Announcer {
  readonly #session: Session
  readonly #services: Context.Context<ListChanges>
  /** What the older protocol's client subscribed to. */
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
   * The server that speaks for the connection. In the newest protocol the SDK knows who listens to what; in the older
   * one a resource is subscribed to when `check` does not throw.
   */
  attach(server: Server, era: McpRequestContext["era"], check: CheckResource): void {
    this.#publish = (event) => {
      if (event.kind !== "resource_updated") return sent(server.sendResourceListChanged())
      if (era === "modern" || this.#subscribed.has(event.uri)) sent(server.sendResourceUpdated({ uri: event.uri }))
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

/** A connection that is gone hears nothing more. */
const sent = (sending: Promise<void>): void => {
  sending.catch(() => {})
}

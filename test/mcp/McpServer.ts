import { NodeCrypto } from "@effect/platform-node"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import { signIn } from "../../bin/SignIn.ts"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as App from "@lists-and-things/http/App"
import * as Server from "@lists-and-things/http/Server"
import { Authenticator } from "@lists-and-things/mcp/Authenticator"
import { makeWebHandler } from "@lists-and-things/mcp/http/Http"
import * as Mcp from "@lists-and-things/mcp/http/Route"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { allTools } from "@lists-and-things/mcp/Toolbox"
import type { Tool } from "@lists-and-things/mcp/Tool"
import * as MemoryStorage from "@lists-and-things/storage-memory/MemoryStorage"
import { middayZone } from "@lists-and-things/testing/Midday"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { Json } from "./Clients.ts"

const siteUrl = "http://lists.test"

export interface ServerOptions {
  readonly tools?: ReadonlyArray<Tool>
  readonly authenticator?: Layer.Layer<Authenticator, never, ApiKeys>
}

/** The HTTP host with `/mcp` beside the REST API, on a free port, over the memory of this process. */
const layerOf = ({ tools = allTools, authenticator = Authenticator.layerApiKeys }: ServerOptions) =>
  Server.layer(Layer.merge(App.routes(siteUrl), Mcp.layer(makeWebHandler({ tools }))), {
    host: "127.0.0.1",
    port: 0
  }).pipe(
    Layer.provide(authenticator),
    Layer.provide(Layer.succeed(BaseUrl, { url: siteUrl })),
    Layer.provideMerge(signIn),
    Layer.provideMerge(useCases),
    Layer.provideMerge(MemoryStorage.layer),
    Layer.provide(NodeCrypto.layer)
  )

export interface Person {
  readonly token: string
  readonly accountId: string
}

export interface McpServer {
  readonly url: string
  readonly person: (options?: PersonOptions) => Promise<Person>
  readonly run: <A, E>(effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof layerOf>>>) => Promise<A>
  /** What `GET` of a path of the REST API answers this person. */
  readonly rest: (person: Person, path: string) => Promise<Json>
  readonly stop: () => Promise<void>
}

export interface PersonOptions {
  readonly scopes?: ReadonlyArray<Scope>
  readonly rateLimit?: number
  /** `middayZone` by default. */
  readonly timezone?: string
  readonly account?: string
}

let people = 0

export const startServer = async (options: ServerOptions = {}): Promise<McpServer> => {
  const runtime = ManagedRuntime.make(layerOf(options))
  const { port } = await runtime.runPromise(Server.Server)
  const person = (wanted: PersonOptions = {}) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const keys = yield* ApiKeys
        const account =
          wanted.account === undefined
            ? yield* accounts.create({
                email: `p${++people}@example.com`,
                timezone: wanted.timezone ?? middayZone
              })
            : yield* accounts.get(wanted.account)
        const { token } = yield* keys.create({
          account: account.id,
          ...(wanted.scopes === undefined ? {} : { scopes: wanted.scopes }),
          ...(wanted.rateLimit === undefined ? {} : { rateLimit: wanted.rateLimit })
        })
        return { token, accountId: account.id }
      })
    )
  const url = `http://127.0.0.1:${port}`
  const rest = async ({ token }: Person, path: string): Promise<Json> => {
    const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    return response.json()
  }
  return {
    url,
    person,
    run: (effect) => runtime.runPromise(effect),
    rest,
    stop: () => runtime.dispose()
  }
}

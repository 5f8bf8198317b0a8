import { NodeCrypto } from "@effect/platform-node"
import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import type { AccountPatch } from "@lists-and-things/domain/caller/AccountSettings"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import { signIn } from "../../bin/SignIn.ts"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as App from "@lists-and-things/http/App"
import * as Server from "@lists-and-things/http/Server"
import * as NodeWebhookTransport from "@lists-and-things/platform-node/NodeWebhookTransport"
import { expectDescribed } from "./AnswerSchemas.ts"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { breakableStorage, Breaker } from "./BreakableStorage.ts"

/** The base of the items' URLs in these servers. */
export const siteUrl = "http://lists.test"

/** The real server on a free port of the loopback. */
export const serverOver = <E>(storage: Layer.Layer<Layer.Success<typeof breakableStorage>, E>) =>
  Server.layer(App.routes(siteUrl), { host: "127.0.0.1", port: 0 }).pipe(
    Layer.provideMerge(signIn),
    Layer.provideMerge(useCases),
    Layer.provide(NodeWebhookTransport.layer(["127.0.0.1"])),
    Layer.provideMerge(storage),
    Layer.provide(NodeCrypto.layer)
  )

/** Over the memory of this process, which `Breaker` can break. */
export const serverLayer = serverOver(breakableStorage)

/** Over a database with the newest schema. */
export const postgresServer = (url: Redacted.Redacted<string>) =>
  serverOver(Layer.merge(PgStorage.layer({ url }), Layer.succeed(Breaker, { state: "whole" })))

interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Undefined where there is no body; text where it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- its form is compared with the interface description
  readonly body: any
}

export interface RequestOptions {
  readonly headers?: Record<string, string>
  /** Sent as it is. */
  readonly text?: string
  /** Another key, or none. */
  readonly token?: string | null
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS"

/** A person with a key, and what they ask of the server; every answer is checked against the interface description. */
export interface Client {
  readonly url: string
  readonly token: string
  readonly accountId: string
  readonly keyId: string
  /** `path` is relative to the API base, or to the site where it begins with `//`. */
  readonly ask: (method: Method, path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>
}

export interface ClientOptions {
  readonly scopes?: ReadonlyArray<Scope>
  readonly rateLimit?: number
  readonly settings?: AccountPatch
  /** Another key of this client's account. */
  readonly accountOf?: Client
}

export interface TestServer {
  readonly url: string
  readonly client: (options?: ClientOptions) => Promise<Client>
  /** The services of the running server, for what no request can do. */
  readonly context: Context.Context<Layer.Success<typeof serverLayer>>
}

const send = async (
  url: string,
  token: string | null,
  method: Method,
  body: unknown,
  options: RequestOptions
): Promise<Answer> => {
  const text = options.text ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url, {
    method,
    ...(text === undefined ? {} : { body: text }),
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers
    }
  })
  const answered = await response.text()
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
  return {
    status: response.status,
    headers: response.headers,
    body: answered === "" ? undefined : isJson ? JSON.parse(answered) : answered
  }
}

/** A function that makes requests to a server with one key, wherever the server runs. */
export const askOf =
  (url: string, token: string): Client["ask"] =>
  async (method, path, body, of = {}) => {
    const isApi = !path.startsWith("//")
    const address = isApi ? `${url}/api/v1${path}` : `${url}${path.slice(1)}`
    const answer = await send(address, of.token === undefined ? token : of.token, method, body, of)
    if (isApi && method !== "HEAD") expectDescribed(method, path, answer.status, answer.headers, answer.body)
    return answer
  }

let people = 0

/** The running server, with what tests need of it. Build `serverLayer` first. */
export const testServer = Effect.gen(function* () {
  const context = yield* Effect.context<Layer.Success<typeof serverLayer>>()
  const { port } = Context.get(context, Server.Server)
  const url = `http://127.0.0.1:${port}`
  const client = (options: ClientOptions = {}): Promise<Client> =>
    Effect.runPromise(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const keys = yield* ApiKeys
        const account =
          options.accountOf === undefined
            ? yield* accounts.create({
                email: `person-${++people}-${yield* Clock.currentTimeMillis}@example.com`,
                ...options.settings
              })
            : yield* accounts.get(options.accountOf.accountId)
        const { key, token } = yield* keys.create({
          account: account.id,
          ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
          ...(options.rateLimit === undefined ? {} : { rateLimit: options.rateLimit })
        })
        const ask = askOf(url, token)
        return { url, token, accountId: account.id, keyId: key.id, ask }
      }).pipe(Effect.provide(context))
    )
  return { url, client, context } satisfies TestServer
})

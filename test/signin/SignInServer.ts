import { NodeCrypto } from "@effect/platform-node"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { PasswordHasher } from "@lists-and-things/domain/caller/PasswordHasher"
import type { ClientDocuments } from "@lists-and-things/domain/signin/ClientDocuments"
import { signInServices } from "@lists-and-things/domain/signin/SignInServices"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as App from "@lists-and-things/http/App"
import { behind, ClientAddress, rangeOf } from "@lists-and-things/web/ClientAddress"
import * as NodeClientDocuments from "@lists-and-things/platform-node/NodeClientDocuments"
import * as Server from "@lists-and-things/http/Server"
import { Authenticator } from "@lists-and-things/mcp/Authenticator"
import { makeWebHandler } from "@lists-and-things/mcp/http/Http"
import * as Mcp from "@lists-and-things/mcp/http/Route"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { allTools } from "@lists-and-things/mcp/Toolbox"
import * as MemoryStorage from "@lists-and-things/storage-memory/MemoryStorage"
import { Clock, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { middayZone } from "@lists-and-things/testing/Midday"
import { ownPort } from "../setup/OwnPort.ts"
import * as NodeWebhookTransport from "@lists-and-things/platform-node/NodeWebhookTransport"
import * as NodePasswordHasher from "@lists-and-things/platform-node/NodePasswordHasher"

export const password = "correct horse battery staple"

/** A fast password hasher, for tests that are not about passwords. */
export const quickHasher = Layer.succeed(
  PasswordHasher,
  PasswordHasher.of({
    hash: (given) => Effect.succeed(`plain:${Redacted.value(given)}`),
    verify: (given, encoded) => Effect.succeed(encoded === `plain:${Redacted.value(given)}`)
  })
)

/** The clock of this machine, moved forward by `shift.by` milliseconds. */
const shiftedClock = (shift: { by: number }): Clock.Clock => {
  const real = Effect.runSync(Effect.clockWith(Effect.succeed))
  return {
    currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + shift.by,
    currentTimeMillis: Effect.sync(() => real.currentTimeMillisUnsafe() + shift.by),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe() + BigInt(shift.by) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => real.currentTimeNanosUnsafe() + BigInt(shift.by) * 1_000_000n),
    sleep: (duration) => real.sleep(duration)
  }
}

export interface Options {
  readonly documents?: Layer.Layer<ClientDocuments>
  readonly hasher?: Layer.Layer<PasswordHasher>
  /** The address of the site; the listening address by default. */
  readonly siteUrl?: string
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  readonly proxies?: ReadonlyArray<string>
}

const layerOf = (siteUrl: string, port: number, shift: { by: number }, options: Options) =>
  Server.layer(Layer.merge(App.routes(siteUrl), Mcp.layer(makeWebHandler({ tools: allTools }))), {
    host: "127.0.0.1",
    port
  }).pipe(
    Layer.provide(Layer.succeed(ClientAddress, behind((options.proxies ?? []).flatMap((text) => [rangeOf(text)!])))),
    Layer.provide(Authenticator.layer),
    Layer.provide(Layer.succeed(BaseUrl, { url: siteUrl })),
    Layer.provideMerge(signInServices),
    Layer.provideMerge(options.hasher ?? NodePasswordHasher.layer),
    Layer.provide(options.documents ?? NodeClientDocuments.layer),
    Layer.provideMerge(useCases),
    Layer.provide(NodeWebhookTransport.layer(["127.0.0.1"])),
    Layer.provideMerge(MemoryStorage.layer),
    Layer.provide(NodeCrypto.layer),
    Layer.provideMerge(Layer.succeed(Clock.Clock, shiftedClock(shift)))
  )

export interface PersonSettings {
  readonly email?: string
  readonly timezone?: string
}

export interface SignInServer {
  /** The listening address; also site_url by default. */
  readonly url: string
  /** A new account with a password and a key; in `middayZone` by default. */
  readonly person: (settings?: PersonSettings) => Promise<{
    readonly id: string
    readonly email: string
    readonly key: string
  }>
  /** Moves the server's clock forward. */
  readonly later: (milliseconds: number) => void
  readonly run: <A, E>(effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof layerOf>>>) => Promise<A>
  readonly stop: () => Promise<void>
}

let people = 0

/** The HTTP host with `/mcp` and the sign-in, over memory storage. */
export const startServer = async (options: Options = {}): Promise<SignInServer> => {
  const port = await ownPort()
  const url = `http://127.0.0.1:${port}`
  const shift = { by: 0 }
  const runtime = ManagedRuntime.make(layerOf(options.siteUrl ?? url, port, shift, options))
  await runtime.runPromise(Server.Server)
  const person = ({ email = `person-${++people}@example.com`, timezone = middayZone }: PersonSettings = {}) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { id } = yield* accounts.create({ email, name: "Ann", timezone })
        yield* accounts.setPassword(id, Redacted.make(password))
        const { token } = yield* (yield* ApiKeys).create({ account: id })
        return { id: id as string, email, key: token }
      })
    )
  return {
    url,
    person,
    later: (milliseconds) => {
      shift.by += milliseconds
    },
    run: (effect) => runtime.runPromise(effect),
    stop: () => runtime.dispose()
  }
}

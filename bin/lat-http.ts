import { reportClock } from "@lists-and-things/domain/ClockReport"
import { Housekeeping } from "@lists-and-things/domain/housekeeping/Housekeeping"
import * as App from "@lists-and-things/http/App"
import { behind, ClientAddress } from "@lists-and-things/web/ClientAddress"
import { firstStart, startText } from "@lists-and-things/http/FirstStart"
import * as Server from "@lists-and-things/http/Server"
import { serverConfig } from "@lists-and-things/http/ServerConfig"
import { Authenticator } from "@lists-and-things/mcp/http/Authenticator"
import * as Mcp from "@lists-and-things/mcp/http/Http"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { allTools } from "@lists-and-things/mcp/Toolbox"
import { Effect, Layer } from "effect"
import { tellFirstKey } from "./FirstKey.ts"
import { runHost } from "./Run.ts"
import { databaseUrl } from "./Settings.ts"
import { signIn } from "./signin.ts"
import { storage } from "./storage.ts"

/**
 * Collects the garbage of the start, about half of the memory, which would otherwise stay until much more has
 * accumulated.
 */
const forgetTheStart = Effect.sync(() => globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" }))

const program = Effect.gen(function* () {
  const config = yield* serverConfig
  const ownStorage = (yield* databaseUrl) === undefined
  const tools = Mcp.layer({ tools: allTools, hosts: [config.host] }).pipe(
    Layer.provide(Authenticator.layer),
    Layer.provide(Layer.succeed(BaseUrl, { url: config.publicUrl }))
  )
  const announce = Effect.gen(function* () {
    const { port } = yield* Server.Server
    const first = yield* firstStart({ host: config.host, ownStorage })
    const siteUrl = config.publicUrl.replace(/:0$/, `:${port}`)
    const told = startText(siteUrl) + (first === undefined ? "" : yield* tellFirstKey(siteUrl, first))
    yield* Effect.sync(() => void process.stdout.write(told))
    yield* reportClock
    yield* forgetTheStart
  })
  const served = Server.layer(Layer.merge(App.routes(config.publicUrl), tools), config).pipe(
    Layer.provide(Layer.succeed(ClientAddress, behind(config.trustedProxies)))
  )
  const services = signIn.pipe(Layer.provideMerge(storage({ olderSchema: "migrate" })))
  const announced = Layer.effectDiscard(announce).pipe(Layer.provide(served))
  return yield* Layer.launch(Layer.merge(announced, Housekeeping.running).pipe(Layer.provide(services)))
})

runHost(program)

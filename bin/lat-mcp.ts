import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Housekeeping } from "@lists-and-things/domain/housekeeping/Housekeeping"
import { behind, ClientAddress } from "@lists-and-things/web/ClientAddress"
import * as Server from "@lists-and-things/http/Server"
import { Authenticator } from "@lists-and-things/mcp/Authenticator"
import { makeWebHandler } from "@lists-and-things/mcp/http/Http"
import * as Mcp from "@lists-and-things/mcp/http/Route"
import { onTerminal, type Options, parseOptions, usage } from "@lists-and-things/mcp/Options"
import { BaseUrl, mcpUrlOf } from "@lists-and-things/web/BaseUrl"
import { baseUrl } from "./BaseUrl.ts"
import * as Stdio from "@lists-and-things/mcp/stdio/Stdio"
import { narrowed } from "@lists-and-things/mcp/Toolbox"
import { Effect, Layer, Redacted } from "effect"
import * as SystemUser from "@lists-and-things/platform-node/SystemUser"
import { nameCommands } from "./OwnPrograms.ts"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import { productVersion } from "@lists-and-things/domain/model/ProductVersion"
import { runHost } from "./Run.ts"
import * as Settings from "@lists-and-things/settings/Settings"
import { findSiteUrl } from "@lists-and-things/settings/SiteUrl"
import { signIn } from "./SignIn.ts"
import { storage as storageOf } from "./Storage.ts"

const storage = storageOf({ olderSchema: "refuse" })

/** Options take precedence over variables. */
const listening = Effect.fnUntraced(function* ({ host, port }: Options) {
  return {
    host: yield* host === undefined ? Settings.host.config : Settings.host.parse(host, "--host "),
    port: yield* port === undefined ? Settings.port.config : Settings.port.parse(port, "--port ")
  }
})

const overHttp = Effect.fnUntraced(function* (options: Options, { host, port }: Server.ServerConfig) {
  const handler = makeWebHandler({ tools: yield* narrowed(options), hosts: [host] })
  const routes = Mcp.layer(handler).pipe(Layer.provide(baseUrl))
  const announced = Effect.gen(function* () {
    const url = yield* Settings.siteUrlAt((yield* Server.Server).port)
    yield* Effect.sync(() => void process.stderr.write(`Lists and Things answers tool calls at ${mcpUrlOf(url)}\n`))
  })
  const served = Layer.effectDiscard(announced).pipe(
    Layer.provide(Server.layer(routes, { host, port })),
    Layer.provide(Layer.succeed(ClientAddress, behind(yield* Settings.trustedProxies.config))),
    Layer.provide(Authenticator.layer),
    Layer.provide(signIn),
    Layer.merge(Housekeeping.running),
    Layer.provide(storage)
  )
  return yield* Layer.launch(served)
})

const overStdio = Effect.fnUntraced(function* (options: Options) {
  const key = yield* Settings.apiKey.config
  const ownsData = (yield* Settings.databaseUrl.config) === undefined
  const tools = yield* narrowed(options)
  const session = Effect.gen(function* () {
    const accounts = yield* Accounts
    // A private memory adapter is empty: creates an account to try the tools with.
    if ((yield* Settings.storage.config) === "memory") yield* accounts.create({ email: "you@localhost" })
    const apiKey = key === undefined ? undefined : Redacted.value(key)
    const account = options.account ?? (yield* Settings.accountName.config)
    return yield* Stdio.stdioSession({ apiKey, account, ownsData })
  })
  const serving = Effect.flatMap(session, (session) => {
    if (process.stdin.isTTY) process.stderr.write(onTerminal(lat))
    return Stdio.serve(tools, session)
  })
  yield* serving.pipe(
    Effect.provide(
      Layer.mergeAll(
        Authenticator.layerApiKeys,
        Layer.effect(BaseUrl, findSiteUrl),
        Housekeeping.running,
        SystemUser.layer
      )
    ),
    Effect.provide(storage)
  )
})

const program = Effect.gen(function* () {
  const options = yield* parseOptions(process.argv.slice(2))
  if (options.help) return void process.stdout.write(usage)
  if (options.version) return void process.stdout.write(`${productVersion}\n`)
  yield* Settings.checkSettings("lat-mcp")
  yield* Settings.warnOfUnknownSettings(process.env)
  const config = yield* listening(options)
  yield* options.http ? overHttp(options, config) : overStdio(options)
})

nameCommands()
runHost(program)

import { reportClock } from "@lists-and-things/domain/servers/ClockReport"
import { announceServer } from "@lists-and-things/domain/servers/ServerAddress"
import { Housekeeping } from "@lists-and-things/domain/housekeeping/Housekeeping"
import * as App from "@lists-and-things/http/App"
import { behind, ClientAddress } from "@lists-and-things/web/ClientAddress"
import type { Line } from "@lists-and-things/cli/commands/setup/SetupText"
import {
  findMissing,
  type FirstStart,
  firstStart,
  persistently,
  type Site
} from "@lists-and-things/domain/servers/FirstStart"
import { missingLine, startText } from "@lists-and-things/http/StartText"
import { parseOptions, usage } from "@lists-and-things/http/Options"
import * as Server from "@lists-and-things/http/Server"
import { Authenticator } from "@lists-and-things/mcp/Authenticator"
import * as Mcp from "@lists-and-things/mcp/http/Route"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { baseUrl } from "./BaseUrl.ts"
import { delivererLayer } from "@lists-and-things/domain/webhooks/Deliverer"
import { ConfigProvider, Deferred, Effect, Layer, Option } from "effect"
import { flushCompileCache } from "node:module"
import { hostname } from "node:os"
import { nameCommands } from "./OwnPrograms.ts"
import { productVersion } from "@lists-and-things/domain/model/ProductVersion"
import { runHost } from "./Run.ts"
import * as Settings from "@lists-and-things/settings/Settings"
import { signIn } from "./SignIn.ts"
import { storage } from "./Storage.ts"
import { allPages, metrics, metricsOfWorkers, observer } from "./Telemetry.ts"
import { isWorker, printsAddress, reportReady, supervise } from "./Workers.ts"

/**
 * Collects the garbage of the start, about half of the memory, which would otherwise stay until much more has
 * accumulated. This also drops functions that only the start needed, so their compiled code is cached first for the
 * next start.
 */
const collectStartGarbage = Effect.sync(() => {
  flushCompileCache?.()
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })
})

/** Loaded on the first call: with the SDK, loading takes a tenth of the start, and clients of REST do not need it. */
const toolHandler = Effect.fnUntraced(function* (host: string) {
  const { makeWebHandler } = yield* Effect.promise(() => import("@lists-and-things/mcp/http/Http"))
  const { allTools } = yield* Effect.promise(() => import("@lists-and-things/mcp/Toolbox"))
  return yield* makeWebHandler({ tools: allTools, hosts: [host] })
})

/** By `TZ`, or by the machine's settings. */
const machineZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** What the first start has created, and the lines about its key. */
interface Begun {
  readonly first: FirstStart
  readonly key: ReadonlyArray<Line>
}

/** The REST API, the pages and the tools. */
const routesAt = (host: string) => {
  const tools = Mcp.layer(toolHandler(host)).pipe(Layer.provide(Authenticator.layer))
  const rest = Layer.unwrap(Effect.map(BaseUrl, ({ url }) => App.routes(url)))
  return Layer.merge(rest, tools).pipe(Layer.provide(baseUrl))
}

/** Requests wait until then: who reaches the server finds its first account, and the key in its file. */
const begin = (site: Site, begun: Deferred.Deferred<Begun | undefined>) =>
  Effect.gen(function* () {
    const first = printsAddress() ? yield* firstStart(site) : undefined
    if (first === undefined) return yield* Deferred.succeed(begun, undefined)
    const { firstKeyLines } = yield* Effect.promise(() => import("./FirstStart.ts"))
    const url = yield* Settings.siteUrlAt((yield* Server.BoundAddress).port)
    return yield* Deferred.succeed(begun, { first, key: yield* firstKeyLines(url, first) })
  })

const announce = (url: string, site: Site, begun: Begun | undefined) =>
  Effect.gen(function* () {
    // On a full disk or a closed terminal, output is lost; the server keeps running.
    process.stdout.on("error", () => {})
    if (begun === undefined) {
      const missing = (yield* findMissing(site)).map((each) => missingLine(url, each))
      yield* Effect.sync(() => void process.stdout.write(`${startText(url)}${missing.join("")}`))
    } else {
      const { printFirstStart } = yield* Effect.promise(() => import("./FirstStart.ts"))
      yield* persistently(printFirstStart(url, begun.first, begun.key))
    }
    yield* reportClock
  })

const server = Effect.gen(function* () {
  const host = yield* Settings.host.config
  const port = yield* Settings.port.config
  const trustedProxies = yield* Settings.trustedProxies.config
  const site = {
    host,
    timezone: machineZone(),
    ownStorage: (yield* Settings.databaseUrl.config) === undefined,
    inMemory: (yield* Settings.storage.config) === "memory",
    hasPublicUrl: Option.isSome(yield* Settings.publicUrl.given)
  }
  const siteUrl = yield* Deferred.make<string>()
  const begun = yield* Deferred.make<Begun | undefined>()
  const started = Effect.gen(function* () {
    const { port } = yield* Server.Server
    const url = yield* Settings.siteUrlAt(port)
    yield* Deferred.succeed(siteUrl, url)
    yield* announceServer({ machine: hostname(), host, port, url })
    if (printsAddress()) yield* announce(url, site, yield* Deferred.await(begun))
    yield* collectStartGarbage
    yield* reportReady(port)
  })
  const routes = Layer.mergeAll(Layer.effectDiscard(begin(site, begun)), routesAt(host), metrics)
  const served = Server.layer(routes, { host, port }).pipe(
    Layer.provide(observer),
    Layer.provide(Layer.succeed(ClientAddress, behind(trustedProxies)))
  )
  const services = signIn.pipe(Layer.provideMerge(storage({ olderSchema: "migrate" })))
  const announced = Layer.effectDiscard(started).pipe(Layer.provide(served))
  // Events contain links, which need the address.
  const delivers = (yield* Settings.webhookDelivery.config) === "on"
  const delivering = delivers ? delivererLayer(Deferred.await(siteUrl)) : Layer.empty
  return yield* Layer.launch(Layer.mergeAll(announced, Housekeeping.running, delivering).pipe(Layer.provide(services)))
})

const memoryNeedsOneProcess = new Error(
  "LAT_WORKERS: LAT_STORAGE=memory is the memory of one process: leave one of the two variables out"
)

/** Serves in this process, or in several workers that share the port (docs/deploy.md#all-cores-of-one-machine). */
const serving = Effect.gen(function* () {
  if (!isWorker) {
    yield* Settings.checkSettings("lat-http")
    yield* Settings.warnOfUnknownSettings(process.env)
  }
  const workers = isWorker ? 1 : yield* Settings.workers.config
  if (workers > 1 && (yield* Settings.storage.config) === "memory") return yield* Effect.fail(memoryNeedsOneProcess)
  if (workers === 1) return yield* server
  const isAnyPort = (yield* Settings.port.config) === 0
  const supervised = supervise({ count: workers, isAnyPort, pages: allPages })
  return yield* Effect.scoped(Effect.andThen(metricsOfWorkers, supervised))
})

/** Options take precedence over variables. They are set as variables, so that workers inherit them. */
const program = Effect.gen(function* () {
  if (isWorker) return yield* serving
  const { help, host, port, version } = yield* parseOptions(process.argv.slice(2))
  if (help) return void process.stdout.write(usage)
  if (version) return void process.stdout.write(`${productVersion}\n`)
  if (host !== undefined) process.env["HOST"] = yield* Settings.host.parse(host, "--host ")
  if (port !== undefined) process.env["PORT"] = String(yield* Settings.port.parse(port, "--port "))
  return yield* Effect.provideService(serving, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv())
})

nameCommands()
runHost(program)

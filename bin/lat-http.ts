import { routes } from "@lists-and-things/http/App"
import { firstStart, firstStartText } from "@lists-and-things/http/FirstStart"
import * as Server from "@lists-and-things/http/Server"
import { type ServerConfig, serverConfig } from "@lists-and-things/http/ServerConfig"
import { Effect, Layer } from "effect"
import { runHost } from "./Run.ts"
import { databaseUrl } from "./Settings.ts"
import { storage } from "./storage.ts"

/** On standard output: what a person who started it wants to know. */
const announce = Effect.fnUntraced(function* ({ host, publicUrl }: ServerConfig) {
  const site = publicUrl
  process.stdout.write(`Lists and Things is at ${site}\n  REST ${site}/api/v1  documentation ${site}/docs\n`)
  const first = yield* firstStart({ host, ownStorage: (yield* databaseUrl) === undefined })
  if (first !== undefined) process.stdout.write(firstStartText(site, first.token, first.account.email))
})

const host = Effect.gen(function* () {
  const config = yield* serverConfig
  const served = Layer.effectDiscard(Effect.andThen(Server.Server, announce(config))).pipe(
    Layer.provide(Server.layer(routes(config.publicUrl), config)),
    Layer.provide(storage)
  )
  return yield* Layer.launch(served)
})

runHost(host)

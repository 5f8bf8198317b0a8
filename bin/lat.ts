import { enableCompileCache } from "node:module"

enableCompileCache()
const [{ main }, { nameCommands, programs }] = await Promise.all([
  import("@lists-and-things/cli/Main"),
  import("./OwnPrograms.ts")
])

nameCommands()

process.exitCode = await main(process.argv.slice(2), {
  programs,
  environment: process.env,
  services: async (olderSchema) => (await import("./CliLayer.ts")).cliLayer(olderSchema),
  settings: async () => (await import("@lists-and-things/settings/Settings")).settingsInForce(),
  embedded: async () => (await import("./CliEmbedded.ts")).status(),
  upgradeEmbedded: async () => (await import("./CliEmbedded.ts")).upgrade(),
  embeddedUsers: async () => (await import("./CliEmbedded.ts")).users(),
  stopEmbedded: async (options) => (await import("./CliEmbedded.ts")).stop(options)
})

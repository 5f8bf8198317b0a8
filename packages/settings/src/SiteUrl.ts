import { assumption, serverAddress } from "@lists-and-things/domain/servers/ServerAddress"
import { Config, Effect, Option } from "effect"
import { hostname } from "node:os"
import { port, publicUrl, siteUrlAt } from "./Settings.ts"

/** The URL from the environment: `PUBLIC_URL`, or localhost at `PORT`. Undefined if neither is set, or `PORT` is 0. */
const given: Config.Config<string | undefined> = Config.flatMap(
  Config.all([publicUrl.given, port.given]),
  ([url, chosen]): Config.Config<string | undefined> =>
    Option.isSome(url) || (Option.isSome(chosen) && chosen.value !== 0)
      ? siteUrlAt(Option.getOrElse(chosen, () => 0))
      : Config.succeed(undefined)
)

export interface FoundSiteUrl {
  readonly url: string
  /** What had to be assumed, in words; undefined if a running server or the environment sets the URL. */
  readonly assumed: string | undefined
}

/**
 * site_url for a program other than the server: from the environment, otherwise where a server with this storage was
 * last known to run.
 */
export const findSiteUrl = Effect.gen(function* () {
  const named = yield* given
  if (named !== undefined) return { url: named, assumed: undefined } satisfies FoundSiteUrl
  const address = yield* serverAddress(hostname())
  const url = address._tag === "Unknown" ? yield* publicUrl.config : address.server.url
  return { url, assumed: assumption(address) } satisfies FoundSiteUrl
})

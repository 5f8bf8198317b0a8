import { assumption, serverAddress } from "@lists-and-things/domain/servers/ServerAddress"
import { Config, Effect, Option } from "effect"
import { hostname } from "node:os"
import { port, publicUrl, siteUrlAt } from "./Settings.ts"

/** What the environment says: `PUBLIC_URL`, or this machine at `PORT`. Undefined where it leaves that open. */
const given: Config.Config<string | undefined> = Config.flatMap(
  Config.all([publicUrl.given, port.given]),
  ([url, chosen]): Config.Config<string | undefined> =>
    Option.isSome(url) || (Option.isSome(chosen) && chosen.value !== 0)
      ? siteUrlAt(Option.getOrElse(chosen, () => 0))
      : Config.succeed(undefined)
)

export interface FoundSiteUrl {
  readonly url: string
  /** What was assumed of it, for people; undefined where a server says that it answers there, or the environment does. */
  readonly assumed: string | undefined
}

/** site_url for a program beside the server: as the environment says, else where a server of this storage answers. */
export const findSiteUrl = Effect.gen(function* () {
  const named = yield* given
  if (named !== undefined) return { url: named, assumed: undefined } satisfies FoundSiteUrl
  const address = yield* serverAddress(hostname())
  const url = address._tag === "Unknown" ? yield* publicUrl.config : address.server.url
  return { url, assumed: assumption(address) } satisfies FoundSiteUrl
})

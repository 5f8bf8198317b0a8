import { BoundAddress } from "@lists-and-things/http/Server"
import { siteUrlAt } from "@lists-and-things/settings/Settings"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { Effect, Layer } from "effect"

/** site_url of a server; with `PORT=0` it has the port that was bound. */
export const baseUrl = Layer.effect(
  BaseUrl,
  Effect.gen(function* () {
    const { port } = yield* BoundAddress
    return { url: yield* siteUrlAt(port) }
  })
)

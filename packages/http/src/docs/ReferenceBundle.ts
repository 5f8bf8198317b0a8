import plugin from "@scalar/fastify-api-reference"
import { basePath } from "../api/Api.ts"

/** A route as a plugin of Fastify declares it. */
interface PluginRoute {
  readonly url: string
  readonly handler: (request: unknown, reply: Reply) => unknown
}

interface Reply {
  readonly header: (name: string, value: string) => Reply
  readonly send: (body: string) => string
}

/** The part of Fastify that the plugin needs to declare its routes. */
interface PluginHost {
  readonly route: (route: PluginRoute) => void
  readonly hasPlugin: () => boolean
}

const reply: Reply = { header: () => reply, send: (body) => body }

/**
 * The bundle of the reference page (Scalar), taken from its Fastify plugin: the only package that contains the bundle
 * without 270 others (docs/adr/0076-the-day-in-the-browser.md#the-reference).
 */
export const referenceBundle = (): string => {
  const routes: Array<PluginRoute> = []
  const host: PluginHost = { route: (route) => void routes.push(route), hasPlugin: () => false }
  const declare = plugin as unknown as (host: PluginHost, options: object, next: () => void) => void
  declare(host, { configuration: { url: `${basePath}/openapi.json` } }, () => {})
  const script = routes.find(({ url }) => url.endsWith(".js"))?.handler({}, reply)
  if (typeof script !== "string") throw new Error("The package of the reference page serves no script.")
  return script
}

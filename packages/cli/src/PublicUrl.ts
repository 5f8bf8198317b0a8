import { Config, Effect, Option } from "effect"

/** The site's URL without a trailing slash: `PUBLIC_URL`, or else derived from host and port. */
export const publicUrl = Effect.gen(function* () {
  const configured = yield* Config.option(Config.String("PUBLIC_URL"))
  if (Option.isSome(configured)) return configured.value.replace(/(?<!\/)\/+$/, "")
  return `http://localhost:${yield* Config.withDefault(Config.String("PORT"), "3000")}`
})

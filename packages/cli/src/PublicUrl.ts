import { Config, Effect, Option } from "effect"

/** The site's address without a slash at its end: `PUBLIC_URL`, else made of the host and the port. */
export const publicUrl = Effect.gen(function* () {
  const configured = yield* Config.option(Config.String("PUBLIC_URL"))
  if (Option.isSome(configured)) return configured.value.replace(/(?<!\/)\/+$/, "")
  return `http://localhost:${yield* Config.withDefault(Config.String("PORT"), "3000")}`
})

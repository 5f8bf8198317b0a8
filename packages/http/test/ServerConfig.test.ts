import { Config, ConfigProvider, Effect } from "effect"
import { describe, expect, it } from "@effect/vitest"
import { trustedProxies } from "../src/ServerConfig.ts"

const read = (text: string | undefined) =>
  Effect.result(
    trustedProxies.parse(ConfigProvider.fromUnknown(text === undefined ? {} : { LAT_TRUSTED_PROXIES: text }))
  )

describe("LAT_TRUSTED_PROXIES", () => {
  it.effect("is empty by default, and takes addresses and ranges of both kinds", () =>
    Effect.gen(function* () {
      const shown = (ranges: ReadonlyArray<readonly [{ toString(): string }, number]>) =>
        ranges.map(([first, bits]) => `${first}/${bits}`)
      const of = (text: string | undefined) => Effect.map(Effect.flatMap(read(text), Effect.fromResult), shown)
      expect(yield* of(undefined)).toStrictEqual([])
      expect(yield* of(" ")).toStrictEqual([])
      expect(yield* of("10.0.0.0/8, 192.0.2.7,::1,2001:db8::/32,")).toStrictEqual([
        ...["10.0.0.0/8", "192.0.2.7/32", "::1/128", "2001:db8::/32"]
      ])
      expect(yield* of("::ffff:10.0.0.0/104")).toStrictEqual(["10.0.0.0/8"])
      expect(yield* of("0.0.0.0/0")).toStrictEqual(["0.0.0.0/0"])
    })
  )

  it.effect("is refused by its name when an entry is neither", () =>
    Effect.gen(function* () {
      for (const text of [
        "proxy.example",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/8/8",
        "::1/129",
        "10.0/8",
        "010.0.0.1/x"
      ]) {
        const result = yield* read(`127.0.0.1, ${text}`)
        expect(result._tag, text).toBe("Failure")
        if (result._tag === "Failure") {
          expect(result.failure).toBeInstanceOf(Config.ConfigError)
          expect(result.failure.message).toContain("LAT_TRUSTED_PROXIES")
          expect(result.failure.message).toContain(text)
        }
      }
    })
  )
})

import { describe, expect, it } from "@effect/vitest"
import { Config, Effect, Layer, References } from "effect"
import { runOver } from "../src/StorageRunner.ts"

const levelWith = (level: string | undefined) =>
  runOver(
    {
      programs: { root: "/nowhere", node: "node", isCheckout: false },
      environment: { LAT_LOG: level },
      services: () => Promise.resolve(Layer.empty as never),
      settings: () => Promise.resolve([]),
      embedded: () => Promise.reject(new Error("not asked for")),
      upgradeEmbedded: () => Promise.resolve(undefined),
      embeddedUsers: () => Promise.resolve(0),
      stopEmbedded: () => Promise.resolve(false)
    },
    Effect.service(References.MinimumLogLevel)
  )

describe("the log level of a command", () => {
  it("is what LAT_LOG names, else only errors", async () => {
    expect(await levelWith("WARNING")).toBe("Warn")
    expect(await levelWith("verbose")).toBe("Trace")
    expect(await levelWith("off")).toBe("None")
    expect(await levelWith(undefined)).toBe("Error")
    expect(await levelWith("")).toBe("Error")
  })

  it("is refused by what it may be, before anything is connected", async () => {
    const refusal = await levelWith("loud").then(
      () => expect.fail("accepted"),
      (error: unknown) => error
    )
    expect(refusal).toBeInstanceOf(Config.ConfigError)
    expect((refusal as Config.ConfigError).cause.message).toMatch(/^LAT_LOG: expected trace, .*warning, .*fatal/)
  })
})

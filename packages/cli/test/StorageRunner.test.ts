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
  it("is that of LAT_LOG, or Error without it", async () => {
    expect(await levelWith("WARNING")).toBe("Warn")
    expect(await levelWith("verbose")).toBe("Trace")
    expect(await levelWith("off")).toBe("None")
    expect(await levelWith(undefined)).toBe("Error")
    expect(await levelWith("")).toBe("Error")
  })

  it("is refused with the allowed values if LAT_LOG is invalid, before a database is opened", async () => {
    const refusal = await levelWith("loud").then(
      () => expect.fail("accepted"),
      (error: unknown) => error
    )
    expect(refusal).toBeInstanceOf(Config.ConfigError)
    expect((refusal as Config.ConfigError).cause.message).toMatch(/^LAT_LOG: expected trace, .*warning, .*fatal/)
  })
})

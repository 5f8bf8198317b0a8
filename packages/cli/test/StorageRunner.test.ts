import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { Failure } from "../src/Failure.ts"
import { runOver } from "../src/StorageRunner.ts"

const levelWith = (level: string | undefined) =>
  runOver(
    {
      version: "1.0.0",
      environment: { LAT_LOG: level },
      services: () => Promise.resolve(Layer.empty as never),
      settings: () => Promise.resolve([]),
      embedded: () => Promise.reject(new Error("not asked for")),
      stopEmbedded: () => Promise.resolve(false)
    },
    Effect.service(References.MinimumLogLevel)
  )

describe("the log level of a command", () => {
  it("is what LAT_LOG names, else only errors", async () => {
    assert.strictEqual(await levelWith("WARNING"), "Warn")
    assert.strictEqual(await levelWith("verbose"), "Trace")
    assert.strictEqual(await levelWith("off"), "None")
    assert.strictEqual(await levelWith(undefined), "Error")
    assert.strictEqual(await levelWith(""), "Error")
  })

  it("is refused by what it may be, before anything is connected", async () => {
    const refusal = await levelWith("loud").then(
      () => assert.fail("accepted"),
      (error: unknown) => error
    )
    assert.instanceOf(refusal, Failure)
    assert.match((refusal as Failure).message, /^LAT_LOG: expected trace, .*warning, .*fatal/)
  })
})

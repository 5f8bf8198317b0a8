import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer, Logger } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as CollectorClient from "../src/CollectorClient.ts"

const url = "http://collector.example:4318/v1/traces"

describe("telemetry that is sent to a collector", () => {
  const given = (variables: Readonly<Record<string, string>> = {}) => {
    const lines: Array<string> = []
    const state: { answer: "none" | "unreachable" | "endless" | ResponseInit } = { answer: { status: 200 } }
    const collector = HttpClient.make((request) =>
      Effect.suspend(() => {
        const { answer } = state
        if (answer === "none") return Effect.never
        if (answer === "unreachable") {
          const cause = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 10.0.0.1:4318") })
          const reason = new HttpClientError.TransportError({ request, cause })
          return Effect.fail(new HttpClientError.HttpClientError({ reason }))
        }
        const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) })
        const response = answer === "endless" ? new Response(body) : new Response(null, answer)
        return Effect.succeed(HttpClientResponse.fromWeb(request, response))
      })
    )
    const layer = CollectorClient.layer.pipe(
      Layer.provide(Layer.succeed(HttpClient.HttpClient, collector)),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables)))
    )
    const logger = Logger.layer([Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${message}`))])
    return { state, layer: Layer.merge(layer, logger), said: () => lines.splice(0) }
  }
  const send = (to = url) =>
    Effect.gen(function* () {
      return yield* (yield* HttpClient.HttpClient).post(to)
    })

  it.effect("is lost with a log line, and another one when it arrives again", () => {
    const { layer, said, state } = given()
    return Effect.gen(function* () {
      yield* send()
      expect(said()).toStrictEqual([])
      const lost = `Warn The collector at ${url} does not take what is sent, which is lost: `
      const again = `Info The collector at ${url} takes what is sent again.`
      for (const [answer, reason] of [
        ["unreachable", "connect ECONNREFUSED 10.0.0.1:4318"],
        [{ status: 401 }, "it answered 401"]
      ] as const) {
        state.answer = answer
        yield* Effect.exit(send())
        yield* Effect.exit(send())
        yield* Effect.exit(send("http://user:key@collector.example:4318/v1/metrics?key=secret"))
        state.answer = { status: 200 }
        yield* send()
        expect(said()).toStrictEqual([lost + reason, `${lost.replace("traces", "metrics")}${reason}`, again])
        yield* send("http://user:key@collector.example:4318/v1/metrics?key=secret")
        said()
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("is given up if no answer arrives, or one that does not end", () => {
    const { layer, said, state } = given()
    return Effect.gen(function* () {
      for (const answer of ["none", "endless"] as const) {
        state.answer = answer
        const sent = yield* Effect.forkChild(Effect.flip(send()))
        yield* TestClock.adjust("10 seconds")
        expect((yield* Fiber.join(sent)).reason._tag).toBe("TransportError")
        expect(said()).toStrictEqual([
          `Warn The collector at ${url} does not take what is sent, which is lost: no answer within 10 s`
        ])
        state.answer = { status: 200 }
        yield* send()
        said()
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("waits for an answer as long as OTEL_EXPORTER_OTLP_TIMEOUT allows", () => {
    const { layer, said, state } = given({ OTEL_EXPORTER_OTLP_TIMEOUT: "2500" })
    return Effect.gen(function* () {
      state.answer = "none"
      const sent = yield* Effect.forkChild(Effect.flip(send()))
      yield* TestClock.adjust("2499 millis")
      expect(said()).toStrictEqual([])
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(sent)
      expect(said()).toStrictEqual([expect.stringMatching(/: no answer within 2\.5 s$/)])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is retried after at most half a minute, whatever the collector asks for", () => {
    const { layer, state } = given()
    return Effect.gen(function* () {
      for (const [asked, kept] of [
        ["3600", "30"],
        ["5", "5"],
        ["Fri, 01 Jan 2100 00:00:00 GMT", undefined]
      ] as const) {
        state.answer = { status: 429, headers: { "retry-after": asked } }
        const { headers, status } = yield* send()
        expect([status, headers["retry-after"]]).toStrictEqual([429, kept])
      }
    }).pipe(Effect.provide(layer))
  })
})

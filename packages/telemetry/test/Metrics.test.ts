import { describe, expect, it } from "@effect/vitest"
import { ChangeWaiters } from "@lists-and-things/domain/history/ChangeWaiters"
import { epoch } from "@lists-and-things/domain/model/EpochMillis"
import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import { WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import type { RequestEnd } from "@lists-and-things/web/Observer"
import { Clock, Context, Effect, Layer, Logger } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { countRequest } from "../src/Metrics.ts"
import { makePage } from "../src/MetricsPage.ts"
import { makeRequestLog } from "../src/RequestLog.ts"

const end: RequestEnd = {
  method: "GET",
  route: "/api/v1/lists",
  status: 200,
  millis: 20,
  hasWaited: false,
  requestId: "a-request",
  client: "192.0.2.1"
}

const valueOf = (page: string, name: string) => page.split("\n").find((line) => line.startsWith(`${name} `))

describe("a request", () => {
  it("is counted in seconds, by method, route and status class, with few values of each", async () => {
    const wrong = { ...end, method: "PROPFIND", route: undefined, status: 405 }
    for (const each of [end, wrong]) countRequest(Context.empty(), each)
    const page = await Effect.runPromise(PrometheusMetrics.format())
    const name = "lat_http_request_duration_seconds"
    const labels = [
      '{method="GET",route="/api/v1/lists",status="2xx"}',
      '{method="other",route="unmatched",status="4xx"}'
    ]
    expect(labels.map((each) => valueOf(page, `${name}_count${each}`))).toStrictEqual(
      labels.map((each) => `${name}_count${each} 1`)
    )
    expect(valueOf(page, `${name}_sum${labels[0]}`)).toBe(`${name}_sum${labels[0]} 0.02`)
  })

  it("is logged if it was slow and did not wait for changes, without its path", async () => {
    const lines: Array<string> = []
    const logger = Logger.layer([
      Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
    ])
    await Effect.runPromise(
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.sync(() => {
          const log = makeRequestLog(context, 100)!
          for (const differs of [{ millis: 99 }, { millis: 100, hasWaited: true }, { millis: 100 }])
            log({ ...end, route: undefined, ...differs })
        })
      ).pipe(Effect.provide(logger))
    )
    expect(lines).toStrictEqual(["Warn Slow request: GET (no route) 200 100 ms, request a-request of 192.0.2.1"])
  })
})

it.effect("the refusals of the database stay a total since the start, however often they are read", () =>
  Effect.gen(function* () {
    const database = { open: 3, busy: 2, waiting: 1, refused: 2 }
    let looks = 0
    const history = Effect.sync(() => ({ bytes: ++looks, oldest: null }))
    const services = Layer.mergeAll(
      Layer.succeed(StorageAdmin, { connections: Effect.sync(() => ({ ...database })), history } as never),
      Layer.succeed(ChangeWaiters, { count: () => 4 } as never),
      Layer.succeed(WebhookStore, { backlog: () => Effect.succeed({ count: 5, oldest: epoch }) } as never)
    )
    const read = yield* Effect.provide(makePage, services)
    yield* read.page
    database.refused = 7
    const page = yield* read.page
    const told = ["lat_database_refused_total", "lat_database_waiting", "lat_feed_waiters", "lat_webhook_backlog"]
    expect(told.map((name) => valueOf(page, name)?.split(" ")[1])).toStrictEqual(["7", "1", "4", "5"])
    // The size of the history is read at most once a minute.
    expect(valueOf(page, "lat_history_bytes")).toBe("lat_history_bytes 1")
  })
)

it.effect("the size of the history is read again although the clock was set back", () =>
  Effect.gen(function* () {
    let now = 7_200_000
    let looks = 0
    const monotonic = { nanos: 0n }
    const clock: Clock.Clock = {
      ...(yield* Clock.Clock),
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      monotonicTimeNanosUnsafe: () => monotonic.nanos,
      monotonicTimeNanos: Effect.sync(() => monotonic.nanos)
    }
    const history = Effect.sync(() => ({ bytes: ++looks, oldest: 7_000_000 }))
    const connections = Effect.succeed({ open: 0, busy: 0, waiting: 0, refused: 7 })
    const services = Layer.mergeAll(
      Layer.succeed(StorageAdmin, { connections, history } as never),
      Layer.succeed(ChangeWaiters, { count: () => 0 } as never),
      Layer.succeed(WebhookStore, { backlog: () => Effect.succeed({ count: 0, oldest: null }) } as never),
      Layer.succeed(Clock.Clock, clock)
    )
    const read = yield* Effect.provide(makePage, services)
    yield* Effect.provide(read.page, services)
    now -= 3_600_000
    monotonic.nanos += 60_000_000_000n
    const page = yield* Effect.provide(read.page, services)
    expect(valueOf(page, "lat_history_bytes")).toBe("lat_history_bytes 2")
    expect(valueOf(page, "lat_history_age_seconds")).toBe("lat_history_age_seconds 0")
  })
)

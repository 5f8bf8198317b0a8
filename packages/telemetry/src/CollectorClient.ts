import { rootReason } from "@lists-and-things/domain/model/RootCause"
import { Config, Effect, Layer } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** Timeout in milliseconds. The data of a request is held in memory until then, and a collector may hang. */
const timeoutMillis = Config.withDefault(Config.Int("OTEL_EXPORTER_OTLP_TIMEOUT"), 10_000)

/** Maximum seconds of a `Retry-After`: data to be sent again is held in memory that long. */
const maxRetryAfter = 30

const late = (request: HttpClientRequest.HttpClientRequest, millis: number): HttpClientError.HttpClientError =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, cause: new Error(`no answer within ${millis / 1000} s`) })
  })

/** Drops the body, which has been read, and bounds `Retry-After`. */
const bounded = (response: HttpClientResponse.HttpClientResponse): HttpClientResponse.HttpClientResponse => {
  const retryAfter = Number(response.headers["retry-after"] ?? Number.NaN)
  const headers: Record<string, string> =
    retryAfter >= 0 ? { "retry-after": String(Math.min(retryAfter, maxRetryAfter)) } : {}
  return HttpClientResponse.fromWeb(response.request, new Response(null, { status: response.status, headers }))
}

/** The address for the log, without user and query, which may hold a key. */
const withoutCredentials = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? "an address that is no URL" : parsed.origin + parsed.pathname
}

/**
 * The HTTP client for a collector of telemetry. Requests have a timeout. Logs when an address starts to refuse data,
 * and when it accepts data again.
 */
export const layer = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const millis = yield* Effect.orDie(timeoutMillis)
    const refusing = new Set<string>()
    const refused = (at: string, reason: string) =>
      Effect.suspend(() => {
        if (refusing.has(at)) return Effect.void
        refusing.add(at)
        return Effect.logWarning(`The collector at ${at} does not take what is sent, which is lost: ${reason}`)
      })
    const taken = (at: string) =>
      Effect.suspend(() =>
        refusing.delete(at) ? Effect.logInfo(`The collector at ${at} takes what is sent again.`) : Effect.void
      )
    return HttpClient.transform(client, (answer, request) =>
      answer.pipe(
        Effect.tap((response) => response.arrayBuffer),
        Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.fail(late(request, millis)) }),
        Effect.map(bounded),
        Effect.tap(({ status }) =>
          status >= 200 && status < 300
            ? taken(withoutCredentials(request.url))
            : refused(withoutCredentials(request.url), `it answered ${status}`)
        ),
        Effect.tapError((error) => refused(withoutCredentials(request.url), rootReason(error)))
      )
    )
  })
)

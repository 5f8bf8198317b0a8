import { type Coordinates, Geocoder } from "@lists-and-things/domain/ports/Geocoder"
import { rootReason } from "@lists-and-things/domain/model/RootCause"
import { type Cause, Effect, Layer, Schema } from "effect"

const timeoutMillis = 5_000
const maxAnswerBytes = 65_536

const Found = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      lat: Schema.FiniteFromString.check(Schema.isBetween({ minimum: -90, maximum: 90 })),
      lon: Schema.FiniteFromString.check(Schema.isBetween({ minimum: -180, maximum: 180 }))
    })
  )
)

/**
 * Queries a service with Nominatim's search format. Follows no redirects; the limits are 5 s and 64 KiB. A failure is
 * logged, and the address counts as unknown.
 */
const nominatimGeocoder = (searchUrl: string): typeof Geocoder.Service => ({
  locate: (address) =>
    Effect.tryPromise((signal) => ask(searchUrl, address, signal)).pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Found)),
      Effect.map(([first]): Coordinates | undefined =>
        first === undefined ? undefined : { latitude: first.lat, longitude: first.lon }
      ),
      Effect.timeout(timeoutMillis),
      Effect.tapError((error) => Effect.logWarning(`The geocoder found no coordinates: ${reasonOf(error)}`)),
      Effect.orElseSucceed(() => undefined)
    )
})

/** The reason for the log, which must not contain the address. */
const reasonOf = (error: Cause.UnknownError | Cause.TimeoutError | Schema.SchemaError): string => {
  switch (error._tag) {
    case "TimeoutError":
      return `it took longer than ${timeoutMillis / 1000} seconds`
    case "SchemaError":
      return "its answer is not in Nominatim's format"
    case "UnknownError":
      return rootReason(error.cause)
  }
}

const ask = async (searchUrl: string, address: string, signal: AbortSignal): Promise<string> => {
  const url = new URL(searchUrl)
  url.searchParams.set("q", address)
  url.searchParams.set("format", "jsonv2")
  url.searchParams.set("limit", "1")
  const headers = { accept: "application/json", "user-agent": "lists-and-things/1.0" }
  const response = await fetch(url, { headers, redirect: "error", signal })
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`)
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > maxAnswerBytes) throw new Error("the answer is too large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** The geocoder at a URL; without one, addresses are not resolved. */
export const layer = (searchUrl: string | undefined): Layer.Layer<never> =>
  searchUrl === undefined ? Layer.empty : Layer.succeed(Geocoder, nominatimGeocoder(searchUrl))

import { bearerToken, challenge } from "@lists-and-things/web/HttpHeaders"
import { Effect, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { errorResponse } from "../edge/ErrorResponses.ts"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** `GET /metrics` with the token of LAT_METRICS_TOKEN; 401 without it. */
export const layer = (options: {
  readonly token: Redacted.Redacted
  readonly contentType: string
  readonly page: Effect.Effect<string>
}) => {
  const wanted = digest(Redacted.value(options.token))
  return HttpRouter.add(
    "GET",
    "/metrics",
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const given = bearerToken(request.headers["authorization"])
      return given !== undefined && timingSafeEqual(digest(given), wanted)
        ? HttpServerResponse.text(yield* options.page, { contentType: options.contentType })
        : refusal
    })
  )
}

const refusal = errorResponse(
  401,
  "The token of LAT_METRICS_TOKEN is required: send it as 'Authorization: Bearer <TOKEN>'.",
  challenge({ realm: "metrics" })
)

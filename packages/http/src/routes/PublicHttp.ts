import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { monotonicMillis } from "@lists-and-things/domain/model/EpochMillis"
import { Storage, type Stored } from "@lists-and-things/domain/ports/Storage"
import { retrySoon } from "@lists-and-things/web/ErrorAnswers"
import { basePath } from "../api/Api.ts"
import { docsPage } from "../docs/DocsPage.ts"
import { llmsText } from "../docs/LlmsText.ts"
import { openApiDocument } from "../docs/OpenApiDocument.ts"
import { bundlePath, startPath, startScript } from "../docs/Reference.ts"
import { errorResponse } from "../edge/ErrorResponses.ts"
import { compressedOnce } from "../pages/Compressed.ts"

/** Milliseconds until a readiness check without an answer counts as not ready. */
const readyMillis = 2_000
/** Milliseconds in which readiness requests share one check of the storage. */
const readyTimeToLive = 200

/** The reference styles itself while it runs; nothing else may be inline, and nothing comes from elsewhere. */
const pageHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "no-referrer"
}

type Document = ReturnType<typeof openApiDocument>

/** Documents are revalidated at each request, and sent again only if they have changed. */
const described = { "cache-control": "no-cache" }

const script = (text: string, maxAge: number) =>
  HttpServerResponse.text(text, {
    contentType: "text/javascript; charset=utf-8",
    headers: { "cache-control": `public, max-age=${maxAge}` }
  })

/** Routes that need no key (docs/decisions.md#rate-limit). */
export const layer = (siteUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const storage = yield* Storage
      // Created at the first request, since it would take a seventh of the processor time of a start.
      const document = yield* Effect.cached(Effect.sync(() => openApiDocument(siteUrl)))
      const rendered = (render: (document: Document) => HttpServerResponse.HttpServerResponse) =>
        Effect.map(document, render)
      /** Adds a route whose response is built and compressed once. */
      const once = Effect.fnUntraced(function* (
        path: `/${string}`,
        response: Effect.Effect<HttpServerResponse.HttpServerResponse>,
        address?: string
      ) {
        const made = yield* Effect.cached(Effect.flatMap(response, (answer) => compressedOnce(answer, address)))
        yield* router.add(
          "GET",
          path,
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            Effect.flatMap(made, (answer) => answer(request))
          )
        )
      })
      const openApi = rendered((document) =>
        HttpServerResponse.text(JSON.stringify(document), { contentType: "application/json", headers: described })
      )
      const docs = rendered((document) =>
        HttpServerResponse.text(docsPage(document), {
          contentType: "text/html; charset=utf-8",
          headers: { ...described, ...pageHeaders }
        })
      )
      const llms = rendered((document) =>
        HttpServerResponse.text(llmsText(document, siteUrl), {
          contentType: "text/plain; charset=utf-8",
          headers: described
        })
      )
      const ready = yield* makeReadiness(storage.ping)
      const bundle = Effect.map(
        Effect.promise(() => import("../docs/ReferenceBundle.ts")),
        ({ referenceBundle }) => script(referenceBundle(), 86_400)
      )
      yield* once(`${basePath}/openapi.json`, openApi)
      yield* once("/docs", docs)
      yield* once("/docs/start.js", Effect.succeed(script(startScript, 31_536_000)), startPath)
      yield* once(bundlePath, bundle)
      yield* once("/llms.txt", llms)
      yield* router.add("GET", "/healthz", status("ok"))
      yield* router.add("GET", "/readyz", ready)
    })
  )

/**
 * Whether the storage answers a ping. Requests share a check by the monotonic clock: by one that is set back, an answer
 * would hold until that has caught up.
 */
export const makeReadiness = Effect.fnUntraced(function* (ping: Stored<unknown>) {
  const answered = ping.pipe(
    Effect.timeout(readyMillis),
    Effect.match({
      onFailure: () => errorResponse(503, "The storage cannot be reached right now.", retrySoon),
      onSuccess: () => status("ready")
    })
  )
  const [check, forget] = yield* Effect.cachedInvalidateWithTTL(answered, Infinity)
  let until = Number.NEGATIVE_INFINITY
  return Effect.flatMap(monotonicMillis, (now) => {
    if (now < until) return check
    until = now + readyTimeToLive
    return Effect.andThen(forget, check)
  })
})

const status = (text: string) =>
  HttpServerResponse.text(JSON.stringify({ status: text }), { contentType: "application/json" })

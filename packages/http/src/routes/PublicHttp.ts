import { createHash } from "node:crypto"
import { Duration, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { basePath } from "../api/Api.ts"
import { docsPage, docsStyle } from "../docs/DocsPage.ts"
import { llmsText } from "../docs/LlmsText.ts"
import { openApiDocument } from "../docs/OpenApiDocument.ts"
import { errorResponse } from "../edge/ErrorResponses.ts"

/** Timeout of the readiness check; after it the server counts as not ready. */
const readyMillis = 2_000
/** Readiness requests within this time share one check of the storage. */
const readyTimeToLive = Duration.millis(200)

const sha256 = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const pageHeaders = {
  "content-security-policy": `default-src 'none'; style-src ${sha256(docsStyle)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

type Document = ReturnType<typeof openApiDocument>

/** Routes that need no key (docs/decisions.md#rate-limit). */
export const layer = (siteUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const storage = yield* Storage
      // Made when it is first asked for: it would be a seventh of the processor time of a start.
      const document = yield* Effect.cached(Effect.sync(() => openApiDocument(siteUrl)))
      const rendered = (render: (document: Document) => HttpServerResponse.HttpServerResponse) =>
        Effect.cached(Effect.map(document, render))
      const openApi = yield* rendered((document) =>
        HttpServerResponse.text(JSON.stringify(document), { contentType: "application/json" })
      )
      const docs = yield* rendered((document) =>
        HttpServerResponse.text(docsPage(document), { contentType: "text/html; charset=utf-8", headers: pageHeaders })
      )
      const llms = yield* rendered((document) =>
        HttpServerResponse.text(llmsText(document, siteUrl), { contentType: "text/plain; charset=utf-8" })
      )
      const ready = yield* Effect.cachedWithTTL(
        storage.ping.pipe(
          Effect.timeout(readyMillis),
          Effect.match({
            onFailure: () => errorResponse(503, "The storage cannot be reached right now.", { "retry-after": "1" }),
            onSuccess: () => status("ready")
          })
        ),
        readyTimeToLive
      )
      yield* router.add("GET", `${basePath}/openapi.json`, openApi)
      yield* router.add("GET", "/docs", docs)
      yield* router.add("GET", "/llms.txt", llms)
      yield* router.add("GET", "/healthz", status("ok"))
      yield* router.add("GET", "/readyz", ready)
    })
  )

const status = (text: string) =>
  HttpServerResponse.text(JSON.stringify({ status: text }), {
    contentType: "application/json",
    headers: { "cache-control": "no-store" }
  })

import { Effect, Layer } from "effect"
import { request, type RequestOptions } from "node:https"
import type { LookupFunction } from "node:net"
import { ClientDocuments } from "@lists-and-things/domain/signin/ClientDocuments"
import { parseJsonText } from "@lists-and-things/domain/json/JsonText"
import { OAuthError } from "@lists-and-things/domain/signin/OAuthError"
import { limitInterim } from "./InterimAnswers.ts"
import { checkedLookup, type Resolve, resolveName } from "./NameLookup.ts"
import { isPublicAddress } from "./PublicAddress.ts"

const maxMillis = 5_000
const maxBytes = 64 * 1024

/** Gives no reason, which would disclose names and addresses of this network. */
const unreachable =
  "The document at client_id cannot be fetched: this server has to reach that address on the internet. Where it cannot, LAT_CLIENT_DOCUMENTS=off lets the program register itself, and an API key needs neither."

const refusal = (description: string) => new OAuthError({ code: "invalid_client", description })

/** Whether a URL may be fetched: https, a host name (no IP literal), the default port, a path, in normalized form. */
export const isDocumentUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null &&
    url.protocol === "https:" &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "" &&
    url.port === "" &&
    url.pathname !== "/" &&
    !/^[\d.]+$|^\[/.test(url.hostname) &&
    url.href === text
  )
}

/**
 * Fetches the text at a URL. Only status 200 is accepted, so redirects are not followed; at most 64 KiB, within 5
 * seconds. `options` sets how the connection is made.
 */
export const fetchText = (
  url: string,
  options: Pick<RequestOptions, "lookup" | "port" | "ca">
): Effect.Effect<string, OAuthError> =>
  Effect.callback<string, OAuthError>((resume) => {
    const fail = (description: string) => {
      asked.destroy()
      resume(Effect.fail(refusal(description)))
    }
    const asked = request(url, { ...options, headers: { accept: "application/json" }, agent: false }, (response) => {
      const chunks: Array<Buffer> = []
      let bytes = 0
      if (response.statusCode !== 200) return fail("The document at client_id did not answer 200.")
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes) return fail("The document at client_id is larger than 64 KiB.")
        chunks.push(chunk)
      })
      response.on("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
      response.on("error", () => fail("The document at client_id broke off."))
    })
    limitInterim(asked)
    asked.on("error", () => fail(unreachable))
    asked.end()
    return Effect.sync(() => asked.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: maxMillis,
      orElse: () => Effect.fail(refusal("The document at client_id took longer than 5 seconds."))
    })
  )

/** Parses JSON with the limits of request bodies. */
const parsed = (text: string) =>
  Effect.mapError(parseJsonText(text), () => refusal("The document at client_id is no JSON, or nests too deeply."))

/** A `lookup` that returns only public addresses. */
export const publicLookup = (resolve: Resolve = resolveName): LookupFunction =>
  checkedLookup(resolve, isPublicAddress, () => "The name has no public address")

/** Fetches client metadata documents from the internet; no other fetch can be caused by an unauthenticated request. */
export const layer = Layer.succeed(ClientDocuments, {
  areFetched: true,
  fetch: (url) =>
    isDocumentUrl(url)
      ? Effect.flatMap(fetchText(url, { lookup: publicLookup() }), parsed)
      : Effect.fail(refusal("client_id must be an https URL with a path, at a public name."))
})

/** For a server that fetches no documents. */
export const none = Layer.succeed(ClientDocuments, {
  areFetched: false,
  fetch: () => Effect.fail(refusal("This server fetches no documents of programs: register at /oauth/register."))
})

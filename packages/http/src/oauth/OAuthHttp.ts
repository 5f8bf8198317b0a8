import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Authorizations, type TokenPair } from "@lists-and-things/domain/signin/Authorizations"
import { OAuthClients } from "@lists-and-things/domain/signin/OAuthClients"
import { OAuthError } from "@lists-and-things/domain/signin/OAuthError"
import { ClientAddress } from "@lists-and-things/web/ClientAddress"
import { readForm } from "../edge/FormBody.ts"
import { readJson } from "../edge/RequestBody.ts"
import { anyOrigin } from "@lists-and-things/web/HttpHeaders"
import type { HttpError } from "@lists-and-things/web/ErrorAnswers"
import { maxAnonymousBytes } from "@lists-and-things/web/RequestBody"
import { scopeNames } from "./AuthorizationRequest.ts"
import { isResource, resourceMetadata, serverMetadata, wrongResource } from "./Discovery.ts"
import { oauthFailure, oauthJson, preflight } from "./OAuthAnswers.ts"

/** Turns every failure into an OAuth error answer. */
const answered = <R>(effect: Effect.Effect<HttpServerResponse.HttpServerResponse, OAuthError | HttpError, R>) =>
  Effect.catch(effect, (error) => Effect.succeed(oauthFailure(error)))

const required = (fields: URLSearchParams, name: string): Effect.Effect<string, OAuthError> => {
  const [value, ...others] = fields.getAll(name)
  return value === undefined || value === "" || others.length > 0
    ? Effect.fail(new OAuthError({ code: "invalid_request", description: `${name} is required, once.` }))
    : Effect.succeed(value)
}

/**
 * The fields of a form. Without a `client_id`, the user of `Authorization: Basic` is taken for it: libraries send it
 * there by default, with an empty password (RFC 6749, section 2.3.1). Clients have no secret here, so the password is
 * ignored, like `client_secret` in the form.
 */
const readClientForm = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const fields = yield* readForm(request)
  const named = fields.has("client_id") ? undefined : basicUser(request.headers["authorization"] ?? "")
  if (named !== undefined) fields.set("client_id", named)
  return fields
})

/**
 * The user of `Authorization: Basic`, decoded like a form field (RFC 6749, section 2.3.1); undefined if there is none.
 */
const basicUser = (authorization: string): string | undefined => {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(authorization) ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, "base64").toString("utf8")
  const end = text.lastIndexOf(":")
  return end < 0 ? undefined : (new URLSearchParams(`user=${text.slice(0, end)}`).get("user") ?? undefined)
}

/** The requested scopes; undefined if none is named. */
const askedScopes = (fields: URLSearchParams): Effect.Effect<ReadonlyArray<string> | undefined, OAuthError> => {
  const sent = fields.getAll("scope")
  if (sent.length > 1)
    return Effect.fail(new OAuthError({ code: "invalid_request", description: "scope was sent more than once." }))
  const asked = scopeNames(sent[0])
  return Effect.succeed(asked.length === 0 ? undefined : asked)
}

const tokenBody = (pair: TokenPair) => ({
  access_token: pair.accessToken,
  token_type: "Bearer",
  expires_in: pair.expiresIn,
  refresh_token: pair.refreshToken,
  scope: pair.scopes.join(" ")
})

/** The programs' side of OAuth: discovery, registration, tokens, revocation. */
export const layer = (siteUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const addresses = yield* ClientAddress
      const clients = yield* OAuthClients
      const authorizations = yield* Authorizations

      const document = (value: unknown) =>
        HttpServerResponse.text(JSON.stringify(value), {
          contentType: "application/json",
          headers: { ...anyOrigin, "cache-control": "public, max-age=300" }
        })
      const [resource, server] = [document(resourceMetadata(siteUrl)), document(serverMetadata(siteUrl, clients))]

      const register = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const metadata = readJson(request, maxAnonymousBytes).pipe(
          Effect.mapError((error) =>
            error._tag === "InvalidInput"
              ? new OAuthError({ code: "invalid_client_metadata", description: error.message })
              : error
          )
        )
        const { client, isNamed } = yield* clients.register(metadata, addresses.network(request))
        return oauthJson(201, {
          client_id: client.id,
          client_id_issued_at: Math.floor(client.created / 1000),
          ...(isNamed ? { client_name: client.name } : {}),
          redirect_uris: client.redirectUris,
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: "none"
        })
      })

      const exchange = Effect.fnUntraced(function* (fields: URLSearchParams) {
        return yield* authorizations.exchange({
          code: yield* required(fields, "code"),
          clientId: yield* required(fields, "client_id"),
          redirectUri: yield* required(fields, "redirect_uri"),
          verifier: yield* required(fields, "code_verifier")
        })
      })

      const refresh = Effect.fnUntraced(function* (fields: URLSearchParams) {
        return yield* authorizations.refresh(
          yield* required(fields, "refresh_token"),
          yield* required(fields, "client_id"),
          yield* askedScopes(fields)
        )
      })

      const token = Effect.gen(function* () {
        const fields = yield* readClientForm(yield* HttpServerRequest.HttpServerRequest)
        const type = yield* required(fields, "grant_type")
        const asked = fields.getAll("resource")
        if (!asked.every((each) => isResource(each, siteUrl)))
          return yield* new OAuthError({
            code: "invalid_target",
            description: wrongResource
          })
        const clientId = yield* required(fields, "client_id")
        yield* clients.known(clientId)
        if (type === "authorization_code") return oauthJson(200, tokenBody(yield* exchange(fields)))
        if (type === "refresh_token") return oauthJson(200, tokenBody(yield* refresh(fields)))
        return yield* new OAuthError({
          code: "unsupported_grant_type",
          description: "grant_type must be authorization_code or refresh_token."
        })
      })

      const revoke = Effect.gen(function* () {
        const fields = yield* readClientForm(yield* HttpServerRequest.HttpServerRequest)
        yield* authorizations.revoke(fields.get("token") ?? "", fields.get("client_id") ?? undefined)
        return oauthJson(200, {})
      })

      const documents = [
        ["/.well-known/oauth-protected-resource", resource],
        ["/.well-known/oauth-protected-resource/mcp", resource],
        ["/.well-known/oauth-authorization-server", server],
        ["/.well-known/openid-configuration", server]
      ] as const
      const posts = [
        ["/oauth/register", register],
        ["/oauth/token", token],
        ["/oauth/revoke", revoke]
      ] as const
      for (const [path, answer] of documents) {
        yield* router.add("GET", path, answer)
        yield* router.add("OPTIONS", path, preflight)
      }
      for (const [path, answer] of posts) {
        yield* router.add("POST", path, answered(answer))
        yield* router.add("OPTIONS", path, preflight)
      }
    })
  )

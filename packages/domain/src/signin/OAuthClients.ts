import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import { Ids } from "../Ids.ts"
import { isStorable } from "../json/Characters.ts"
import { OAuthStore } from "../ports/OAuthStore.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { ClientDocuments } from "./ClientDocuments.ts"
import type { OAuthClient } from "./Grant.ts"
import { OAuthError } from "./OAuthError.ts"
import { isRedirectUri } from "./RedirectUri.ts"

/** What this server reads of a registration (RFC 7591); everything else is left aside, as the RFC allows. */
const Metadata = Schema.Struct({
  redirect_uris: Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(20)),
  client_name: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
  token_endpoint_auth_method: Schema.optionalKey(Schema.String),
  grant_types: Schema.optionalKey(Schema.Array(Schema.String)),
  response_types: Schema.optionalKey(Schema.Array(Schema.String))
})

const day = 86_400_000
/** Registrations that nobody approves are forgotten after this many milliseconds. */
export const unusedLifetime = 30 * day
const registrationsAnHour = 60
const documentsAnHour = 120

/** The programs that people may let in: registered by themselves, or described by a document of their own. */
export class OAuthClients extends Context.Service<
  OAuthClients,
  {
    /** Registers a client by what it says of itself; `address` is where the request came from. */
    readonly register: (
      metadata: unknown,
      address: string
    ) => Effect.Effect<OAuthClient, OAuthError | InvalidInput | StorageUnavailable>
    /**
     * Who asks a person to sign in. `invalid_client` when there is none, or its document cannot be had; `address`
     * limits how many documents a stranger can have fetched.
     */
    readonly asking: (id: string, address: string) => Effect.Effect<OAuthClient, OAuthError | StorageUnavailable>
    /** A client that is registered, or was let in before; fetches nothing. `invalid_client` for others. */
    readonly known: (id: string) => Effect.Effect<OAuthClient, OAuthError | StorageUnavailable>
  }
>()("@lists-and-things/domain/signin/OAuthClients") {
  static readonly layer = Layer.effect(
    OAuthClients,
    Effect.gen(function* () {
      const store = yield* OAuthStore
      const ids = yield* Ids
      const documents = yield* ClientDocuments
      const limit = yield* AttemptLimit

      const register = Effect.fn("OAuthClients.register")(function* (metadata: unknown, address: string) {
        const allowed = yield* limit.take(`register ${address}`, registrationsAnHour, 3_600_000)
        if (!allowed) return yield* busy("Too many registrations from this address: wait an hour.")
        const { name, redirectUris } = yield* readMetadata(metadata)
        const now = yield* Clock.currentTimeMillis
        yield* store.pruneClients(now - unusedLifetime)
        const client = { id: yield* ids.next, name, redirectUris, created: now, lastUsed: null }
        yield* store.putClient(client)
        return client
      })

      const stored = (id: string) => (id.length <= 2_000 ? store.client(id) : Effect.succeed(undefined))

      const known = Effect.fn("OAuthClients.known")(function* (id: string) {
        const client = yield* stored(id)
        if (client !== undefined) return client
        return yield* new OAuthError({ code: "invalid_client", description: "No client has this client_id." })
      })

      /** A document is read anew at every sign-in, so that a changed redirect_uri counts at once. */
      const asking = Effect.fn("OAuthClients.asking")(function* (id: string, address: string) {
        if (!id.startsWith("https://")) return yield* known(id)
        const allowed = yield* limit.take(`document ${address}`, documentsAnHour, 3_600_000)
        if (!allowed) return yield* busy("Too many sign-ins from this address: wait an hour.")
        const document = yield* documents.fetch(id)
        const named =
          typeof document === "object" && document !== null && "client_id" in document ? document.client_id : undefined
        if (named !== id)
          return yield* new OAuthError({
            code: "invalid_client",
            description: "The client_id of the document is not its own address."
          })
        const { name, redirectUris } = yield* readMetadata(document)
        const before = yield* stored(id)
        const created = before?.created ?? (yield* Clock.currentTimeMillis)
        return { id, name, redirectUris, created, lastUsed: before?.lastUsed ?? null }
      })

      return OAuthClients.of({ register, asking, known })
    })
  )
}

const busy = (description: string) => new OAuthError({ code: "temporarily_unavailable", description })

/** Clients that mean "absent" often send null. */
const withoutNulls = (metadata: unknown): unknown =>
  typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)
    ? Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))
    : metadata

const readMetadata = Effect.fnUntraced(function* (metadata: unknown) {
  const read = yield* Schema.decodeUnknownEffect(Metadata)(withoutNulls(metadata)).pipe(
    Effect.mapError(() => invalid("redirect_uris must be an array of 1 to 20 strings, and client_name a string."))
  )
  const wrong = read.redirect_uris.find((uri) => !isRedirectUri(uri))
  if (wrong !== undefined)
    return yield* new OAuthError({
      code: "invalid_redirect_uri",
      description: "redirect_uris must be https, http on the loopback, or a private-use scheme, without a fragment."
    })
  if (read.token_endpoint_auth_method !== undefined && read.token_endpoint_auth_method !== "none")
    return yield* invalid("token_endpoint_auth_method must be none: clients have no secret here.")
  if (read.grant_types !== undefined && !read.grant_types.includes("authorization_code"))
    return yield* invalid("grant_types must include authorization_code.")
  if (read.response_types !== undefined && !read.response_types.includes("code"))
    return yield* invalid("response_types must include code.")
  return { name: shownName(read.client_name ?? ""), redirectUris: read.redirect_uris }
})

/** A name as it may be shown to a person: on one line, in its own direction. */
const shownName = (name: string): string => {
  const plain = name
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .trim()
  return plain !== "" && isStorable(plain) ? plain : "An unnamed program"
}

const invalid = (description: string) => new OAuthError({ code: "invalid_client_metadata", description })

import { Context, Effect, Layer, Option, Schema, Semaphore } from "effect"
import { madeBefore } from "../days/ClockSkew.ts"
import type { StorageUnavailable } from "../model/Errors.ts"
import { caps } from "../model/Caps.ts"
import { Ids } from "../model/Ids.ts"
import { atMost, isStorable } from "../text/Characters.ts"
import { OAuthStore } from "../ports/OAuthStore.ts"
import { AttemptLimiter, prunedPerWrite } from "./AttemptLimiter.ts"
import { ClientDocuments } from "./ClientDocuments.ts"
import type { OAuthClient } from "../model/Grant.ts"
import { OAuthError } from "./OAuthError.ts"
import { isRedirectUri } from "./RedirectUri.ts"
import { currentTime, msPerDay, msPerHour } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** The metadata that this server reads from a registration (RFC 7591); other fields are ignored, as the RFC allows. */
const Metadata = Schema.Struct({
  redirect_uris: Schema.Array(Schema.String),
  client_name: Schema.optionalKey(Schema.String),
  token_endpoint_auth_method: Schema.optionalKey(Schema.String),
  grant_types: Schema.optionalKey(Schema.Array(Schema.String)),
  response_types: Schema.optionalKey(Schema.Array(Schema.String))
})
const decodeMetadata = Schema.decodeUnknownEffect(Metadata)

const withoutSecret = "none"
/**
 * Programs that register ask for these where they do not look at what is supported. They are answered that they have no
 * secret, as RFC 7591, section 3.2.1, allows.
 */
const withSecret = ["client_secret_basic", "client_secret_post"]

const maxRedirectUris = 20
type Field = keyof typeof Metadata.fields
/** What each field must be, in words. */
const forms: Readonly<Record<Field, string>> = {
  redirect_uris: `an array of 1 to ${maxRedirectUris} strings`,
  client_name: "a string",
  token_endpoint_auth_method: "a string",
  grant_types: "an array of strings",
  response_types: "an array of strings"
}
const fields = Object.keys(forms) as ReadonlyArray<Field>

/** Registrations that are never approved are removed after this many milliseconds. */
export const unusedLifetime = msPerDay
/** Maximum number of unapproved registrations, from all addresses; the oldest are removed first. */
export const maxUnused = 10_000
const registrationsAnHour = 60
const documentsAnHour = 120
const maxConcurrentDocuments = 32
const maxIdLength = 2_000

/** A client that has just registered. */
export interface Registration {
  readonly client: OAuthClient
  /** Whether the client provided a name. */
  readonly isNamed: boolean
}

/** The programs that people may approve: registered, or described by their own metadata document. */
export class OAuthClients extends Context.Service<
  OAuthClients,
  {
    /** Whether a client may have the address of a document as its id. */
    readonly fetchesDocuments: boolean
    /**
     * Registers a client from its metadata, which is parsed only after the attempt is counted; `address` is the source
     * of the request.
     */
    readonly register: <E, R>(
      metadata: Effect.Effect<unknown, E, R>,
      address: string
    ) => Effect.Effect<Registration, E | OAuthError | StorageUnavailable, R>
    /**
     * The client that asks a person to sign in. `invalid_client` when it is unknown or its document cannot be fetched;
     * `address` limits the documents fetched per source.
     */
    readonly asking: (id: string, address: string) => Effect.Effect<OAuthClient, OAuthError | StorageUnavailable>
    /** A client that is registered or was approved before; fetches nothing. `invalid_client` otherwise. */
    readonly known: (id: string) => Effect.Effect<OAuthClient, OAuthError | StorageUnavailable>
  }
>()("@lists-and-things/domain/signin/OAuthClients") {
  static readonly layer = Layer.effect(
    OAuthClients,
    Effect.gen(function* () {
      const store = yield* OAuthStore
      const ids = yield* Ids
      const documents = yield* ClientDocuments
      const attempts = yield* AttemptLimiter
      const fetching = Semaphore.makeUnsafe(maxConcurrentDocuments)

      const register = traced("OAuthClients.register")(function* <E, R>(
        metadata: Effect.Effect<unknown, E, R>,
        address: string
      ): Effect.fn.Return<Registration, E | OAuthError | StorageUnavailable, R> {
        const allowed = yield* attempts.take(`register ${address}`, registrationsAnHour, msPerHour)
        if (!allowed) return yield* busy("Too many registrations from this address: wait an hour.")
        const { isNamed, name, redirectUris } = yield* readMetadata(yield* metadata, [withoutSecret, ...withSecret])
        const now = yield* currentTime
        yield* store.pruneClients(madeBefore(now, unusedLifetime), prunedPerWrite)
        const client = { id: yield* ids.next, name, redirectUris, created: now, lastUsed: null }
        yield* store.putClient(client)
        yield* store.trimClients(maxUnused, prunedPerWrite)
        return { client, isNamed }
      })

      const stored = (id: string) => (id.length <= maxIdLength ? store.client(id) : Effect.succeed(undefined))

      const known = traced("OAuthClients.known")(function* (id: string) {
        const client = yield* stored(id)
        if (client !== undefined) return client
        return yield* invalidClient("No client has this client_id.")
      })

      /** The document is fetched at every sign-in, so that a changed redirect_uri takes effect immediately. */
      const asking = traced("OAuthClients.asking")(function* (id: string, address: string) {
        if (!id.startsWith("https://")) return yield* known(id)
        if (id.length > maxIdLength) return yield* invalidClient(`client_id is longer than ${maxIdLength} characters.`)
        const allowed = yield* attempts.take(`document ${address}`, documentsAnHour, msPerHour)
        if (!allowed) return yield* busy("Too many sign-ins from this address: wait an hour.")
        const fetched = yield* fetching.withPermitsIfAvailable(1)(documents.fetch(id))
        if (Option.isNone(fetched)) return yield* busy("Too many sign-ins at once: try again in a moment.")
        const document = fetched.value
        const named =
          typeof document === "object" && document !== null && "client_id" in document ? document.client_id : undefined
        if (named !== id) return yield* invalidClient("The client_id of the document is not its own address.")
        const { name, redirectUris } = yield* readMetadata(document, [withoutSecret])
        const before = yield* stored(id)
        const created = before?.created ?? (yield* currentTime)
        return { id, name, redirectUris, created, lastUsed: before?.lastUsed ?? null }
      })

      return OAuthClients.of({ fetchesDocuments: documents.areFetched, register, asking, known })
    })
  )
}

const busy = (description: string) => new OAuthError({ code: "temporarily_unavailable", description })

/** The fields that are read; null is treated as absent, since clients often send it. */
const readable = (metadata: unknown): unknown =>
  typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)
    ? Object.fromEntries(
        Object.entries(metadata).filter(([name, value]) => value !== null && Object.hasOwn(forms, name))
      )
    : metadata

/** Names the first field of another form, in metadata that cannot be decoded. */
const wrongForm = (metadata: unknown): string => {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    return "The metadata must be a JSON object."
  const given: Readonly<Partial<Record<Field, unknown>>> = metadata
  const others = fields.slice(1).filter((name) => given[name] !== undefined)
  const wrong = others.find((name) => !Schema.is(Metadata.fields[name])(given[name])) ?? "redirect_uris"
  return `${wrong} must be ${forms[wrong]}.`
}

const readMetadata = Effect.fnUntraced(function* (metadata: unknown, methods: ReadonlyArray<string>) {
  const given = readable(metadata)
  const read = yield* Effect.mapError(decodeMetadata(given), () => invalid(wrongForm(given)))
  const uris = read.redirect_uris.length
  if (uris < 1 || uris > maxRedirectUris)
    return yield* invalid(`redirect_uris must be 1 to ${maxRedirectUris} addresses, not ${uris}.`)
  if (!atMost(read.client_name ?? "", caps.name))
    return yield* invalid(`client_name must be at most ${caps.name} characters long.`)
  const wrong = read.redirect_uris.findIndex((uri) => !isRedirectUri(uri))
  if (wrong >= 0)
    return yield* new OAuthError({
      code: "invalid_redirect_uri",
      description: `redirect_uris[${wrong}] must be https://host, http on the loopback or a private-use scheme, written as a browser would, without a fragment, at most 2,000 characters.`
    })
  if (!methods.includes(read.token_endpoint_auth_method ?? withoutSecret))
    return yield* invalid("token_endpoint_auth_method must be none: clients have no secret here.")
  if (read.grant_types !== undefined && !read.grant_types.includes("authorization_code"))
    return yield* invalid("grant_types must include authorization_code.")
  if (read.response_types !== undefined && !read.response_types.includes("code"))
    return yield* invalid("response_types must include code.")
  return {
    name: shownName(read.client_name ?? ""),
    isNamed: read.client_name !== undefined,
    redirectUris: read.redirect_uris
  }
})

/** Of a name of these alone a person sees nothing; the last one is a blank of Braille. */
const unseen = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** A name made safe to display: on one line, without characters that change the text direction. */
const shownName = (name: string): string => {
  const plain = name
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .trim()
  return !unseen.test(plain) && isStorable(plain) ? plain : "An unnamed program"
}

const invalidClient = (description: string) => new OAuthError({ code: "invalid_client", description })
const invalid = (description: string) => new OAuthError({ code: "invalid_client_metadata", description })

import type { Caller } from "@lists-and-things/domain/model/Caller"
import { type RequiredScopes as Scopes, type Scope, scopesOf } from "@lists-and-things/domain/model/Scope"
import type { ResourceKind } from "@lists-and-things/domain/preconditions/Existence"
import { Context } from "effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"

/** The scopes that an operation requires; every endpoint has at least one. */
export class RequiredScopes extends Context.Service<RequiredScopes, ReadonlyArray<Scope>>()(
  "@lists-and-things/http/RequiredScopes"
) {}

/**
 * The kind of resource that the `{id}` of the path names, where the contract lists 404 for it. An invalid request for
 * a resource that does not exist is answered 404, since existence is checked first (docs/decisions.md#errors).
 */
export class PathResource extends Context.Service<PathResource, ResourceKind>()(
  "@lists-and-things/http/PathResource"
) {}

/** Whether an operation may change something: those that require a write scope, and the one that creates day lists. */
export class Changing extends Context.Service<Changing, boolean>()("@lists-and-things/http/Changing") {}

/** Whether an operation changes something that the history does not record, such as webhooks. */
export class Configuring extends Context.Service<Configuring, boolean>()("@lists-and-things/http/Configuring") {}

/**
 * What the entity tag of an answer depends on: the entity that it shows, or all data of the account. A read with a tag
 * takes `If-None-Match`.
 */
export class TaggedBy extends Context.Service<TaggedBy, "entity" | "account">()("@lists-and-things/http/TaggedBy") {}

/** Whether the operation begins with `callerReading`, so that its request is admitted together with its first read. */
export class ReadsWithAdmission extends Context.Service<ReadsWithAdmission, boolean>()(
  "@lists-and-things/http/ReadsWithAdmission"
) {}

/** The kind of entity that the path names, and whose tag a write compares with `If-Match`: the tag of its `GET`. */
export class Conditional extends Context.Service<Conditional, "list" | "thing">()(
  "@lists-and-things/http/Conditional"
) {}

/** Example request and answer for the documents, both in wire format. */
interface Example {
  readonly request?: unknown
  readonly response: unknown
}

/** The example for a server at an address without a trailing slash. */
type ExampleAt = (siteUrl: string) => Example

/** The example of an operation in the interface description. */
export class OperationExample extends Context.Service<OperationExample, ExampleAt>()(
  "@lists-and-things/http/OperationExample"
) {}

interface Operation {
  readonly scope: Scopes
  readonly summary: string
  readonly description: string
  readonly resource?: PathResource["Service"]
  /** Whether it is `Changing`; derived from the scopes when omitted. */
  readonly changes?: boolean
  readonly configures?: boolean
  readonly taggedBy?: TaggedBy["Service"]
  readonly readsWithAdmission?: boolean
  readonly conditional?: Conditional["Service"]
  readonly example: ExampleAt
}

/** What documents and authentication need of an operation besides its path, parameters and bodies. */
export const operation = (of: Operation): Context.Context<never> => {
  const scopes = scopesOf(of.scope)
  const described = OpenApi.annotations({ summary: of.summary, description: of.description }).pipe(
    Context.add(RequiredScopes, scopes),
    Context.add(Changing, of.changes ?? scopes.every((scope) => scope.startsWith("write:"))),
    Context.add(Configuring, of.configures ?? false),
    Context.add(ReadsWithAdmission, of.readsWithAdmission ?? false),
    Context.add(OperationExample, of.example)
  )
  const optional = [
    of.resource === undefined ? Context.empty() : Context.make(PathResource, of.resource),
    of.taggedBy === undefined ? Context.empty() : Context.make(TaggedBy, of.taggedBy),
    of.conditional === undefined ? Context.empty() : Context.make(Conditional, of.conditional)
  ] as ReadonlyArray<Context.Context<never>>
  return Context.mergeAll(described as Context.Context<never>, ...optional)
}

export const annotationOf = <I, S>(annotations: Context.Context<never>, key: Context.Key<I, S>): S | undefined =>
  Context.getOrUndefined(annotations as Context.Context<I>, key)

const bearer = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(OpenApi.Format, "lat_<keyId>_<secret>"),
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "An API key, as `Authorization: Bearer <API_KEY>`. It only reaches its owner's data, within its scopes."
  )
)

/** Authenticates, applies the rate limit and the scopes, and provides the caller to every handler. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Caller }>()(
  "@lists-and-things/http/Authentication",
  { security: { bearer } }
) {}

import { Duration, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { sameHash } from "@lists-and-things/domain/caller/ApiToken"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { scopes } from "@lists-and-things/domain/model/Scope"
import type { DomainError } from "@lists-and-things/domain/model/Errors"
import { deviceLifetime } from "@lists-and-things/domain/signin/KnownDevices"
import { SignIn, type SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { readForm } from "../edge/FormBody.ts"
import { refused, type Refused } from "../edge/HttpErrors.ts"
import { errorPage, redirect } from "./Page.ts"

const sessionCookie = "lat_session"
const deviceCookie = "lat_device"

export const cookieOf = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  request.cookies[sessionCookie]

/** By which a browser is known where somebody signed in before. */
export const deviceOf = (request: HttpServerRequest.HttpServerRequest): string => request.cookies[deviceCookie] ?? ""

/** Out of reach for scripts and for other sites' forms; only over https where the site is. */
const cookie = (siteUrl: string, seconds: number) =>
  ({ httpOnly: true, secure: siteUrl.startsWith("https:"), maxAge: Duration.seconds(seconds) }) as const

export const withSession =
  (siteUrl: string, value: string, seconds: number) => (response: HttpServerResponse.HttpServerResponse) =>
    HttpServerResponse.setCookieUnsafe(response, sessionCookie, value, {
      ...cookie(siteUrl, seconds),
      path: "/",
      sameSite: "lax"
    })

/** Needed by the sign-in form alone. */
export const withDevice = (siteUrl: string, value: string) => (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setCookieUnsafe(response, deviceCookie, value, {
    ...cookie(siteUrl, deviceLifetime / 1000),
    path: "/sign-in",
    sameSite: "strict"
  })

/** A browser says where a form was posted from; another site's is refused. */
export const checkOrigin = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, Refused> => {
  const { origin, host } = request.headers
  const site = request.headers["sec-fetch-site"]
  // Behind a proxy Host may be another than the browser knows, so the browser's own word goes first.
  const foreign =
    site === undefined
      ? origin !== undefined && URL.parse(origin)?.host !== host
      : site !== "same-origin" && site !== "none"
  return foreign ? Effect.fail(refused(403, "This form was sent from another site.")) : Effect.void
}

/** Where to go after signing in: a path of this site, whatever was asked for. */
export const safeNext = (next: string | null): string =>
  next !== null && next.length <= 8_000 && /^\/(?!\/)[\x21-\x7e]*$/.test(next) && !next.includes("\\")
    ? next
    : "/account"

const signInAgain = (path: string) => redirect(`/sign-in?next=${encodeURIComponent(safeNext(path))}`)

type Page<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, DomainError | Refused, R>

const statusOf = (error: DomainError | Refused): number => {
  switch (error._tag) {
    case "Refused":
      return error.status
    case "NotFound":
      return 404
    case "StorageUnavailable":
    case "Overloaded":
      return 503
    case "RateLimited":
      return 429
    default:
      return 400
  }
}

/** Errors as pages for people. */
export const shown = <R>(page: Page<R>) =>
  Effect.catch(page, (error) =>
    Effect.succeed(
      errorPage(statusOf(error), statusOf(error) === 404 ? "Not found" : "That did not work", error.message)
    )
  )

/** Makes a page for whoever is signed in, run as their caller; everybody else is sent to sign in and back. */
export const signedInPages = Effect.map(
  SignIn,
  (signIn) =>
    <R>(page: (current: SignedIn, request: HttpServerRequest.HttpServerRequest) => Page<R>) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const cookie = cookieOf(request)
        const current =
          cookie === undefined
            ? undefined
            : yield* signIn.session(cookie).pipe(Effect.catchTag("Unauthorized", () => Effect.succeed(undefined)))
        if (current === undefined) return signInAgain(request.method === "GET" ? request.url : "/account")
        return yield* page(current, request).pipe(
          Effect.provideService(Caller, { account: current.account, scopes: new Set(scopes) })
        )
      }).pipe(shown)
)

/** A form that a signed-in person posted from one of our pages: it carries the session's token. */
export const postedForm = Effect.fnUntraced(function* (
  current: SignedIn,
  request: HttpServerRequest.HttpServerRequest
) {
  yield* checkOrigin(request)
  const fields = yield* readForm(request)
  if (!sameHash(fields.get("csrf") ?? "", current.session.csrf))
    return yield* refused(403, "This form is too old or was not ours: go back, reload the page and try again.")
  return fields
})

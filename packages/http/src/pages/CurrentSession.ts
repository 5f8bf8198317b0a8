import { Duration, Effect, flow } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { sameHash } from "@lists-and-things/domain/caller/ApiToken"
import { Caller, ownerBy } from "@lists-and-things/domain/model/Caller"
import type { DomainError } from "@lists-and-things/domain/model/Errors"
import type { Session } from "@lists-and-things/domain/model/Grant"
import type { Actor } from "@lists-and-things/domain/model/Operation"
import { deviceLifetime } from "@lists-and-things/domain/signin/KnownDevices"
import { answeringFor } from "@lists-and-things/domain/size/AnswerBudget"
import { type Entry, sessionLifetime, SignIn, type SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { readLargeForm } from "../edge/FormBody.ts"
import { refused, type Refused } from "@lists-and-things/web/ErrorAnswers"
import { type Html, html } from "./Html.ts"
import { wayBack } from "./Notices.ts"
import { errorPage, redirect } from "./Page.ts"
import { signedOutPage } from "./SignedOutPage.ts"
import { typedHtml } from "./TypedTexts.ts"

const sessionCookie = "lat_session"
const deviceCookie = "lat_device"

export const cookieOf = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  request.cookies[sessionCookie]

/** Cookie that identifies a browser in which the account was signed in to before. */
export const deviceOf = (request: HttpServerRequest.HttpServerRequest): string => request.cookies[deviceCookie] ?? ""

/** Hidden from scripts; Secure when the site is served over https. */
const cookie = (siteUrl: string, seconds: number) =>
  ({ httpOnly: true, secure: siteUrl.startsWith("https:"), maxAge: Duration.seconds(seconds) }) as const

export const withSession =
  (siteUrl: string, value: string, seconds: number) => (response: HttpServerResponse.HttpServerResponse) =>
    HttpServerResponse.setCookieUnsafe(response, sessionCookie, value, {
      ...cookie(siteUrl, seconds),
      path: "/",
      sameSite: "lax"
    })

/** Sent with the sign-in form only. */
const withDevice = (siteUrl: string, value: string) => (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setCookieUnsafe(response, deviceCookie, value, {
    ...cookie(siteUrl, deviceLifetime / 1000),
    path: "/sign-in",
    sameSite: "strict"
  })

/** The browser is signed in from here on. */
export const withEntry = (siteUrl: string, { cookie: value, device }: Entry) =>
  flow(withSession(siteUrl, value, sessionLifetime / 1000), withDevice(siteUrl, device))

const shownOnceCookie = "lat_shown"

/** What the next page of the account shows once; empty when there is nothing. */
export const shownOnceIn = (request: HttpServerRequest.HttpServerRequest): string =>
  request.cookies[shownOnceCookie] ?? ""

/** Hands a secret to the page that a form leads to, so that a reload makes no other; an empty one ends it. */
export const withShownOnce = (siteUrl: string, value: string) => (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setCookieUnsafe(response, shownOnceCookie, value, {
    ...cookie(siteUrl, value === "" ? 0 : 60),
    path: "/account",
    sameSite: "strict"
  })

/** Refuses forms that another site posted, by the browser's headers. */
export const checkOrigin = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, Refused> => {
  const { origin, host } = request.headers
  const site = request.headers["sec-fetch-site"]
  // Behind a proxy, Host may differ from what the browser used, so the browser's own header takes precedence.
  const foreign =
    site === undefined
      ? origin !== undefined && URL.parse(origin)?.host !== host
      : site !== "same-origin" && site !== "none"
  return foreign ? Effect.fail(refused(403, "This form was sent from another site.")) : Effect.void
}

/** The path to return to after signing in; always on this site. */
export const safeNext = (next: string | null, otherwise = "/today"): string =>
  next !== null && next.length <= 8_000 && /^\/(?!\/)[\x21-\x7e]*$/.test(next) && !next.includes("\\")
    ? next
    : otherwise

const signInAgain = (path: string) => redirect(`/sign-in?next=${encodeURIComponent(safeNext(path))}`)

/** Leads to the sign-in and back. A form that was typed in is shown once more, unless another site sent it. */
const withoutSession = (request: HttpServerRequest.HttpServerRequest) => {
  if (request.method === "GET") return Effect.succeed(signInAgain(request.url))
  return checkOrigin(request).pipe(
    Effect.andThen(readLargeForm(request, false)),
    Effect.map((fields) => {
      const next = safeNext(fields.get("back"))
      return signedOutPage(fields, next) ?? signInAgain(next)
    }),
    Effect.catch(() => Effect.succeed(signInAgain("/today")))
  )
}

type Page<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, DomainError | Refused, R>

/** A page for someone who is signed in. */
export type SignedInPage<R> = (current: SignedIn, request: HttpServerRequest.HttpServerRequest) => Page<R>

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

interface Surroundings {
  /** Who looks at the page; left out before they are known. */
  readonly signedInAs?: string
  /** What a 404 tells beside the error. */
  readonly ifNotFound?: Html
  /** The request of a form whose texts are shown once more, unless another site sent it. */
  readonly posted?: HttpServerRequest.HttpServerRequest
}

/** What forms said that were read, or were begun to be: a body is read once. */
const forms = new WeakMap<HttpServerRequest.HttpServerRequest, URLSearchParams>()

/** The fields of a form that failed, perhaps before it was read; none where they cannot be known. */
const fieldsOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<URLSearchParams> => {
  const none = new URLSearchParams()
  if (request.method !== "POST") return Effect.succeed(none)
  const read = forms.get(request)
  if (read !== undefined) return Effect.succeed(read)
  return checkOrigin(request).pipe(
    Effect.andThen(readLargeForm(request, false)),
    Effect.catch(() => Effect.succeed(none))
  )
}

/** Renders errors as pages. */
export const shown = <R>(page: Page<R>, { ifNotFound = html``, posted, signedInAs }: Surroundings = {}) =>
  Effect.catch(page, (error) =>
    Effect.gen(function* () {
      const status = statusOf(error)
      const [title, lost] = status === 404 ? ["Not found", ifNotFound] : ["That did not work", html``]
      const fields = posted === undefined ? new URLSearchParams() : yield* fieldsOf(posted)
      const typed = typedHtml(fields)
      return errorPage(status, title, error.message, {
        more: typed === undefined ? lost : html`${lost}<p>What you typed, to copy:</p>${typed}`,
        ...(fields.has("back") && { back: safeNext(fields.get("back")) }),
        ...(signedInAs !== undefined && { signedInAs })
      })
    })
  )

/** A session is named by the first digits of its hash, which nobody can sign in with. */
export const actorOf = (session: Session): Actor => ({
  type: "session",
  id: session.hash.slice(0, 16),
  name: "Browser session"
})

/** Serves a page to a signed-in person, as their caller; others are redirected to sign in and back. */
export const signedInPages = Effect.map(
  SignIn,
  (signIn) =>
    <R>(page: SignedInPage<R>) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const cookie = cookieOf(request)
        const current =
          cookie === undefined
            ? undefined
            : yield* signIn.session(cookie).pipe(Effect.catchTag("Unauthorized", () => Effect.succeed(undefined)))
        if (current === undefined) return yield* withoutSession(request)
        yield* answeringFor(current.account.id)
        return yield* page(current, request).pipe(
          Effect.provideService(Caller, ownerBy(current.account, actorOf(current.session))),
          (answered) =>
            shown(answered, {
              signedInAs: current.account.email,
              ifNotFound: wayBack(request.url),
              posted: request
            })
        )
      }).pipe((page) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => shown(page, { posted: request }))
      )
)

/** A form posted by a signed-in person; it must carry the session's CSRF token. */
export const postedForm = Effect.fnUntraced(function* (
  current: SignedIn,
  request: HttpServerRequest.HttpServerRequest
) {
  yield* checkOrigin(request)
  forms.set(request, new URLSearchParams())
  const fields = yield* readLargeForm(request)
  forms.set(request, fields)
  if (!sameHash(fields.get("csrf") ?? "", current.session.csrf))
    return yield* refused(403, "This form is too old or was not ours: go back, reload the page and try again.")
  return fields
})

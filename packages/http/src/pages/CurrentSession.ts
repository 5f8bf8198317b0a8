import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { sameHash } from "@lists-and-things/domain/caller/Hashing"
import { Caller, ownerBy } from "@lists-and-things/domain/model/Caller"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import type { DomainError } from "@lists-and-things/domain/model/Errors"
import type { Session } from "@lists-and-things/domain/model/Grant"
import type { Actor } from "@lists-and-things/domain/model/Operation"
import { chargeAnswerTo } from "@lists-and-things/domain/size/AnswerBudget"
import { SignIn, type SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { readLargeForm } from "../edge/FormBody.ts"
import { answerFor, refused, type Refused } from "@lists-and-things/web/ErrorAnswers"
import { headersOnPage } from "./ErrorPages.ts"
import { html } from "./Html.ts"
import { errorPage, page, redirect } from "./Page.ts"
import { SiteCookies } from "./SiteCookies.ts"
import { typedHtml } from "./TypedTexts.ts"
import { missingAt } from "./HistoryLinks.ts"

/** Refuses forms that another site posted, judged by the browser's headers. */
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

/** Longest path, in characters, that is kept over a sign-in: it becomes part of the address of that page. */
const maxNextLength = 8_000

/** The path to return to after signing in; always on this site. */
export const safeNext = (next: string | null, otherwise = "/today"): string =>
  next !== null && next.length <= maxNextLength && /^\/(?!\/)[\x21-\x7e]*$/.test(next) && !next.includes("\\")
    ? next
    : otherwise

const signInPath = (next: string) => `/sign-in?next=${encodeURIComponent(safeNext(next))}`

/** In the query of the sign-in: a form led there, and did nothing. */
export const unsentName = "unsent"

/** The address of the form that signs out. */
export const signOutPath = "/sign-out"

/**
 * Shows what was typed in a form whose session has ended, so that it can be copied: nothing was saved. Undefined for a
 * form without such texts.
 */
const signedOutPage = (
  fields: URLSearchParams,
  signInPath: string
): HttpServerResponse.HttpServerResponse | undefined => {
  const typed = typedHtml(fields)
  return typed === undefined
    ? undefined
    : page(
        "Signed out",
        html`<div class="sign-in">
          <h1>You are signed out</h1>
          <p class="problem" role="alert">Nothing was saved. Copy what you typed, sign in, and send it again.</p>
          ${typed}
          <p><a class="button" href="${signInPath}">Sign in</a></p>
        </div>`,
        { status: 401 }
      )
}

/** For an address to which the sign-in cannot lead back, such as that of a program's very long request. */
const signInFirstPage = (): HttpServerResponse.HttpServerResponse =>
  page(
    "Sign in first",
    html`<div class="sign-in">
      <h1>Sign in first</h1>
      <p class="problem" role="alert">
        The address of this page is too long to be kept while you sign in. Sign in, and open it again; if a program led
        you here, connect it once more.
      </p>
      <p><a class="button" href="/sign-in">Sign in</a></p>
    </div>`,
    { status: 414 }
  )

/**
 * Redirects to the sign-in, which leads back: for a form, to the page that it was on, or else to its own address. What
 * was typed in a form is shown once more, unless another site sent it.
 */
const withoutSession = (request: HttpServerRequest.HttpServerRequest) => {
  if (request.method === "GET")
    return Effect.succeed(request.url.length > maxNextLength ? signInFirstPage() : redirect(signInPath(request.url)))
  // Another tab has signed out already.
  if (request.url === signOutPath) return Effect.succeed(redirect("/sign-in"))
  return checkOrigin(request).pipe(
    // A form that is too large to be shown is not read.
    Effect.andThen(Effect.orElseSucceed(readLargeForm(request, false), () => new URLSearchParams())),
    Effect.map((fields) => {
      const next = safeNext(fields.get("back"), safeNext(request.url))
      return signedOutPage(fields, signInPath(next)) ?? redirect(`${signInPath(next)}&${unsentName}`)
    }),
    Effect.catch(() => Effect.succeed(redirect(signInPath("/today"))))
  )
}

type Page<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, DomainError | Refused, R>

/** A page for someone who is signed in. */
export type SignedInPage<R> = (current: SignedIn, request: HttpServerRequest.HttpServerRequest) => Page<R>

interface ErrorContext {
  /** The person who looks at the page; absent until they are known. */
  readonly signedInAs?: string
  /** The address of the request, which the page of a 404 names. */
  readonly url?: string
  /** The request of a form; what was typed in it is shown once more, unless another site sent it. */
  readonly posted?: HttpServerRequest.HttpServerRequest
}

/** The fields of forms that were read or are being read, since a body can be read only once. */
const forms = new WeakMap<HttpServerRequest.HttpServerRequest, URLSearchParams>()

/** The fields of a form that failed, possibly before it was read; empty if they cannot be known. */
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
export const renderErrors = <R>(page: Page<R>, { posted, signedInAs, url = "" }: ErrorContext = {}) =>
  Effect.catch(page, (error) =>
    Effect.gen(function* () {
      const { headers = {}, status } = answerFor(error, yield* currentTime)
      const missing = status === 404 ? missingAt(url) : undefined
      const lost = missing?.wayBack ?? html``
      const fields = posted === undefined ? new URLSearchParams() : yield* fieldsOf(posted)
      const typed = typedHtml(fields)
      return errorPage(status, status === 404 ? "Not found" : "That did not work", missing?.said ?? error.message, {
        headers: headersOnPage(headers),
        more: typed === undefined ? lost : html`${lost}<p>What you typed, to copy:</p>${typed}`,
        ofForm: posted?.method === "POST",
        ...(fields.has("back") && { back: safeNext(fields.get("back")) }),
        ...(signedInAs !== undefined && { signedInAs })
      })
    })
  )

/** The actor of a session. Its id is the beginning of the session's hash, with which nobody can sign in. */
export const actorOf = (session: Session): Actor => ({
  type: "session",
  id: session.hash.slice(0, 16),
  name: "Browser session"
})

/** Serves a page to a signed-in person, as their caller; others are redirected to sign in and back. */
export const signedInPages = Effect.map(
  Effect.all([SignIn, SiteCookies]),
  ([signIn, cookies]) =>
    <R>(page: SignedInPage<R>) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const cookie = cookies.session(request)
        const current =
          cookie === undefined
            ? undefined
            : yield* signIn.session(cookie).pipe(Effect.catchTag("Unauthorized", () => Effect.succeed(undefined)))
        if (current === undefined) return yield* withoutSession(request)
        yield* chargeAnswerTo(current.account.id)
        return yield* page(current, request).pipe(
          // The session has ended in the meantime.
          Effect.catchTag("Unauthorized", () => withoutSession(request)),
          Effect.provideService(Caller, ownerBy(current.account, actorOf(current.session))),
          (answered) =>
            renderErrors(answered, {
              signedInAs: current.account.email,
              url: request.url,
              posted: request
            })
        )
      }).pipe((page) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => renderErrors(page, { posted: request }))
      )
)

/** A form that a signed-in person has sent. */
export interface SentForm {
  readonly current: SignedIn
  readonly request: HttpServerRequest.HttpServerRequest
  readonly fields: URLSearchParams
}

export type FormPage<R> = (sent: SentForm) => Page<R>

/** Serves the answer to a form like a page of `signedInPages`; a form must carry the CSRF token of its session. */
export const signedInForms = Effect.map(
  signedInPages,
  (forSignedIn) =>
    <R>(answer: FormPage<R>) =>
      forSignedIn((current, request) =>
        Effect.flatMap(fieldsSent(current, request), (fields) => answer({ current, request, fields }))
      )
)

const fieldsSent = Effect.fnUntraced(function* (current: SignedIn, request: HttpServerRequest.HttpServerRequest) {
  yield* checkOrigin(request)
  forms.set(request, new URLSearchParams())
  const fields = yield* readLargeForm(request)
  forms.set(request, fields)
  if (!sameHash(fields.get("csrf") ?? "", current.session.csrf))
    return yield* refused(403, "This form is too old or was not ours: go back, reload the page and try again.")
  return fields
})
